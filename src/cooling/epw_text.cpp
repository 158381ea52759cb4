#include "epw_text.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace TIDEWATT_NAMESPACE::cooling::epw_text {
namespace {

constexpr std::size_t max_findings = 20;
constexpr std::array<std::string_view, 8> header_words{"LOCATION",
                                                       "DESIGN CONDITIONS",
                                                       "TYPICAL/EXTREME PERIODS",
                                                       "GROUND TEMPERATURES",
                                                       "HOLIDAYS/DAYLIGHT SAVING",
                                                       "COMMENTS 1",
                                                       "COMMENTS 2",
                                                       "DATA PERIODS"};

void cut(Line& line) {
  line.fields.clear();
  std::size_t begin = 0;
  for (;;) {
    const auto end = line.text.find(',', begin);
    line.fields.push_back(line.text.substr(begin, end == std::string_view::npos ? end : end - begin));
    if (end == std::string_view::npos) return;
    begin = end + 1;
  }
}

bool finite_number(std::string_view text, double& out) { return parse_number(text, out) && std::isfinite(out); }

void read_location(const Line& line, EpwYear& year, Findings& findings) {
  if (line.fields.size() < 10)
    return findings.add(line.number, 1, "LOCATION", fmt::format("{} fields, a location has 10", line.fields.size()));
  const double none = std::nan("");  // no code for "missing" here
  const auto latitude = line.value(6, none, -90.0, 90.0, "latitude (deg)", findings);
  const auto longitude = line.value(7, none, -180.0, 180.0, "longitude (deg)", findings);
  const auto zone = line.value(8, none, -12.0, 14.0, "time zone (h)", findings);
  const auto altitude = line.value(9, none, -500.0, 9000.0, "elevation (m)", findings);
  const auto word = [&](std::size_t i) { return printable(trim(line.fields[i])); };
  year.place = fmt::format("{}, {}, {}", word(1), word(2), word(3));
  year.source = fmt::format("{} {}", word(4), word(5));
  year.latitude_deg = latitude.value_or(0.0);
  year.longitude_deg = longitude.value_or(0.0);
  year.utc_offset_s = 3600.0 * zone.value_or(0.0);
  year.altitude_m = altitude.value_or(0.0);
}

// " 1/ 1" or "7/21" or "1/1/2020": month, day; a year behind them is ignored like those of the rows.
std::optional<MonthDay> month_day(const Line& line, std::size_t field, Findings& findings) {
  const auto parts = split(line.fields[field], '/');
  double month = 0.0, day = 0.0;
  if (parts.size() < 2 || parts.size() > 3 || !finite_number(parts[0], month) || !finite_number(parts[1], day) ||
      !(month >= 1 && month <= 12 && day >= 1 && day <= 31) || month != std::floor(month) || day != std::floor(day)) {
    findings.add(line.number, line.column(field), "DATA PERIODS",
                 fmt::format("'{}' is not month/day", shorten(trim(line.fields[field]), 20)));
    return std::nullopt;
  }
  return MonthDay{static_cast<int>(month), static_cast<int>(day)};
}

std::optional<Period> read_period(const Line& line, Findings& findings) {
  if (line.fields.size() != 7)
    return findings.add(line.number, 1, "DATA PERIODS", fmt::format("{} fields, one period has 7", line.fields.size())),
           std::nullopt;
  const auto periods = line.integer(1, 1, 1, "number of periods", findings);
  const auto per_hour = line.integer(2, 1, 60, "records per hour", findings);
  if (per_hour && 60 % *per_hour != 0)
    return findings.add(line.number, line.column(2), "records per hour",
                        fmt::format("{} does not divide an hour into whole minutes", *per_hour)),
           std::nullopt;
  const auto from = month_day(line, 5, findings), to = month_day(line, 6, findings);
  if (!periods || !per_hour || !from || !to) return std::nullopt;
  return Period{*from, *to, *per_hour};
}

}  // namespace

void Findings::add(std::size_t line, std::size_t column, std::string_view key, std::string message) {
  if (findings_.size() == max_findings) {
    ++more_;
    return;
  }
  findings_.push_back({{file_, static_cast<std::uint32_t>(line), static_cast<std::uint32_t>(column)},
                       std::string(key),
                       std::move(message)});
}

void Findings::throw_if_any() {
  if (findings_.empty()) return;
  if (more_ > 0) findings_.push_back({{file_, 0, 0}, "", fmt::format("and {} more", more_)});
  throw InputError(std::move(findings_));
}

std::size_t Line::column(std::size_t field) const {
  return field < fields.size() ? static_cast<std::size_t>(fields[field].data() - text.data()) + 1 : text.size() + 1;
}

std::optional<int> Line::integer(std::size_t field, int lo, int hi, std::string_view what, Findings& findings) const {
  double v = 0.0;
  if (finite_number(fields[field], v) && v == std::floor(v) && v >= lo && v <= hi) return static_cast<int>(v);
  findings.add(number, column(field), what,
               fmt::format("'{}' is not a whole number from {} to {}", shorten(trim(fields[field]), 20), lo, hi));
  return std::nullopt;
}

std::optional<double> Line::value(std::size_t field, double missing, double lo, double hi, std::string_view what,
                                  Findings& findings) const {
  double v = 0.0;
  if (!finite_number(fields[field], v)) {
    findings.add(number, column(field), what, fmt::format("'{}' is not a number", shorten(trim(fields[field]), 20)));
    return std::nullopt;
  }
  if (v == missing) return std::nullopt;
  if (v >= lo && v <= hi) return v;
  findings.add(number, column(field), what, fmt::format("{} is outside {} to {}", v, lo, hi));
  return std::nullopt;
}

void Line::check_number_or_empty(std::size_t field, Findings& findings) const {
  double v = 0.0;
  if (trim(fields[field]).empty() || parse_number(fields[field], v)) return;
  findings.add(number, column(field), fmt::format("field {}", field + 1),
               fmt::format("'{}' is not a number", shorten(trim(fields[field]), 20)));
}

Rows::Rows(std::string_view text, std::size_t first) : rest_(text), number_(first - 1) {
  while (!rest_.empty() && (rest_.back() == '\n' || rest_.back() == '\r' || rest_.back() == ' '))
    rest_.remove_suffix(1);
}

bool Rows::next(Line& line) {
  if (rest_.empty()) return false;
  const auto end = rest_.find('\n');
  line.text = rest_.substr(0, end);
  rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
  if (!line.text.empty() && line.text.back() == '\r') line.text.remove_suffix(1);
  line.number = ++number_;
  cut(line);
  return true;
}

std::optional<Period> read_header(std::string_view& text, EpwYear& year, Findings& findings) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::optional<Period> period;
  for (std::size_t i = 0; i < header_words.size(); ++i) {
    const auto end = text.find('\n');
    Line line;
    line.number = i + 1;
    line.text = text.substr(0, end);
    if (!line.text.empty() && line.text.back() == '\r') line.text.remove_suffix(1);
    if (!line.text.starts_with(header_words[i])) {
      findings.add(
          line.number, 1, "",
          fmt::format("header line {} does not start with {}{}", i + 1, header_words[i], i == 0 ? other_weather : ""));
      return std::nullopt;
    }
    cut(line);
    while (i == 7 && line.fields.size() > 7 && trim(line.fields.back()).empty()) line.fields.pop_back();
    if (i == 0) read_location(line, year, findings);
    if (i == 7) period = read_period(line, findings);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return period;
}

void check_period(const Period& period, EpwYear& year, Findings& findings, std::size_t end_line) {
  if (year.hours.empty()) return findings.add(end_line, 1, "", "no hours after the header");
  const EpwHour &first = year.hours.front(), &last = year.hours.back();
  if (first.month != period.from.month || first.day != period.from.day || first.hour != 1 || first.part != 1)
    findings.add(9, 1, "",
                 fmt::format("the data start at month {} day {} hour {}, announced is month {} day {} hour 1",
                             first.month, first.day, first.hour, period.from.month, period.from.day));
  if (last.month != period.to.month || last.day != period.to.day || last.hour != 24 || last.part != period.per_hour)
    findings.add(end_line, 1, "",
                 fmt::format("the data end at month {} day {} hour {}, announced is month {} day {} hour 24: truncated",
                             last.month, last.day, last.hour, period.to.month, period.to.day));
  const auto per_hour = static_cast<std::size_t>(period.per_hour);
  year.whole_year = year.hours.size() == 8760 * per_hour || year.hours.size() == 8784 * per_hour;
}

}  // namespace TIDEWATT_NAMESPACE::cooling::epw_text
