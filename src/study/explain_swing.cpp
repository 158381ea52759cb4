#include "explain_swing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "explain_swing_fleets.hpp"
#include "explain_swing_parts.hpp"
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

namespace {

using detail::SwingFigures;

/// Mean over the fleets of what a function gives for each one's run and its variant.
template <class Change>
FleetMean paired(const std::vector<SwingFigures>& base, const std::vector<SwingFigures>& variant, Change&& change) {
  std::vector<double> x;
  x.reserve(base.size());
  for (std::size_t k = 0; k < base.size(); ++k) x.push_back(change(base[k], variant[k]));
  return detail::over_fleets(x);
}

/// Mean over the fleets of one figure.
FleetMean mean_of(const std::vector<SwingFigures>& runs, double SwingFigures::* figure) {
  return paired(runs, runs, [=](const auto& r, const auto&) { return r.*figure; });
}

/// Mean over the fleets of what is missing of one figure.
FleetMean lost(const std::vector<SwingFigures>& base, const std::vector<SwingFigures>& without,
               double SwingFigures::* figure) {
  return paired(base, without, [=](const auto& b, const auto& w) { return b.*figure - w.*figure; });
}

SwingCause cause_of(const std::vector<SwingFigures>& base, const detail::VariantRuns& v) {
  using F = SwingFigures;
  return {v.name,
          v.how,
          mean_of(v.of_fleets, &F::swing_percent),
          lost(base, v.of_fleets, &F::swing_percent),
          mean_of(v.of_fleets, &F::MW),
          lost(base, v.of_fleets, &F::MW),
          lost(base, v.of_fleets, &F::fall_MW_per_s)};
}

SwingLever lever_of(const std::vector<SwingFigures>& base, const detail::VariantRuns& v) {
  const auto tokens = [](const auto& b, const auto& w) { return 100.0 * (w.tokens_per_s / b.tokens_per_s - 1.0); };
  const auto energy = [](const auto& b, const auto& w) {
    return 100.0 * (w.MW / w.tokens_per_s / (b.MW / b.tokens_per_s) - 1.0);
  };
  return {v.name, v.how, paired(base, v.of_fleets, tokens), paired(base, v.of_fleets, energy),
          mean_of(v.of_fleets, &SwingFigures::swing_percent)};
}

}  // namespace

SwingReport explain_swing(const sim::Scenario& scenario, const sim::Result& base, const ExplainOptions& options,
                          const std::function<void(const std::string&)>& progress) {
  using namespace detail;
  if (options.n_fleet < 1 || options.n_fleet > ExplainOptions::most_fleets)
    throw InputError(
        fmt::format("explain: {} fleets; allowed are 1 to {}", options.n_fleet, ExplainOptions::most_fleets));
  SwingReport report;
  const auto own = swing_figures(base);
  report.swing_percent = own.swing_percent, report.tokens_per_s = own.tokens_per_s, report.mean_MW = own.MW,
  report.fall_MW_per_s = own.fall_MW_per_s;
  if (!std::isfinite(report.swing_percent))
    throw InputError("explain: a swing needs two hours at least in which the job iterates for a quarter of an hour");
  const auto hours = sim::whole_numbers(base, "throughput_min_hours");
  report.min_hours.assign(hours.begin(), hours.end());
  report.hottest = worst_gpus(base, true, 5);
  report.slowest = worst_gpus(base, false, 5);
  auto runs = paired_runs(scenario, base, options, progress);
  report.n_fleet = static_cast<std::int64_t>(runs.base.size());
  report.swing_over_fleets = mean_of(runs.base, &SwingFigures::swing_percent);
  report.MW_over_fleets = mean_of(runs.base, &SwingFigures::MW);
  report.fall_over_fleets = mean_of(runs.base, &SwingFigures::fall_MW_per_s);
  for (const auto& v : runs.causes) report.causes.push_back(cause_of(runs.base, v));
  for (const auto& v : runs.levers) report.levers.push_back(lever_of(runs.base, v));
  report.notes = std::move(runs.notes);
  std::stable_sort(report.causes.begin(), report.causes.end(),
                   [](const auto& a, const auto& b) { return a.adds_points.mean > b.adds_points.mean; });
  return report;
}

}  // namespace TIDEWATT_NAMESPACE::study
