#include "explain_swing.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "explain_swing_parts.hpp"
#include "sim/run_as_is.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/sim/look_up.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace detail {

namespace {

template <class T>
const std::vector<T>& array(const sim::Result& r, const std::string& path) {
  for (const auto& a : r.arrays)
    if (a.path == path) return std::get<std::vector<T>>(a.values);
  throw InputError("explain: the result holds no " + path);
}

}  // namespace

double mean_over_time(const sim::Result& r, const std::string& column, double end_s) {
  const auto& t = array<double>(r, "/day/time");
  const auto& x = array<double>(r, "/day/" + column);
  double sum = 0.0, span_s = 0.0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    const double d = (i + 1 < t.size() ? t[i + 1] : end_s) - t[i];
    if (!std::isfinite(x[i])) continue;
    sum += x[i] * d;
    span_s += d;
  }
  return span_s > 0.0 ? sum / span_s : std::nan("");
}

std::vector<NamedGpu> worst_gpus(const sim::Result& r, bool hottest, std::size_t n_gpu) {
  const auto& die = array<double>(r, "/fleet/die_K");
  const auto& own = array<double>(r, "/fleet/own_Hz");
  const auto& stage = array<std::int64_t>(r, "/fleet/stage");
  std::vector<std::size_t> order;
  for (std::size_t g = 0; g < die.size(); ++g)
    if (stage[g] >= 0) order.push_back(g);  // who trains
  const std::size_t n = std::min(n_gpu, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n), order.end(),
                    [&](std::size_t a, std::size_t b) {
                      const double x = hottest ? -die[a] : own[a], y = hottest ? -die[b] : own[b];
                      return x != y ? x < y : a < b;
                    });
  std::vector<NamedGpu> out;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t g = order[i];
    out.push_back({array<std::int64_t>(r, "/fleet/row")[g], array<std::int64_t>(r, "/fleet/rack")[g],
                   array<std::int64_t>(r, "/fleet/node")[g], array<std::int64_t>(r, "/fleet/slot")[g], die[g], own[g],
                   array<double>(r, "/fleet/inlet_K")[g], array<double>(r, "/fleet/leakage_ratio")[g],
                   array<double>(r, "/fleet/resistance_ratio")[g]});
  }
  return out;
}

}  // namespace detail

SwingReport explain_swing(const sim::Scenario& scenario, const sim::Result& base, const sim::RunOptions& options,
                          const std::function<void(const std::string&)>& progress) {
  using namespace detail;
  SwingReport report;
  report.swing_percent = sim::figure(base, "throughput_swing_percent");
  report.tokens_per_s = sim::figure(base, "tokens_per_s_mean");
  report.mean_MW = sim::figure(base, "pcc_mean_MW");
  report.fall_MW_per_s = sim::figure(base, "pcc_ramp_down_max_MW_per_s");
  if (!std::isfinite(report.swing_percent))
    throw InputError("explain: a swing needs two hours at least in which the job iterates for a quarter of an hour");
  const auto hours = sim::whole_numbers(base, "throughput_min_hours");
  report.min_hours.assign(hours.begin(), hours.end());
  report.hottest = worst_gpus(base, true, 5);
  report.slowest = worst_gpus(base, false, 5);
  const auto repeat = [&](const sim::Scenario& s, const std::string& name) {
    if (progress) progress(name);
    return sim::run_as_is(s, {options.n_thread, {}});  // causes are taken away by values outside the ranges
  };
  for (const auto& c : causes_of(scenario, base)) {
    const auto r = repeat(c.scenario, "without " + c.name);
    const double left = sim::figure(r, "throughput_swing_percent"), MW = sim::figure(r, "pcc_mean_MW");
    report.causes.push_back({c.name, c.how, left, report.swing_percent - left, MW, report.mean_MW - MW,
                             report.fall_MW_per_s - sim::figure(r, "pcc_ramp_down_max_MW_per_s")});
  }
  const double energy = sim::figure(base, "pcc_mean_MW") / report.tokens_per_s;
  for (const auto& l : levers_of(scenario, report.notes)) {
    const auto r = repeat(l.scenario, l.name);
    const double tokens = sim::figure(r, "tokens_per_s_mean");
    report.levers.push_back({l.name, l.how, 100.0 * (tokens / report.tokens_per_s - 1.0),
                             100.0 * (sim::figure(r, "pcc_mean_MW") / tokens / energy - 1.0),
                             sim::figure(r, "throughput_swing_percent")});
  }
  std::stable_sort(report.causes.begin(), report.causes.end(),
                   [](const auto& a, const auto& b) { return a.adds_points > b.adds_points; });
  return report;
}

}  // namespace TIDEWATT_NAMESPACE::study
