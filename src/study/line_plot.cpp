#include "line_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/escape.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

constexpr double left = 72, width = 720, legend_row = 18;

/// Distance between ticks of an axis: 1, 2 or 5 times a power of ten, four to eight of them.
double tick_step(double range) {
  const double power = std::pow(10.0, std::floor(std::log10(range)));
  for (const double step : {0.1, 0.2, 0.5, 1.0})
    if (range / (step * power) <= 8.0) return step * power;
  return 2.0 * power;
}

struct Axis {
  double low = 0.0, high = 1.0;
  bool log = false;
  double share(double v) const {
    return log ? (std::log10(std::max(v, low)) - std::log10(low)) / (std::log10(high) - std::log10(low))
               : (v - low) / (high - low);
  }
};

Axis x_axis(const LinePlot& p) {
  double low = 1e300, high = -1e300;
  for (const auto& l : p.lines)
    for (const double v : l.x)
      if (!p.log_x || v > 0.0) low = std::min(low, v), high = std::max(high, v);
  for (const auto& a : p.areas) low = std::min(low, p.log_x ? std::max(a.x0, low) : a.x0), high = std::max(high, a.x1);
  if (!(low < 1e300)) throw InputError("plot: there is nothing to draw");
  if (!(high > low)) high = low + 1.0;
  return {low, high, p.log_x};
}

Axis y_axis(const LinePlot& p) {
  if (p.y_high > p.y_low) return {p.y_low, p.y_high, false};
  double low = 0.0, high = 0.0;
  for (const auto& l : p.lines)
    for (const double v : l.y) low = std::min(low, v), high = std::max(high, v);
  if (!(high > low)) high = low + 1.0;
  const double step = tick_step(high - low);
  return {step * std::floor(low / step), step * std::ceil(1.02 * high / step), false};
}

/// Points of a line in pixels; per pixel column only its first, smallest and largest where there are many samples.
std::vector<std::pair<double, double>> pixels(const PlotLine& l, const Axis& x, const Axis& y, double top,
                                              double height) {
  std::vector<std::pair<double, double>> all, out;
  for (std::size_t i = 0; i < l.x.size(); ++i)
    if (std::isfinite(l.y[i]))
      all.emplace_back(left + width * x.share(l.x[i]), top + height * (1.0 - std::clamp(y.share(l.y[i]), 0.0, 1.0)));
  if (all.size() < 4 * static_cast<std::size_t>(width)) return all;
  for (std::size_t i = 0; i < all.size();) {
    std::size_t end = i, low = i, high = i;
    const double column = std::floor(all[i].first);
    for (; end < all.size() && std::floor(all[end].first) == column; ++end) {
      if (all[end].second < all[low].second) low = end;
      if (all[end].second > all[high].second) high = end;
    }
    out.push_back(all[std::min(low, high)]);
    if (low != high) out.push_back(all[std::max(low, high)]);
    i = end;
  }
  return out;
}

/// Multiples of a step from the lower to the upper end of an axis; no negative zero.
std::vector<double> steps(const Axis& a) {
  const double step = tick_step(a.high - a.low);
  std::vector<double> out;
  for (auto k = std::llround(std::ceil(a.low / step - 1e-9)); static_cast<double>(k) <= a.high / step + 1e-9; ++k)
    out.push_back(static_cast<double>(k) * step + 0.0);
  return out;
}

std::string ticks(const Axis& x, const Axis& y, double top, double height) {
  std::string out;
  const double bottom = top + height;
  const auto vertical = [&](double v) {
    const double at = left + width * x.share(v);
    out += fmt::format(
        "<line x1='{0:.1f}' x2='{0:.1f}' y1='{1}' y2='{2}' stroke='#E3E6EA'/><text x='{0:.1f}' y='{3}' "
        "text-anchor='middle'>{4:g}</text>",
        at, top, bottom, bottom + 16, v);
  };
  if (x.log) {
    // Within less than two decades, digits between them too.
    const bool short_axis = x.high < 100.0 * x.low;
    const auto last = std::lround(std::floor(std::log10(x.high) + 1e-9));
    for (auto decade = std::lround(std::floor(std::log10(x.low) - 1e-9)); decade <= last; ++decade)
      for (const double digit : {1.0, 2.0, 3.0, 5.0})
        if (const double v = std::pow(10.0, static_cast<double>(decade)) * digit;
            (short_axis || digit == 1.0) && v >= x.low * (1.0 - 1e-9) && v <= x.high * (1.0 + 1e-9))
          vertical(v);
  } else {
    for (const double v : steps(x)) vertical(v);
  }
  for (const double v : steps(y)) {
    const double at = top + height * (1.0 - y.share(v));
    out += fmt::format(
        "<line x1='{0}' x2='{1}' y1='{2:.1f}' y2='{2:.1f}' stroke='#E3E6EA'/><text x='{3}' y='{4:.1f}' "
        "text-anchor='end'>{5:g}</text>",
        left, left + width, at, left - 6, at + 4, v);
  }
  return out;
}

std::string drawn(const PlotLine& l, const Axis& x, const Axis& y, double top, double height) {
  std::string out;
  const auto at = pixels(l, x, y, top, height);
  if (l.points) {
    for (const auto& [px, py] : at)
      out += fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='4' fill='{}'/>", px, py, l.color);
    return out;
  }
  out = fmt::format("<polyline fill='none' stroke='{}' stroke-width='1.5'{} points='", l.color,
                    l.dashed ? " stroke-dasharray='6 4'" : "");
  for (const auto& [px, py] : at) fmt::format_to(std::back_inserter(out), "{:.1f},{:.1f} ", px, py);
  return out + "'/>";
}

}  // namespace

std::string LinePlot::svg() const {
  const Axis x = x_axis(*this), y = y_axis(*this);
  const auto listed =
      static_cast<double>(std::count_if(lines.begin(), lines.end(), [](const auto& l) { return !l.name.empty(); }));
  const double top = 34.0 + legend_row * listed, bottom = top + height;
  std::string out = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 830 {0}' width='830' height='{0}' font-family='DejaVu "
      "Sans, sans-serif' "
      "font-size='12'><rect width='830' height='{0}' fill='white'/>"
      "<text x='{1}' y='20' font-size='14' font-weight='bold'>{2}</text>",
      bottom + 48, left, html_text(title));
  for (const auto& a : areas) {
    const double x0 = left + width * std::clamp(x.share(a.x0), 0.0, 1.0),
                 x1 = left + width * std::clamp(x.share(a.x1), 0.0, 1.0);
    const double y0 = top + height * (1.0 - std::clamp(y.share(a.y1), 0.0, 1.0)),
                 y1 = top + height * (1.0 - std::clamp(y.share(a.y0), 0.0, 1.0));
    out += fmt::format("<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' fill='{}'/>", x0, y0,
                       std::max(0.0, x1 - x0), std::max(0.0, y1 - y0), a.color);
  }
  out += ticks(x, y, top, height);
  double row = 0.0;
  for (const auto& l : lines) {
    out += drawn(l, x, y, top, height);
    if (l.name.empty()) continue;
    const double at = 34.0 + legend_row * row++ + 6.0;
    out += l.points ? fmt::format("<circle cx='{}' cy='{}' r='4' fill='{}'/>", left + 12, at, l.color)
                    : fmt::format("<line x1='{0}' x2='{1}' y1='{2}' y2='{2}' stroke='{3}' stroke-width='2'{4}/>", left,
                                  left + 24, at, l.color, l.dashed ? " stroke-dasharray='6 4'" : "");
    out += fmt::format("<text x='{}' y='{}'>{}</text>", left + 30, at + 4, html_text(l.name));
  }
  return out + fmt::format(
                   "<rect x='{0}' y='{1}' width='{2}' height='{3}' fill='none' stroke='#6B7280'/><text x='{4}' y='{5}' "
                   "text-anchor='middle'>{6}</text>"
                   "<text x='16' y='{7}' transform='rotate(-90 16 {7})' text-anchor='middle'>{8}</text></svg>\n",
                   left, top, width, height, left + width / 2, bottom + 36, html_text(x_label), top + height / 2,
                   html_text(y_label));
}

}  // namespace TIDEWATT_NAMESPACE::study
