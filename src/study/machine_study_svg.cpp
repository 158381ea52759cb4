#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "machine_study.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

/// Distance between ticks: 1, 2 or 5 times a power of ten, four to eight of them up to `most`.
double tick_step(double most) {
  const double power = std::pow(10.0, std::floor(std::log10(most)));
  for (const double step : {0.1, 0.2, 0.5, 1.0})
    if (most / (step * power) <= 8.0) return step * power;
  return 2.0 * power;
}

/// Rows of labels above the plot, left to right: each below those it would touch, so that no line runs through a text.
std::vector<std::size_t> label_rows(const std::vector<double>& at, double width) {
  std::vector<std::size_t> out;
  for (std::size_t j = 0; j < at.size(); ++j) {
    out.push_back(0);
    for (std::size_t i = 0; i < j; ++i)
      if (at[i] + width > at[j]) out[j] = std::max(out[j], out[i] + 1);
  }
  return out;
}

}  // namespace

std::string sweep_svg(const PeriodSweep& sweep) {
  const auto& period_s = sweep.period_s;
  const auto& modes = sweep.modes;
  std::vector<double> mHz;
  mHz.reserve(sweep.peak_to_peak_Hz.size());
  for (const double Hz : sweep.peak_to_peak_Hz) mHz.push_back(1e3 * Hz);
  const std::string title = fmt::format("{:g} MW square wave at bus {:g} of {}", sweep.options.swing_W * 1e-6,
                                        sweep.bus, sweep.options.grid_case);
  constexpr double left = 70, width = 760, height = 320, row_height = 16, label_width = 58;
  const double lo = std::log10(period_s.front()), hi = std::log10(period_s.back()),
               largest = *std::max_element(mHz.begin(), mHz.end());
  const double step = tick_step(std::max(largest, 1e-9)), most = step * std::ceil(1.02 * largest / step);
  const auto x = [&](double s) { return left + width * (std::log10(s) - lo) / (hi - lo); };
  std::vector<double> marked_s, marked_x;
  for (const auto& m : modes)
    if (const double s = 1.0 / m.frequency_Hz; s >= period_s.front() && s <= period_s.back()) marked_s.push_back(s);
  std::sort(marked_s.begin(), marked_s.end());
  for (const double s : marked_s) marked_x.push_back(std::min(x(s), left + width - label_width));
  const auto rows = label_rows(marked_x, label_width);
  const double n_row = rows.empty() ? 0.0 : 1.0 + static_cast<double>(*std::max_element(rows.begin(), rows.end()));
  const double top = 40.0 + row_height * n_row, bottom = top + height;
  const auto y = [&](double v) { return top + height * (1.0 - v / most); };
  std::string out = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' width='870' height='{0}' font-family='DejaVu Sans, sans-serif' "
      "font-size='13'>"
      "<rect width='870' height='{0}' fill='white'/><text x='{1}' y='24' font-size='15'>{2}</text>",
      bottom + 60.0, left, title);
  for (int k = 0; k <= std::lround(most / step); ++k)
    out += fmt::format(
        "<line x1='{0}' x2='{1}' y1='{2:.1f}' y2='{2:.1f}' stroke='#E3E6EA'/><text x='{3}' y='{4:.1f}' "
        "text-anchor='end'>{5:g}</text>",
        left, left + width, y(k * step), left - 6, y(k * step) + 4, k * step);
  for (const double decade : {0.1, 1.0, 10.0, 100.0})
    for (const double digit : {1.0, 1.5, 2.0, 3.0, 5.0, 7.0})
      if (const double s = decade * digit; s >= period_s.front() * 0.999 && s <= period_s.back() * 1.001)
        out += fmt::format(
            "<line x1='{0:.1f}' x2='{0:.1f}' y1='{1}' y2='{2}' stroke='#E3E6EA'/><text x='{0:.1f}' y='{3}' "
            "text-anchor='middle'>{4:g}</text>",
            x(s), top, bottom, bottom + 18, s);
  for (std::size_t i = 0; i < marked_s.size(); ++i) {
    const double label_y = 40.0 + row_height * (static_cast<double>(rows[i]) + 0.7);
    out += fmt::format(
        "<line x1='{0:.1f}' x2='{0:.1f}' y1='{1:.1f}' y2='{2}' stroke='#D55E00' stroke-dasharray='4 4'/><text "
        "x='{3:.1f}' "
        "y='{1:.1f}' fill='#D55E00'>{4:.2f} Hz</text>",
        x(marked_s[i]), label_y, bottom, marked_x[i] + 3, 1.0 / marked_s[i]);
  }
  out += "<polyline fill='none' stroke='#0072B2' stroke-width='2' points='";
  for (std::size_t i = 0; i < period_s.size(); ++i) out += fmt::format("{:.1f},{:.1f} ", x(period_s[i]), y(mHz[i]));
  out += fmt::format(
      "'/><text x='{}' y='{}' text-anchor='middle'>iteration period (s)</text><text x='18' y='{}' "
      "transform='rotate(-90 "
      "18 {})' text-anchor='middle'>swing of a machine (mHz)</text></svg>\n",
      left + width / 2, bottom + 40, top + height / 2, top + height / 2);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
