#include "order_jobs.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace TIDEWATT_NAMESPACE::study {
namespace {

template <class T>
std::span<const T> values_of(io::ResultFile& file, const std::string& path) {
  const auto* array = file.read(path);
  const auto* values = array ? std::get_if<std::vector<T>>(&array->values) : nullptr;
  return values ? std::span<const T>(*values) : std::span<const T>();
}

/// Means of macro steps, which follow one another without a gap.
struct Rows {
  std::span<const double> time_s, it_W, tokens_per_s;
  double end_s = 0.0;  ///< of the last one

  double integral(std::span<const double> mean, double from_s, double until_s) const {
    double out = 0.0;
    for (std::size_t i = 0; i < mean.size(); ++i) {
      const double next_s = i + 1 < time_s.size() ? time_s[i + 1] : end_s;
      const double inside_s = std::min(next_s, until_s) - std::max(time_s[i], from_s);
      if (inside_s > 0.0 && std::isfinite(mean[i])) out += mean[i] * inside_s;
    }
    return out;
  }
};

/// From the order's end until the job trains as before.
double back_s(const Rows& rows, const OrderJob& job, const grid::MeteredOrder& order, const grid::OrderMetering& how) {
  const double last_s = std::min(order.end_s + how.rebound_s, rows.end_s);
  for (double at_s = order.end_s; at_s + how.response_s <= last_s + 1e-6; at_s += how.response_s)
    if (rows.integral(rows.tokens_per_s, at_s, at_s + how.response_s) / how.response_s >=
        (1.0 - how.settled_frac) * job.before_tokens_per_s)
      return at_s - order.end_s;
  return OrderJob::nan;
}

/// Times of what the log says of the job, from the order's notice on.
void read_log(io::ResultFile& file, const grid::MeteredOrder& order, double last_s, OrderJob& job) {
  const auto time = values_of<double>(file, "/events/time");
  const auto kind = values_of<std::string>(file, "/events/kind"),
             entity = values_of<std::string>(file, "/events/entity");
  const auto note = [&](double& at_s, double t) { at_s = std::isnan(at_s) ? t : at_s; };
  for (std::size_t i = 0; i < std::min({time.size(), kind.size(), entity.size()}); ++i) {
    const bool releases = kind[i] == "order_release";
    const double until_s = releases ? last_s : order.end_s;
    if (entity[i] != job.name || time[i] < order.begin_s - order.notice_s || time[i] > until_s) continue;
    if (kind[i] == "order_cap") note(job.capped_s, time[i]);
    if (kind[i] == "order_lowest_cap") note(job.lowest_cap_s, time[i]);
    if (kind[i] == "order_pause") note(job.paused_s, time[i]);
    if (kind[i] == "planned_stop") note(job.stopped_s, time[i]);
    if (releases) job.released_s = time[i];
  }
}

}  // namespace

std::vector<OrderJob> order_jobs(const sim::Scenario& scenario, io::ResultFile& result, const grid::MeteredOrder& order,
                                 const grid::OrderMetering& how) {
  std::vector<OrderJob> out;
  const double known_s = order.begin_s - order.notice_s;
  for (const auto& spec : scenario.jobs) {
    const std::string group = "/job/" + spec.name + "/";
    const Rows rows{values_of<double>(result, group + "time"), values_of<double>(result, group + "it_W"),
                    values_of<double>(result, group + "tokens_per_s"), scenario.run.duration_s};
    if (rows.time_s.empty() || rows.it_W.empty()) return {};
    OrderJob job;
    job.name = spec.name;
    if (spec.curtailment) {
      job.may = word_of(spec.curtailment->may);
      job.tier = spec.curtailment->may == sim::OrderMay::never ? 0 : spec.curtailment->tier;
    }
    const double from_s = std::max(rows.time_s.front(), known_s - how.baseline_s);
    job.before_W = rows.integral(rows.it_W, from_s, known_s) / (known_s - from_s);
    job.before_tokens_per_s = rows.integral(rows.tokens_per_s, from_s, known_s) / (known_s - from_s);
    job.back_s = back_s(rows, job, order, how);
    const double until_s = std::min(rows.end_s, order.end_s + (std::isnan(job.back_s) ? how.rebound_s : job.back_s));
    job.given_J = job.before_W * (until_s - known_s) - rows.integral(rows.it_W, known_s, until_s);
    job.given_tokens =
        job.before_tokens_per_s * (until_s - known_s) - rows.integral(rows.tokens_per_s, known_s, until_s);
    job.given_frac =
        1.0 - rows.integral(rows.it_W, order.begin_s, order.end_s) / ((order.end_s - order.begin_s) * job.before_W);
    read_log(result, order, order.end_s + how.rebound_s, job);
    out.push_back(std::move(job));
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
