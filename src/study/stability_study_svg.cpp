#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "line_plot.hpp"
#include "stability_study.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

struct Shade {
  double above_frac;  ///< of the most that the supplies can draw
  const char *color, *words;
};
/// Dark: the load may not grow far.
constexpr std::array<Shade, 5> shades = {{{0.0, "#8b1a1a", "oscillates below a quarter of the nose or limit"},
                                          {0.25, "#d2691e", "from a quarter on"},
                                          {0.5, "#f0b060", "from a half on"},
                                          {0.75, "#f8e0a8", "from three quarters on"},
                                          {2.0, "#d7e8d4", "stable up to nose or limit"}}};

const Shade& shade_of(const grid::SupplyOnset& o) {
  const double reached =
      o.end == grid::SupplyEnd::oscillates || (o.end == grid::SupplyEnd::drifts && o.load_W < 0.98 * o.most_W)
          ? o.load_W / o.most_W
          : 2.0;
  std::size_t at = 0;
  while (at + 1 < shades.size() && reached >= shades[at + 1].above_frac) ++at;
  return shades[at];
}

std::string map_svg(const Stability& s) {
  const auto& o = s.options;
  const auto n = static_cast<std::size_t>(o.points);
  LinePlot p;
  p.title = fmt::format("Load at which supplies rated {:g} MW begin to oscillate", o.rating_W * 1e-6);
  p.x_label = "short-circuit power over the supplies' rating";
  p.y_label = "loop gain over the control's own";
  p.log_x = true;
  p.height = 420.0;
  p.y_low = o.gain_from, p.y_high = o.gain_to;
  // Edges of a cell are halfway between neighbours, on the logarithm.
  const auto edge = [&](double from, double to, double i) {
    return from * std::pow(to / from, std::clamp(i, 0.0, static_cast<double>(n - 1)) / static_cast<double>(n - 1));
  };
  for (std::size_t c = 0; c < s.cells.size(); ++c) {
    const auto g = static_cast<double>(c / n), r = static_cast<double>(c % n);
    p.areas.push_back({edge(o.ratio_from, o.ratio_to, r - 0.5), edge(o.ratio_from, o.ratio_to, r + 0.5),
                       edge(o.gain_from, o.gain_to, g - 0.5), edge(o.gain_from, o.gain_to, g + 0.5),
                       shade_of(s.cells[c].onset).color});
  }
  for (const auto& shade : shades)
    p.lines.push_back({shade.words, {o.ratio_from}, {std::nan("")}, shade.color, false, true});  // in the legend only
  PlotLine low{"", {}, {}, "#0072B2", true, false},
      high = low,
      fits{fmt::format("fit to {:g} Hz, {:g} to {:g} MW", o.fit_Hz, o.fit_stable_W * 1e-6, o.fit_unstable_W * 1e-6),
           {},
           {},
           "#0072B2",
           false,
           true};
  low.name = fmt::format("onset at {:g} and at {:g} MW", o.fit_stable_W * 1e-6, o.fit_unstable_W * 1e-6);
  for (const auto& f : s.fits) {
    if (f.frequency_Hz <= 0.0) continue;
    low.x.push_back(f.short_circuit_low_VA / o.rating_W), low.y.push_back(f.gain_ratio);
    high.x.push_back(f.short_circuit_high_VA / o.rating_W), high.y.push_back(f.gain_ratio);
    if (f.fits)
      fits.x.push_back(std::sqrt(f.short_circuit_low_VA * f.short_circuit_high_VA) / o.rating_W),
          fits.y.push_back(f.gain_ratio);
  }
  if (!low.x.empty()) p.lines.push_back(low), p.lines.push_back(high);
  if (!fits.x.empty()) p.lines.push_back(fits);
  p.lines.push_back({"this site", {o.short_circuit_VA / o.rating_W}, {o.gain_ratio}, "#000000", false, true});
  return p.svg();
}

}  // namespace

std::string stability_svg(const Stability& s) {
  if (!s.cells.empty()) return map_svg(s);
  LinePlot p;
  p.title = fmt::format("{:g} MW after a dip of 0.1 % at the source", s.options.load_W * 1e-6);
  p.x_label = "time (s)";
  p.y_label = "power at the connection (MW)";
  PlotLine line{"", s.trace.time_s, {}, "#0072B2"};
  for (const double W : s.trace.power_W) line.y.push_back(W * 1e-6);
  double low = 1e300, high = -1e300;
  for (const double v : line.y) low = std::min(low, v), high = std::max(high, v);
  if (!line.y.empty()) p.y_low = low - 0.05 * (high - low) - 1e-6, p.y_high = high + 0.05 * (high - low) + 1e-6;
  p.lines.push_back(std::move(line));
  return p.svg();
}

}  // namespace TIDEWATT_NAMESPACE::study
