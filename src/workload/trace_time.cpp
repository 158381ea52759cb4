#include "trace_time.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <limits>

namespace TIDEWATT_NAMESPACE::workload {
namespace {

constexpr std::int64_t ns_per_s = 1'000'000'000;
constexpr std::int64_t furthest_ns = 4'600'000'000'000'000'000;  // differences of two still fit
constexpr const char* too_far = "is more than 145 years from 1970";

bool digits(std::string_view text, std::int64_t& out) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return false;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), out);
  return status == std::errc() && end == text.data() + text.size();
}

/// ".123" as a share of `unit_ns`; more digits than nanoseconds are an error.
bool fraction(std::string_view text, std::int64_t unit_ns, std::int64_t& out) {
  out = 0;
  if (text.empty()) return true;
  if (text.size() < 2 || text.front() != '.') return false;
  std::int64_t weight = unit_ns;
  for (const char c : text.substr(1)) {
    if (c < '0' || c > '9' || weight % 10 != 0) return false;
    weight /= 10;
    out += weight * (c - '0');
  }
  return true;
}

std::string count(std::string_view text, std::int64_t unit_ns, std::int64_t& out) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const std::size_t point = std::min(text.find('.'), text.size());
  std::int64_t whole = 0, part = 0;
  if (!digits(text.substr(0, point), whole) || !fraction(text.substr(point), unit_ns, part))
    return "is not a decimal number down to the nanosecond";
  if (whole > (std::numeric_limits<std::int64_t>::max() - part) / unit_ns) return too_far;
  out = whole * unit_ns + part;
  if (negative) out = -out;
  return {};
}

/// YYYY-MM-DDThh:mm:ss[.fraction][Z|±hh:mm]; without a zone it is UTC.
std::string iso(std::string_view text, std::int64_t& out) {
  std::string wrong = "is not a time as 2026-01-31T23:59:59.5Z";
  if (text.size() < 19 || text[4] != '-' || text[7] != '-' || (text[10] != 'T' && text[10] != ' ') || text[13] != ':' ||
      text[16] != ':')
    return wrong;
  std::array<std::int64_t, 6> n{};
  constexpr std::array<std::size_t, 6> at = {0, 5, 8, 11, 14, 17};
  for (std::size_t i = 0; i < 6; ++i)
    if (!digits(text.substr(at[i], i == 0 ? 4 : 2), n[i])) return wrong;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(n[0])),
                                         std::chrono::month(static_cast<unsigned>(n[1])),
                                         std::chrono::day(static_cast<unsigned>(n[2]))};
  if (!date.ok() || n[3] > 23 || n[4] > 59 || n[5] > 59 || n[0] < 1830 || n[0] > 2110) return "is no such day or time";
  std::string_view rest = text.substr(19);
  const std::size_t zone = std::min(rest.find_first_of("Z+-"), rest.size());
  std::int64_t part = 0, offset_s = 0, h = 0, m = 0;
  if (!fraction(rest.substr(0, zone), ns_per_s, part)) return wrong;
  rest = rest.substr(zone);
  if (!rest.empty() && rest != "Z") {
    if (rest.size() != 6 || rest[3] != ':' || !digits(rest.substr(1, 2), h) || !digits(rest.substr(4, 2), m) ||
        h > 14 || m > 59)
      return wrong;
    offset_s = (rest[0] == '-' ? -1 : 1) * (h * 3600 + m * 60);
  }
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  out = (days * 86400 + n[3] * 3600 + n[4] * 60 + n[5] - offset_s) * ns_per_s + part;
  return {};
}

}  // namespace

std::string parse_time_ns(std::string_view text, std::string_view format, std::int64_t& out) {
  if (format == "iso8601") return iso(text, out);
  const std::string wrong = count(text,
                                  format == "s"    ? ns_per_s
                                  : format == "ms" ? 1'000'000
                                  : format == "us" ? 1'000
                                                   : 1,
                                  out);
  return wrong.empty() && (out > furthest_ns || out < -furthest_ns) ? too_far : wrong;
}

}  // namespace TIDEWATT_NAMESPACE::workload
