#include "steady_run.hpp"

#include <algorithm>
#include <cmath>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::study {

SteadyRun steady_run(std::span<const RunMark> marks, Tick from) {
  const Tick whole = marks.empty() ? 0 : marks.back().at, half = from + (whole - from) / 2;
  const auto first = std::find_if(marks.begin(), marks.end(), [&](const RunMark& m) { return m.at >= half; });
  if (marks.empty() || from >= whole || first->at >= whole)
    throw InputError(
        "site.rules_from_s: too little of the run lies behind it to tell what is steady; a longer run.duration_h is "
        "needed");
  const RunMark& begin = *first;
  const RunMark& end = marks.back();
  SteadyRun out;
  out.start_s = seconds(begin.at);
  out.steady_s = seconds(end.at - begin.at);
  out.start_tokens = begin.tokens;
  out.start_J = begin.energy_J;
  out.tokens_per_s = (end.tokens - begin.tokens) / out.steady_s;
  out.mean_W = (end.energy_J - begin.energy_J) / out.steady_s;
  out.life_frac_per_s = (end.life_frac - begin.life_frac) / out.steady_s;
  out.charge_W = (end.charge_J - begin.charge_J) / out.steady_s;
  const Tick middle = begin.at + (end.at - begin.at) / 2;
  const auto distance = [&](const RunMark& m) { return std::abs(m.at - middle); };
  const RunMark& mid = *std::min_element(marks.begin(), marks.end(),
                                         [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
  if (mid.at > begin.at && mid.at < end.at && mid.tokens > begin.tokens)
    out.change_frac = (end.tokens - mid.tokens) / seconds(end.at - mid.at) /
                          ((mid.tokens - begin.tokens) / seconds(mid.at - begin.at)) -
                      1.0;
  return out;
}

StartCost start_cost(const SteadyRun& with, const SteadyRun& without) {
  if (!(with.tokens_per_s > 0.0 && without.tokens_per_s > 0.0)) return {};
  const double bare_s = without.start_tokens / without.tokens_per_s, idle_s = without.start_s - bare_s;
  const double worked_s = with.start_s - idle_s;
  return {worked_s - with.start_tokens / with.tokens_per_s,
          (with.start_J - with.mean_W * worked_s) - (without.start_J - without.mean_W * bare_s)};
}

}  // namespace TIDEWATT_NAMESPACE::study
