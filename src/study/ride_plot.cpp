#include "ride_plot.hpp"

#include <algorithm>

#include "line_plot.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

constexpr double shortest_s = 0.01, longest_s = 100.0, highest_pu = 1.3;

}  // namespace

std::string ride_plot(const grid::RideVerdict& v, const std::string& title) {
  LinePlot p{title, "duration (s)", "voltage (pu)", {}, {}};
  p.log_x = true;
  p.y_low = 0.0, p.y_high = highest_pu;
  PlotLine stayed{"the site stays", {}, {}, "#009E73", false, true},
      left{"load leaves", {}, {}, "#D55E00", false, true};
  for (const auto& b : v.voltage) {
    const double high = std::min(b.band.high, highest_pu);
    if (b.band.must_stay())
      p.areas.push_back({shortest_s, b.band.duty == grid::BandDuty::continuous ? longest_s : b.band.stay_s, b.band.low,
                         high, "#e4effa"});
    if (b.band.duty == grid::BandDuty::not_read)
      p.areas.push_back({shortest_s, longest_s, b.band.low, high, "#f5efd8"});
    for (const auto& point : b.points) {
      auto& to = point.left_W > 0.0 ? left : stayed;
      to.x.push_back(std::clamp(point.duration_s, shortest_s, longest_s)),
          to.y.push_back(std::min(point.level, highest_pu));
    }
  }
  p.lines = {stayed, left, {"", {shortest_s, longest_s}, {1.0, 1.0}, "#bbb", true}};
  return p.svg();
}

}  // namespace TIDEWATT_NAMESPACE::study
