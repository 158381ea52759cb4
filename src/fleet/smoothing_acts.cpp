#include "smoothing_acts.hpp"

#include <algorithm>
#include <cmath>

namespace TIDEWATT_NAMESPACE::fleet {
namespace {

SmoothingActs acts_of_class(const std::vector<HeldTimeline::Mark>& marks, const mitigation::SmoothingState& begin,
                            double floor_W, Tick hysteresis, double still_W) {
  SmoothingActs out;
  auto before = begin;
  Tick since = 0;
  for (const auto& m : marks) {
    auto after = m.state.smoothing;
    after.missing = std::min(after.missing, hysteresis);  // a mark within a segment may count on
    const double s = seconds(m.end - since);
    if (after.level_W > before.level_W + still_W)
      out.ramp_up_s += s;
    else if (after.level_W < before.level_W - still_W)
      out.ramp_down_s += s;
    else if (after.missing > before.missing && std::abs(after.level_W - floor_W) <= still_W)
      out.floor_s += s;
    if (after.missing > before.missing) out.hysteresis_s += seconds(after.missing - before.missing);
    before = after;
    since = m.end;
  }
  return out;
}

}  // namespace

SmoothingActs smoothing_acts(const HeldTimeline& held, const mitigation::GpuSmoothingParams& params, double tdp_W,
                             std::span<const HoldState> begin, std::span<const double> n_in) {
  constexpr double still_ratio = 1e-9;  // rounding of levels
  double n_node = 0.0;
  for (const double n : n_in) n_node += n;
  SmoothingActs out;
  for (std::size_t c = 0; c < held.marks.size(); ++c)
    out.add(acts_of_class(held.marks[c], begin[c].smoothing, params.floor_ratio * tdp_W, to_tick(params.hysteresis_s),
                          still_ratio * tdp_W),
            n_in[c] / n_node);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::fleet
