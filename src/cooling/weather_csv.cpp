#include "weather_csv.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>
#include <optional>

#include "base/calendar.hpp"
#include "base/outside_text.hpp"
#include "base/text.hpp"
#include "epw_text.hpp"
#include "tidewatt/cooling/diurnal.hpp"
#include "tidewatt/cooling/psychrometrics.hpp"

namespace TIDEWATT_NAMESPACE::cooling {
namespace {

using epw_text::Findings;
using epw_text::Line;

struct Quantity {
  std::string_view name;
  double scale, offset, lo, hi;  // SI = scale * (file + offset); limits in the file's unit
};
// A column's name is its quantity and unit; another unit is another name, so none is guessed.
constexpr std::array<Quantity, 9> quantities{{{"drybulb_degC", 1.0, 273.15, -70.0, 70.0},
                                              {"drybulb_degF", 5.0 / 9.0, 459.67, -94.0, 158.0},
                                              {"dewpoint_degC", 1.0, 273.15, -90.0, 70.0},
                                              {"dewpoint_degF", 5.0 / 9.0, 459.67, -130.0, 158.0},
                                              {"wetbulb_degC", 1.0, 273.15, -70.0, 70.0},
                                              {"rh_pct", 0.01, 0.0, 0.0, 100.0},
                                              {"rh_frac", 1.0, 0.0, 0.0, 1.0},
                                              {"pressure_Pa", 1.0, 0.0, 31000.0, 120000.0},
                                              {"pressure_hPa", 100.0, 0.0, 310.0, 1200.0}}};

struct Layout {
  std::array<std::optional<std::size_t>, quantities.size()> column;
  std::size_t n_column = 0;
  const std::optional<std::size_t>& of(std::size_t q) const { return column[q]; }
};

Layout read_names(const Line& line, Findings& findings) {
  Layout layout;
  layout.n_column = line.fields.size();
  if (trim(line.fields[0]) != "time")
    findings.add(line.number, 1, "time",
                 fmt::format("the first column is 'time', local standard time as 2024-07-01T13:00{}", other_weather));
  for (std::size_t i = 1; i < line.fields.size(); ++i) {
    bool known = false;
    for (std::size_t q = 0; q < quantities.size(); ++q) {
      if (trim(line.fields[i]) != quantities[q].name) continue;
      known = true;
      if (layout.column[q]) findings.add(line.number, line.column(i), quantities[q].name, "named twice");
      layout.column[q] = i;
    }
    if (!known)
      findings.add(line.number, line.column(i), shorten(trim(line.fields[i]), 30),
                   "unknown column; known: drybulb_degC, drybulb_degF, dewpoint_degC, dewpoint_degF, wetbulb_degC, "
                   "rh_pct, rh_frac, pressure_Pa, pressure_hPa");
  }
  const auto count = [&](std::initializer_list<std::size_t> any) {
    int n = 0;
    for (const auto q : any) n += layout.column[q] ? 1 : 0;
    return n;
  };
  if (count({0, 1}) != 1) findings.add(line.number, 1, "drybulb", "exactly one dry bulb column is needed");
  if (count({2, 3, 4, 5, 6}) != 1)
    findings.add(line.number, 1, "humidity", "exactly one of dew point, wet bulb and relative humidity is needed");
  if (count({7, 8}) > 1) findings.add(line.number, 1, "pressure", "one pressure column at most");
  return layout;
}

// "2024-07-01T13:00" or with a blank; seconds optional. Minutes since 1970.
std::optional<Tick> read_time(std::string_view text) {
  text = trim(text);
  if ((text.size() != 16 && text.size() != 19) || text[4] != '-' || text[7] != '-' ||
      (text[10] != 'T' && text[10] != ' ') || text[13] != ':')
    return std::nullopt;
  const auto number = [&](std::size_t at, std::size_t n) {
    int v = 0;
    for (std::size_t i = at; i < at + n; ++i) {
      if (text[i] < '0' || text[i] > '9') return -1;
      v = 10 * v + (text[i] - '0');
    }
    return v;
  };
  const int y = number(0, 4), m = number(5, 2), d = number(8, 2), h = number(11, 2), min = number(14, 2);
  if (text.size() == 19 && (text[16] != ':' || number(17, 2) != 0)) return std::nullopt;
  if (y < 1900 || y > 2200 || m < 1 || m > 12 || d < 1 || d > calendar::days_in(y, m) || h < 0 || h > 23 || min < 0 ||
      min > 59)
    return std::nullopt;
  return (calendar::days_since_1970(y, m, d) * 24 + h) * 60 + min;
}

// As read_time reads it.
std::string text_of(Tick minutes) {
  const Tick of_day = (minutes % 1440 + 1440) % 1440;
  return fmt::format("{}T{:02}:{:02}", date_text(minutes), of_day / 60, of_day % 60);
}

std::optional<double> value(const Line& line, const Layout& layout, std::size_t q, Findings& findings) {
  if (!layout.of(q)) return std::nullopt;
  const Quantity& is = quantities[q];
  const auto v = line.value(*layout.of(q), std::nan(""), is.lo, is.hi, is.name, findings);
  if (!v) return std::nullopt;
  return is.scale * (*v + is.offset);
}

std::optional<WeatherSample> read_sample(const Line& line, const Layout& layout, double standard_Pa,
                                         Findings& findings) {
  std::array<std::optional<double>, quantities.size()> v;
  bool complete = true;
  for (std::size_t q = 0; q < quantities.size(); ++q) {
    v[q] = value(line, layout, q, findings);
    complete = complete && (v[q] || !layout.of(q));
  }
  if (!complete) return std::nullopt;
  WeatherSample s;
  s.drybulb_K = v[0] ? *v[0] : *v[1];
  s.pressure_Pa = v[7] ? *v[7] : v[8] ? *v[8] : standard_Pa;
  const auto too_moist = [&](std::string_view what) {
    findings.add(line.number, 1, what, "above the dry bulb");
    return std::nullopt;
  };
  if (const auto dew = v[2] ? v[2] : v[3]) {
    if (*dew > s.drybulb_K + 0.05) return too_moist("dew point");
    s.humidity_ratio = humidity_ratio_from_dew_point(std::min(*dew, s.drybulb_K), s.pressure_Pa);
  } else if (v[4]) {
    if (*v[4] > s.drybulb_K + 0.05) return too_moist("wet bulb");
    s.humidity_ratio = humidity_ratio_from_wet_bulb(s.drybulb_K, std::min(*v[4], s.drybulb_K), s.pressure_Pa);
    if (s.humidity_ratio < 0.0) {
      findings.add(line.number, 1, "wetbulb_degC", "no air is as dry as that wet bulb says");
      return std::nullopt;
    }
  } else {
    s.humidity_ratio = humidity_ratio_from_relative_humidity(s.drybulb_K, v[5] ? *v[5] : *v[6], s.pressure_Pa);
  }
  s.wetbulb_K = wet_bulb_K(s.drybulb_K, s.humidity_ratio, s.pressure_Pa);
  return s;
}

}  // namespace

std::string date_text(Tick minute) {
  using namespace std::chrono;
  return calendar::text_of(floor<days>(minutes{minute}).count());
}

CsvWeather parse_csv_weather(std::string_view text, const std::string& file, double altitude_m) {
  Findings findings(file);
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  epw_text::Rows rows(text, 1);
  Line line;
  CsvWeather out;
  out.file = file;
  if (!rows.next(line)) findings.add(1, 1, "", "empty file");
  findings.throw_if_any();
  const Layout layout = read_names(line, findings);
  findings.throw_if_any();
  const double standard_Pa = standard_pressure_Pa(altitude_m);
  std::optional<Tick> first, last;
  Tick step = 0;
  while (rows.next(line)) {
    if (line.fields.size() != layout.n_column) {
      findings.add(line.number, 1, "",
                   fmt::format("{} fields, the header has {}", line.fields.size(), layout.n_column));
      continue;
    }
    const auto now = read_time(line.fields[0]);
    if (!now)
      findings.add(line.number, 1, "time",
                   fmt::format("'{}' is not a time like 2024-07-01T13:00", shorten(trim(line.fields[0]), 25)));
    else {
      if (last && step == 0) step = *now - *last;
      if (last && (*now - *last != step || step <= 0))
        findings.add(line.number, 1, "time",
                     fmt::format("{} min after the line before; the file's step is {} min", *now - *last, step));
      if (!first) first = now;
      last = now;
    }
    if (const auto s = read_sample(line, layout, standard_Pa, findings)) out.knots.push_back(*s);
  }
  if (out.knots.size() < 2) findings.add(line.number, 1, "", "two lines of values at least are needed");
  if (step > 1440) findings.add(line.number, 1, "time", fmt::format("a step of {} min is longer than a day", step));
  findings.throw_if_any();
  out.first_min = *first;
  out.step_min = step;
  if (!layout.of(7) && !layout.of(8))
    out.notes.push_back(fmt::format("no pressure column: standard atmosphere at {} m", altitude_m));
  return out;
}

CsvWeather read_csv_weather(const std::string& path, double altitude_m) {
  return parse_csv_weather(read_text(path, 64u << 20), path, altitude_m);
}

Weather csv_weather(const CsvWeather& file, std::string_view start) {
  if (start.empty()) return csv_weather(file, file.first_min);
  const auto begin = read_time(start);
  if (!begin || *begin < file.first_min || *begin > file.last_min())
    throw InputError(Finding{{file.file, 1, 1},
                             "time",
                             fmt::format("the run starts at '{}', the file reaches from {} to {}: set run.start "
                                         "within it, or weather.day to typical or extreme for a day of the file",
                                         start, text_of(file.first_min), text_of(file.last_min()))});
  return csv_weather(file, *begin);
}

Weather parse_weather_csv(std::string_view text, const std::string& file, double altitude_m, std::string_view start) {
  return csv_weather(parse_csv_weather(text, file, altitude_m), start);
}

}  // namespace TIDEWATT_NAMESPACE::cooling
