#include "tidewatt/io/export_comtrade.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "tidewatt/base/error.hpp"

namespace tidewatt::io {
namespace {

struct Scale {
  double a = 1.0, b = 0.0;
  std::int64_t low = 0, high = 0;  ///< stored extremes
};

Scale scale_of(std::span<const double> x, std::int64_t most) {
  double lo = 0.0, hi = 0.0;
  bool any = false;
  for (const double v : x) {
    if (!std::isfinite(v)) continue;
    lo = any ? std::min(lo, v) : v;
    hi = any ? std::max(hi, v) : v;
    any = true;
  }
  // A value read back is a·i + b: a constant channel keeps all its digits in b.
  if (!(hi > lo)) return {1.0, lo, 0, 0};
  return {(hi - lo) / (2.0 * static_cast<double>(most)), 0.5 * (hi + lo), -most, most};
}

/// Days since 1970-01-01 to a date of the proleptic Gregorian calendar (eras of 400 years).
std::string date_time(std::int64_t unix_us) {
  const std::int64_t day_us = 86'400'000'000;
  std::int64_t days = unix_us / day_us, rest = unix_us % day_us;
  if (rest < 0) {
    rest += day_us;
    --days;
  }
  const std::int64_t z = days + 719468, era = (z >= 0 ? z : z - 146096) / 146097, doe = z - era * 146097;
  const std::int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365,
                     doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
  const std::int64_t mp = (5 * doy + 2) / 153, d = doy - (153 * mp + 2) / 5 + 1, m = mp < 10 ? mp + 3 : mp - 9;
  const std::int64_t y = yoe + era * 400 + (m <= 2 ? 1 : 0), s = rest / 1'000'000;
  return fmt::format("{:02}/{:02}/{:04},{:02}:{:02}:{:02}.{:06}", d, m, y, s / 3600, s / 60 % 60, s % 60,
                     rest % 1'000'000);
}

void check(const ComtradeHeader& h, std::span<const ComtradeChannel> channels) {
  std::vector<Finding> findings;
  const auto plain = [&](const std::string& text, const char* key, std::size_t longest) {
    if (text.size() > longest || text.find_first_of(",\r\n") != std::string::npos)
      findings.push_back(
          {{}, key, fmt::format("'{}' must be at most {} characters without comma or line end", text, longest)});
  };
  plain(h.station, "station", 64);
  plain(h.device, "device", 64);
  if (!(h.rate_Hz > 0.0) || !(h.line_Hz > 0.0)) findings.push_back({{}, "rate_Hz", "rates must be positive"});
  if (channels.empty()) findings.push_back({{}, "channel", "a record needs at least one"});
  for (const auto& c : channels) {
    plain(c.id, "channel", 64);
    plain(c.unit, "unit", 32);
    if (c.values.size() != channels[0].values.size()) findings.push_back({{}, c.id, "channels differ in length"});
  }
  if (!channels.empty() && static_cast<double>(channels[0].values.size()) / h.rate_Hz * 1e6 >= 2147483647.0)
    findings.push_back({{}, "rate_Hz", "more than 2,147 s: the time stamp would not fit; export a window"});
  if (!findings.empty()) throw InputError(std::move(findings));
}

template <class Int>
void put(std::vector<char>& out, Int value) {
  const auto u = static_cast<std::make_unsigned_t<Int>>(value);
  for (std::size_t i = 0; i < sizeof(Int); ++i) out.push_back(static_cast<char>((u >> (8 * i)) & 0xffu));
}

}  // namespace

Comtrade comtrade(const ComtradeHeader& h, std::span<const ComtradeChannel> channels, ComtradeFormat format) {
  check(h, channels);
  const bool binary = format == ComtradeFormat::binary;
  const std::int64_t most = binary ? 32767 : 99999;
  const std::size_t n = channels[0].values.size();
  Comtrade out;
  auto cfg = std::back_inserter(out.cfg);
  fmt::format_to(cfg, "{},{},1999\r\n{},{}A,0D\r\n", h.station, h.device, channels.size(), channels.size());
  std::vector<Scale> scale;
  for (std::size_t k = 0; k < channels.size(); ++k) {
    scale.push_back(scale_of(channels[k].values, most));
    fmt::format_to(cfg, "{},{},,,{},{},{},0,{},{},1,1,P\r\n", k + 1, channels[k].id, channels[k].unit, scale[k].a,
                   scale[k].b, scale[k].low, scale[k].high);
  }
  fmt::format_to(cfg, "{:g}\r\n1\r\n{:g},{}\r\n{}\r\n{}\r\n{}\r\n1\r\n", h.line_Hz, h.rate_Hz, n,
                 date_time(h.start_unix_us), date_time(h.start_unix_us + h.trigger_us), binary ? "BINARY" : "ASCII");
  for (std::size_t i = 0; i < n; ++i) {
    const auto stamp_us = std::llround(static_cast<double>(i) / h.rate_Hz * 1e6);
    std::string line;
    if (binary) {
      put(out.dat, static_cast<std::int32_t>(i + 1));
      put(out.dat, static_cast<std::int32_t>(stamp_us));
    } else {
      line = fmt::format("{},{}", i + 1, stamp_us);
    }
    for (std::size_t k = 0; k < channels.size(); ++k) {
      const double x = channels[k].values[i];
      const bool known = std::isfinite(x);
      const std::int64_t stored = known ? std::llround((x - scale[k].b) / scale[k].a) : 0;
      if (binary)
        put(out.dat, static_cast<std::int16_t>(known ? stored : -32768));
      else
        line += known ? fmt::format(",{}", stored) : std::string(",");
    }
    if (!binary) {
      line += "\r\n";
      out.dat.insert(out.dat.end(), line.begin(), line.end());
    }
  }
  return out;
}

}  // namespace tidewatt::io
