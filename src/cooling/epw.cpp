#include "epw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>

#include "base/calendar.hpp"
#include "base/outside_text.hpp"
#include "base/text.hpp"
#include "epw_text.hpp"
#include "tidewatt/cooling/psychrometrics.hpp"

namespace TIDEWATT_NAMESPACE::cooling {
namespace {

using epw_text::Findings;
using epw_text::Line;
using Column = std::vector<std::optional<double>>;

constexpr std::size_t longest_gap_h = 6, fewest_fields = 10, most_fields = 35;

struct Columns {
  Column drybulb_degC, dewpoint_degC, rh_pct, pressure_Pa;
  std::vector<std::size_t> line;  // of each hour, for messages
};

// The record after (month, day, hour, part); 29 February only where the file has it.
bool follows(const EpwHour& a, const EpwHour& b, int per_hour) {
  if (a.part < per_hour) return b.month == a.month && b.day == a.day && b.hour == a.hour && b.part == a.part + 1;
  if (b.part != 1) return false;
  if (a.hour < 24) return b.month == a.month && b.day == a.day && b.hour == a.hour + 1;
  if (b.hour != 1) return false;
  if (b.month == a.month && b.day == a.day + 1) return true;
  const int last = calendar::days_in(calendar::leap_year, a.month);
  const bool month_over = a.day == last || (a.month == 2 && a.day == 28);
  return month_over && b.day == 1 && b.month == a.month % 12 + 1;
}

std::optional<EpwHour> read_stamp(const Line& line, int per_hour, Findings& findings) {
  const auto year = line.integer(0, 0, 9999, "year", findings), month = line.integer(1, 1, 12, "month", findings);
  const auto day = line.integer(2, 1, 31, "day", findings), hour = line.integer(3, 1, 24, "hour", findings);
  const auto minute = line.integer(4, 0, 60, "minute", findings);
  if (!year || !month || !day || !hour || !minute) return std::nullopt;
  // Hourly files carry 0, 30 or 60 here and mean the hour; finer ones stamp the end of each interval.
  const int step_min = 60 / per_hour;
  if (per_hour > 1 && (*minute == 0 || *minute % step_min != 0)) {
    findings.add(line.number, line.column(4), "minute",
                 fmt::format("{} is not the end of an interval of {} minutes", *minute, step_min));
    return std::nullopt;
  }
  if (*day > calendar::days_in(calendar::leap_year, *month)) {
    findings.add(line.number, line.column(2), "day", fmt::format("month {} has no day {}", *month, *day));
    return std::nullopt;
  }
  return EpwHour{*month, *day, *hour, per_hour > 1 ? *minute / step_min : 1, {}, *year};
}

/// @param n_field of the first record
void read_row(const Line& line, std::size_t n_field, EpwYear& year, Columns& columns, Findings& findings) {
  const std::size_t n = line.fields.size();
  if (n < fewest_fields || n > most_fields)
    return findings.add(line.number, 1, "",
                        fmt::format("{} fields, an hour has {} to {}", n, fewest_fields, most_fields));
  if (n != n_field)
    return findings.add(line.number, 1, "", fmt::format("{} fields, the first hour has {}", n, n_field));
  const auto stamp = read_stamp(line, year.per_hour, findings);
  for (std::size_t i = fewest_fields; i < n; ++i) line.check_number_or_empty(i, findings);
  if (!stamp) return;
  if (!year.hours.empty() && !follows(year.hours.back(), *stamp, year.per_hour)) {
    const EpwHour& last = year.hours.back();
    const auto part = [&](const EpwHour& h) {
      return year.per_hour > 1 ? fmt::format(" minute {}", h.part * 60 / year.per_hour) : std::string();
    };
    findings.add(line.number, line.column(1), "hour",
                 fmt::format("month {} day {} hour {}{} does not follow month {} day {} hour {}{}", stamp->month,
                             stamp->day, stamp->hour, part(*stamp), last.month, last.day, last.hour, part(last)));
  }
  year.hours.push_back(*stamp);
  columns.line.push_back(line.number);
  columns.drybulb_degC.push_back(line.value(6, 99.9, -70.0, 70.0, "dry bulb (degC)", findings));
  columns.dewpoint_degC.push_back(line.value(7, 99.9, -90.0, 70.0, "dew point (degC)", findings));
  columns.rh_pct.push_back(line.value(8, 999.0, 0.0, 110.0, "relative humidity (%)", findings));
  columns.pressure_Pa.push_back(line.value(9, 999999.0, 31000.0, 120000.0, "pressure (Pa)", findings));
}

// Joins the ends of each gap by a straight line; a whole year is a ring, a part has ends.
void fill_gaps(Column& column, bool ring, const std::vector<std::size_t>& line, std::string_view what, EpwYear& year,
               Findings& findings) {
  const std::size_t n = column.size(), longest_gap = longest_gap_h * static_cast<std::size_t>(year.per_hour);
  const auto known = std::find_if(column.begin(), column.end(), [](const auto& v) { return v.has_value(); });
  if (known == column.end()) {
    if (n > 0) findings.add(line[0], 1, what, "missing in every hour");
    return;
  }
  const std::size_t first = static_cast<std::size_t>(known - column.begin());
  std::size_t filled = 0;
  for (std::size_t k = 1; k < n; ++k) {  // walk the ring from a known value
    const std::size_t begin = (first + k) % n;
    if (column[begin]) continue;
    std::size_t length = 1;
    while (!column[(begin + length) % n]) ++length;
    const bool over_the_end = begin + length >= n || begin == 0;
    if (length > longest_gap || (over_the_end && !ring)) {
      findings.add(line[begin], 1, what,
                   length > longest_gap ? fmt::format("missing for {:g} hours, more than {} cannot be filled",
                                                      static_cast<double>(length) / year.per_hour, longest_gap_h)
                                        : "missing at an end of the data");
      k += length - 1;
      continue;
    }
    const double left = *column[(begin + n - 1) % n], right = *column[(begin + length) % n];
    for (std::size_t j = 0; j < length; ++j)
      column[(begin + j) % n] = left + (right - left) * static_cast<double>(j + 1) / static_cast<double>(length + 1);
    filled += length;
    k += length - 1;
  }
  if (filled > 0) year.notes.push_back(fmt::format("{}: {} missing hours filled along straight lines", what, filled));
}

// Humidity as one column of dew points, from the relative humidity where the dew point is missing.
void complete_dew_points(Columns& c, EpwYear& year) {
  std::size_t from_rh = 0;
  for (std::size_t i = 0; i < c.line.size(); ++i) {
    if (c.dewpoint_degC[i] || !c.rh_pct[i] || !c.drybulb_degC[i] || *c.rh_pct[i] < 0.1) continue;
    const double vapour = *c.rh_pct[i] / 100.0 * saturation_pressure_Pa(*c.drybulb_degC[i] + zero_celsius_K);
    c.dewpoint_degC[i] = dew_point_K(vapour) - zero_celsius_K;
    ++from_rh;
  }
  if (from_rh > 0)
    year.notes.push_back(fmt::format("dew point: {} missing hours taken from the relative humidity", from_rh));
}

void combine(const Columns& c, EpwYear& year, Findings& findings) {
  std::size_t held = 0;
  for (std::size_t i = 0; i < year.hours.size(); ++i) {
    const double drybulb = *c.drybulb_degC[i] + zero_celsius_K, pressure = *c.pressure_Pa[i];
    double dewpoint = *c.dewpoint_degC[i] + zero_celsius_K;
    if (dewpoint > drybulb + 1.0)
      findings.add(c.line[i], 1, "dew point (degC)",
                   fmt::format("{} is above the dry bulb of {}", *c.dewpoint_degC[i], *c.drybulb_degC[i]));
    if (dewpoint > drybulb) {
      dewpoint = drybulb;
      ++held;
    }
    const double humidity = humidity_ratio_from_dew_point(dewpoint, pressure);
    year.hours[i].air = {drybulb, humidity, wet_bulb_K(drybulb, humidity, pressure), pressure};
  }
  if (held > 0) year.notes.push_back(fmt::format("dew point: {} hours above the dry bulb taken as saturated", held));
}

}  // namespace

EpwYear parse_epw(std::string_view text, const std::string& file) {
  Findings findings(file);
  EpwYear year;
  const auto period = epw_text::read_header(text, year, findings);
  Columns columns;
  if (period) {
    year.per_hour = period->per_hour;
    Line line;
    std::size_t n_field = 0;
    for (epw_text::Rows rows(text, 9); rows.next(line);) {
      if (line.fields.size() == most_fields + 1 && line.fields.back().empty()) line.fields.pop_back();
      if (n_field == 0) n_field = line.fields.size();
      read_row(line, n_field, year, columns, findings);
    }
    epw_text::check_period(*period, year, findings, columns.line.empty() ? 9 : columns.line.back() + 1);
  }
  findings.throw_if_any();
  complete_dew_points(columns, year);
  fill_gaps(columns.drybulb_degC, year.whole_year, columns.line, "dry bulb (degC)", year, findings);
  fill_gaps(columns.dewpoint_degC, year.whole_year, columns.line, "dew point (degC)", year, findings);
  fill_gaps(columns.pressure_Pa, year.whole_year, columns.line, "pressure (Pa)", year, findings);
  findings.throw_if_any();
  combine(columns, year, findings);
  findings.throw_if_any();
  return year;
}

EpwYear read_epw(const std::string& path) { return parse_epw(read_text(path, 64u << 20), path); }

bool is_epw(const std::string& path) {
  std::string begin(16, '\0');
  std::ifstream(path, std::ios::binary).read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return path.ends_with(".epw") || begin.starts_with("LOCATION,") || begin.starts_with("\xEF\xBB\xBFLOCATION,");
}

}  // namespace TIDEWATT_NAMESPACE::cooling
