#include <fmt/format.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <utility>

#include "base/text.hpp"
#include "grid/flicker.hpp"
#include "grid_rows.hpp"
#include "row_term.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

using grid::FlickerLamp;

struct Point {
  FlickerLamp lamp = FlickerLamp::v230_50Hz;
  double x = 0.0, change_frac = 0.0, expected = 0.0, tolerance = 0.0;
};

// Time that a square wave of `f_Hz` spends high in (0, t).
double high_s(double f_Hz, double t_s) {
  const double cycles = t_s * f_Hz, whole = std::floor(cycles);
  return (whole * 0.5 + std::min(cycles - whole, 0.5)) / f_Hz;
}

double rectangle(double f_Hz, double change_frac, std::int64_t bin) {
  const double t_s = static_cast<double>(bin) * 1e-3, high = (high_s(f_Hz, t_s + 1e-3) - high_s(f_Hz, t_s)) / 1e-3;
  const double up = 1.0 + 0.5 * change_frac, down = 1.0 - 0.5 * change_frac;
  return std::sqrt(high * up * up + (1.0 - high) * down * down);
}

double sine(double f_Hz, double change_frac, std::int64_t bin) {
  const double half = 3.141592653589793 * f_Hz * 1e-3;  // mean over the bin
  return 1.0 + 0.5 * change_frac * std::sin(half * (2.0 * static_cast<double>(bin) + 1.0)) * std::sin(half) / half;
}

using Wave = double (*)(double, double, std::int64_t);

constexpr int fine = 4;  // bins per millisecond; a bin of 1/4 ms at f is a bin of 1 ms at f/4

double sensation(const Point& p, Wave wave) {
  grid::Flickermeter m(p.lamp, 600.0, fine);
  std::vector<double> v(fine * 40'000);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = wave(p.x / fine, p.change_frac, static_cast<std::int64_t>(i));
  m.push(std::span(v).first(v.size() / 2));
  m.forget_max();  // settled
  m.push(std::span(v).subspan(v.size() / 2));
  return m.P_inst_max();
}

double severity(const Point& p) {
  grid::Flickermeter m(p.lamp);
  std::vector<double> v(1'200'000);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = rectangle(p.x / 120.0, p.change_frac, static_cast<std::int64_t>(i));
  m.push(v);
  return m.windows().back().P_st;
}

FlickerLamp lamp_of(const std::string& name) {
  if (name == "230V_50Hz") return FlickerLamp::v230_50Hz;
  if (name == "120V_60Hz") return FlickerLamp::v120_60Hz;
  return name == "120V_50Hz" ? FlickerLamp::v120_50Hz : FlickerLamp::v230_60Hz;
}

struct Worst {
  Point point;
  double got = 0.0;
  int n = 0;
};

// One row per lamp: the point that stands farthest from its listed value.
void table(const Context& context, const char* file, const char* id, const char* what, const char* unit,
           const std::function<double(const Point&)>& meter, std::vector<Row>& out) {
  const auto path = context.data / "flicker_iec61000_4_15" / file;
  if (context.data.empty() || !std::filesystem::exists(path)) {
    out.push_back(skipped(id, what, "iec61000_4_15", "the table of test points is not here"));
    return;
  }
  std::map<std::string, Worst> lamps;
  bool header = true;
  for (const auto& line : split(read_file(path.string(), 1u << 20), '\n')) {
    const auto c = split(line, ',');
    if (c.size() < 5 || std::exchange(header, false)) continue;
    std::array<double, 4> x{};
    for (std::size_t i = 0; i < x.size(); ++i)
      if (!parse_number(trim(c[i + 1]), x[i]))
        throw InputError(fmt::format("{}: '{}' is not a number", file, c[i + 1]));
    const Point p{lamp_of(c[0]), x[0], term("G3.change_frac", x[1] / 100.0), x[2], x[3]};
    const double got = meter(p);
    Worst& w = lamps[c[0]];
    if (w.n++ == 0 || std::abs(got / p.expected - 1.0) > std::abs(w.got / w.point.expected - 1.0))
      w.point = p, w.got = got;
  }
  for (const auto& [lamp, w] : lamps)
    out.push_back(against(fmt::format("{}/{}", id, lamp),
                          fmt::format("{}, lamp {}: worst of {} points, at {} {}", what, lamp, w.n, w.point.x, unit),
                          "", w.point.expected, w.got, w.point.tolerance, "iec61000_4_15"));
}

}  // namespace

std::vector<Row> flicker_rows(const Context& context) {
  std::vector<Row> out;
  table(
      context, "table1_sinusoidal_ed2_2010.csv", "G3/sine", "flickermeter, P_inst of sinusoidal changes", "Hz",
      [](const Point& p) { return sensation(p, sine); }, out);
  table(
      context, "table2_rectangular_ed2_2010.csv", "G3/rectangle", "flickermeter, P_inst of rectangular changes", "Hz",
      [](const Point& p) { return sensation(p, rectangle); }, out);
  table(context, "table5_rectangular_Pst_ed2_2010.csv", "G3/Pst", "flickermeter, P_st of rectangular changes",
        "per minute", severity, out);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::validate
