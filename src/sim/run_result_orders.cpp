// How a run kept the utility's orders, by the means that a settlement bills.
#include <fmt/format.h>

#include <algorithm>

#include "run_result.hpp"
#include "site_means.hpp"

namespace TIDEWATT_NAMESPACE::sim {

void add_order_settlements(const Scenario& scenario, Result& result) {
  using List = std::vector<std::pair<std::string, double>>;
  const auto kept = std::find_if(result.summary.begin(), result.summary.end(),
                                 [](const auto& figure) { return figure.first == "order_kept"; });
  auto* figures = kept != result.summary.end() ? std::get_if<List>(&kept->second) : nullptr;
  if (figures == nullptr) return;
  const auto means = site_means([&](const std::string& path) {
    const auto at = std::find_if(result.arrays.begin(), result.arrays.end(),
                                 [&](const NamedArray& array) { return array.path == path; });
    return at != result.arrays.end() ? &*at : nullptr;
  });
  if (means.record.mean_W.empty()) return;
  grid::OrderMetering how;
  how.clock_s = seconds(local_time_of_day(scenario.run.start));
  std::vector<grid::OrderSettlement> sums(how.settlement_s.size());
  double short_W = 0.0;
  for (const auto& e : scenario.events) {
    if (e.kind != EventKind::curtailment) continue;
    const auto settled = grid::settle_order(means.record, {e.at_s, e.at_s + e.duration_s, e.notice_s, e.limit_W}, how);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i].n += settled[i].n, sums[i].n_over += settled[i].n_over;
    short_W = std::max(short_W, grid::short_W(settled, e.limit_W));
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const double minutes = how.settlement_s[i] / 60.0;
    figures->emplace_back(fmt::format("n_means_{:g}min", minutes), static_cast<double>(sums[i].n));
    figures->emplace_back(fmt::format("n_over_{:g}min", minutes), static_cast<double>(sums[i].n_over));
  }
  if (grid::verdict(sums) != grid::OrderVerdict::not_judged) figures->emplace_back("short_MW", short_W * 1e-6);
}

}  // namespace TIDEWATT_NAMESPACE::sim
