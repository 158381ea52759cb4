#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "base/escape.hpp"
#include "gpu_view.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

/// Extremes of a series per column of the picture, so that no spike is lost.
std::string band(const std::vector<double>& x, double lo, double hi, double left, double top, double width,
                 double height, const char* color) {
  const auto n_column = static_cast<std::size_t>(width);
  std::string points;
  for (std::size_t c = 0; c < n_column; ++c) {
    const std::size_t a = c * x.size() / n_column, b = std::max(a + 1, (c + 1) * x.size() / n_column);
    if (a >= x.size()) break;
    const auto [least, most] = std::minmax_element(x.begin() + static_cast<std::ptrdiff_t>(a),
                                                   x.begin() + static_cast<std::ptrdiff_t>(std::min(b, x.size())));
    for (const double v : {*least, *most})
      fmt::format_to(std::back_inserter(points), "{:.1f},{:.1f} ", left + static_cast<double>(c),
                     top + height * (hi - v) / (hi - lo));
  }
  return fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"1\" points=\"{}\"/>\n", color, points);
}

/// The nearest of 1, 2, 5 times a power of ten, upwards.
double round_step(double least) {
  const double ten = std::pow(10.0, std::floor(std::log10(least)));
  for (const double k : {1.0, 2.0, 5.0})
    if (k * ten >= least) return k * ten;
  return 10.0 * ten;
}

struct Panel {
  const char* title;
  std::vector<double> x, shown;
  double point;  ///< of the run
};

std::string panel_svg(const Panel& p, double top, double width, double height) {
  constexpr double left = 70.0;
  double lo = std::min(p.point, *std::min_element(p.x.begin(), p.x.end())),
         hi = std::max(p.point, *std::max_element(p.x.begin(), p.x.end()));
  const double room = std::max(0.05 * (hi - lo), 1e-3 * std::abs(hi) + 1e-9);
  lo -= room, hi += room;
  const auto y = [&](double v) { return top + height * (hi - v) / (hi - lo); };
  std::string out = fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#bbb\"/>\n<text x=\"{}\" "
      "y=\"{}\">{}</text>\n",
      left, top, width, height, left, top - 6.0, p.title);
  const double step = round_step((hi - lo) / 4.0);
  for (double v = std::ceil(lo / step) * step; v <= hi; v += step)
    fmt::format_to(std::back_inserter(out), "<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{:.6g}</text>\n",
                   left - 6.0, y(v) + 4.0, v);
  out += band(p.x, lo, hi, left, top, width, height, "#2b6cb0");
  if (!p.shown.empty()) out += band(p.shown, lo, hi, left, top, width, height, "#c05621");
  return out +
         fmt::format(
             "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"#222\" stroke-dasharray=\"6 4\"/>\n",
             left, left + width, y(p.point));
}

std::vector<double> scaled(const std::vector<double>& x, double by, double plus) {
  std::vector<double> out;
  for (const double v : x) out.push_back(v * by + plus);
  return out;
}

}  // namespace

const char* name_of(dvfs::Held held) {
  constexpr std::array<const char*, dvfs::n_held> names = {"none",    "clock_lock", "power_cap", "peak",
                                                           "thermal", "slowdown",   "brake",     "shutdown"};
  return names[static_cast<std::size_t>(held)];
}

std::vector<GpuFigure> compared(const GpuView& v) {
  return {{"clock_MHz", "clock while it works, mean MHz", v.mean_Hz * 1e-6, v.point_Hz * 1e-6},
          {"board_W", "board power, mean W", v.mean_W, v.point_W},
          {"die_degC", "die, mean °C", v.mean_die_K - 273.15, v.point_die_K - 273.15},
          {"board_step_1s_W", "largest change within 1 s, W", v.step_W, v.point_step_W}};
}

std::string gpu_view_text(const GpuView& v) {
  std::string out = fmt::format(
      "job {}, stage {}: row {}, rack {}, server {}, slot {}; iterations of {:.4f} s, air at its package {:.1f} °C\n",
      v.job, v.stage, v.row, v.rack, v.node, v.slot, v.iteration_s, v.air_K - 273.15);
  fmt::format_to(std::back_inserter(out), "{:<34}{:>12}{:>12}\n", "", "sampled", "run");
  for (const auto& f : compared(v))
    fmt::format_to(std::back_inserter(out), "{:<34}{:>12.1f}{:>12.1f}\n", f.title, f.sampled, f.run);
  const auto [low_W, high_W] = std::minmax_element(v.power_W.begin(), v.power_W.end());
  const auto [low_Hz, high_Hz] = std::minmax_element(v.clock_Hz.begin(), v.clock_Hz.end());
  fmt::format_to(std::back_inserter(out), "power {:.0f} to {:.0f} W, clock {:.0f} to {:.0f} MHz; held by", *low_W,
                 *high_W, *low_Hz * 1e-6, *high_Hz * 1e-6);
  for (std::size_t h = 0; h < dvfs::n_held; ++h)
    if (v.held_frac[h] > 0.0)
      fmt::format_to(std::back_inserter(out), " {} {:.1f} %", name_of(static_cast<dvfs::Held>(h)),
                     100.0 * v.held_frac[h]);
  out += std::isfinite(v.board_peak_W)
             ? fmt::format("\nno phase draws more than {:.0f} W, the highest measured power of the board\n",
                           v.board_peak_W)
             : "\nthe board's highest power is not known (governor.edp_peak_ratio): only the sampled limits bound a "
               "phase\n";
  if (!v.fans) return out;
  const auto& f = *v.fans;
  const auto [low_K, high_K] = std::minmax_element(f.die_K.begin(), f.die_K.end());
  if (f.period_s > 0.0)
    fmt::format_to(std::back_inserter(out),
                   "fans of the server cycle between {:.1f} and {:.1f} % each {:.0f} s (mean {:.1f} %): hottest die "
                   "{:.1f} to {:.1f} °C\n",
                   100.0 * f.low_frac, 100.0 * f.high_frac, f.period_s, 100.0 * f.mean_frac, *low_K - 273.15,
                   *high_K - 273.15);
  else
    fmt::format_to(std::back_inserter(out), "fans of the server rest at {:.1f} %: hottest die {:.1f} °C\n",
                   100.0 * f.mean_frac, f.mean_K - 273.15);
  return out;
}

std::string gpu_view_csv(const GpuView& v) {
  std::string out = "time_s,clock_MHz,power_W,shown_W,die_degC,shown_degC,held\n";
  for (std::size_t i = 0; i < v.time_s.size(); ++i)
    fmt::format_to(std::back_inserter(out), "{:.6f},{:.0f},{:.2f},{:.2f},{:.3f},{:.0f},{}\n", v.time_s[i],
                   v.clock_Hz[i] * 1e-6, v.power_W[i], v.shown_W[i], v.die_K[i] - 273.15, v.shown_degC[i],
                   name_of(static_cast<dvfs::Held>(v.held[i])));
  return out;
}

std::string gpu_fans_csv(const GpuView& v) {
  if (!v.fans) return {};
  std::string out = "time_s,fan_percent,hottest_die_degC\n";
  for (std::size_t i = 0; i < v.fans->time_s.size(); ++i)
    fmt::format_to(std::back_inserter(out), "{:.1f},{:.2f},{:.3f}\n", v.fans->time_s[i], 100.0 * v.fans->fan_frac[i],
                   v.fans->die_K[i] - 273.15);
  return out;
}

std::string gpu_view_svg(const GpuView& v) {
  constexpr double width = 1000.0, height = 150.0, gap = 45.0, left = 70.0;
  const std::array<Panel, 3> panels = {
      Panel{"board power, W: true and as its sensor shows it", v.power_W, v.shown_W, v.point_W},
      Panel{"clock, MHz", scaled(v.clock_Hz, 1e-6, 0.0), {}, v.point_Hz * 1e-6},
      Panel{"die, °C: true and as shown", scaled(v.die_K, 1.0, -273.15), v.shown_degC, v.point_die_K - 273.15}};
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" "
      "font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width + left + 20.0, 3.0 * (height + gap) + 50.0);
  fmt::format_to(std::back_inserter(out),
                 "<text x=\"{}\" y=\"18\" font-size=\"14\">job {}, server {}, slot {}: {:.2f} s; dashed: what the run "
                 "uses</text>\n",
                 left, html_text(v.job), v.node, v.slot, v.time_s.back());
  double top = 50.0;
  for (const auto& p : panels) {
    out += panel_svg(p, top, width, height);
    top += height + gap;
  }
  const double end_s = v.time_s.back(), step_s = round_step(end_s / 6.0);
  for (double t = 0.0; t <= end_s; t += step_s)
    fmt::format_to(std::back_inserter(out), "<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"middle\">{:.3g} s</text>\n",
                   left + width * t / end_s, top - gap + 18.0, t);
  return out + "</svg>\n";
}

}  // namespace TIDEWATT_NAMESPACE::sim
