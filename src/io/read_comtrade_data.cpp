#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/outside_text.hpp"
#include "base/text.hpp"
#include "read_comtrade_parts.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::io::comtrade {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t most_findings = 20;
constexpr double rate_tolerance_frac = 0.02;  ///< clocks of relays differ by far less, a wrong rate by far more

/// Numbers and stamps of the rows, as written.
struct Rows {
  std::vector<double> number, stamp;  ///< [sample]; NaN: missing
};

void store(ComtradeRecord& r, const Header& h, std::size_t k, double x, bool known) {
  r.channels[k].values.push_back(known ? h.scale[k].first * x + h.scale[k].second : missing);
}

/// A cell's number; an empty one is missing, anything else a finding.
double cell(std::string_view text, const Header& h, const Place& place, std::vector<Finding>& findings) {
  double x = missing;
  if (const auto word = bare(text); !word.empty() && !parse(word, h.separator, x))
    findings.push_back({place, "", fmt::format("'{}' is not a number", shorten(word, 40))});
  return x;
}

void read_row(std::string_view line, const Place& place, const Header& h, ComtradeRecord& r, Rows& rows,
              std::vector<Finding>& findings) {
  auto f = split(line, h.separator);
  const std::size_t needed = 2 + r.channels.size(), most = needed + h.n_status;
  while (f.size() > most && bare(f.back()).empty()) f.pop_back();
  if (f.size() < needed || f.size() > most) {
    findings.push_back({place, "",
                        fmt::format("{} fields, {} are needed{}", f.size(), f.size() > most ? most : needed,
                                    f.size() > most ? ": decimal commas need semicolons between the fields" : "")});
    return;
  }
  rows.number.push_back(cell(f[0], h, place, findings));
  rows.stamp.push_back(cell(f[1], h, place, findings));
  for (std::size_t k = 0; k < r.channels.size(); ++k) {
    const double x = cell(f[2 + k], h, place, findings);
    store(r, h, k, x, !std::isnan(x) && (h.oldest || x != 99999.0));
  }
}

Rows read_ascii(const Data& data, const Header& h, ComtradeRecord& r) {
  Rows rows;
  std::vector<Finding> findings;
  Place place{data.file, 0, 1};
  for (const auto& raw : split(data.bytes, data.bytes.find('\n') == std::string::npos ? '\r' : '\n')) {
    ++place.line;
    if (const auto line = bare(raw); !line.empty()) read_row(line, place, h, r, rows, findings);
    if (findings.size() >= most_findings) break;
  }
  if (!findings.empty()) throw InputError(std::move(findings));
  return rows;
}

template <class T>
T little(const std::string& bytes, std::size_t at) {
  static_assert(std::endian::native == std::endian::little);
  T out{};
  std::memcpy(&out, bytes.data() + at, sizeof out);
  return out;
}

void store_binary(const std::string& bytes, std::size_t at, const Header& h, ComtradeRecord& r, std::size_t k) {
  if (h.encoding == "BINARY") {
    const auto x = little<std::int16_t>(bytes, at);
    store(r, h, k, x, x != (h.oldest ? -1 : -32768));
  } else if (h.encoding == "BINARY32") {
    const auto x = little<std::int32_t>(bytes, at);
    store(r, h, k, x, x != std::numeric_limits<std::int32_t>::min());
  } else {
    const auto x = little<float>(bytes, at);
    store(r, h, k, static_cast<double>(x), std::isfinite(x) && x > -3.4e38f);
  }
}

/// Bytes from the begin that are rows: filling behind them is NUL or 0x1A alone. @param row_B bytes of a row
std::size_t filled_to(const std::string& bytes, std::size_t row_B) {
  std::size_t end = bytes.size();
  while (end > 0 && (bytes[end - 1] == '\0' || bytes[end - 1] == '\x1a')) --end;
  // The last row may end with such bytes itself.
  return std::min(bytes.size(), (end + row_B - 1) / row_B * row_B);
}

Rows read_binary(const Data& data, const Header& h, ComtradeRecord& r) {
  const std::size_t width = h.encoding == "BINARY" ? 2 : 4,
                    row_B = 8 + r.channels.size() * width + (h.n_status + 15) / 16 * 2;
  const std::size_t end = filled_to(data.bytes, row_B);
  if (const std::size_t rest = end % row_B; rest > 0)
    r.notes.push_back(fmt::format("the last {} bytes of the data are no whole sample and are left out", rest));
  Rows rows;
  for (std::size_t at = 0; at + row_B <= end; at += row_B) {
    const auto stamp = little<std::uint32_t>(data.bytes, at + 4);
    rows.number.push_back(little<std::uint32_t>(data.bytes, at));
    rows.stamp.push_back(stamp == 0xffffffffu ? missing : static_cast<double>(stamp));
    for (std::size_t k = 0; k < r.channels.size(); ++k) store_binary(data.bytes, at + 8 + k * width, h, r, k);
  }
  return rows;
}

/// Sample numbers that count up prove that the rows are as long and as many as the header says.
void check_numbers(const Data& data, const Header& h, const Rows& rows, ComtradeRecord& r) {
  const auto& n = rows.number;
  std::size_t jumps = 0, first = 0;
  for (std::size_t i = 1; i < n.size(); ++i)
    if (n[i] - n[i - 1] != 1.0 && !std::isnan(n[i] - n[i - 1])) first = jumps++ == 0 ? i : first;
  const bool counted = std::any_of(n.begin(), n.end(), [&](double x) { return x != n[0]; });
  if (counted && 2 * jumps > n.size())
    throw InputError(
        Finding{{data.file, 0, 0},
                "",
                fmt::format("sample numbers do not count up (sample {} has {:.0f}, the next {:.0f}): channel "
                            "counts or encoding of {} are not those of the data",
                            first, n[first - 1], n[first], h.file)});
  if (counted && jumps > 0)
    r.notes.push_back(
        fmt::format("sample numbers jump {} time{}, first behind sample {}", jumps, jumps > 1 ? "s" : "", first));
  const std::size_t announced = h.rates.back().second;
  if (announced > 0 && announced != n.size())
    r.notes.push_back(fmt::format("the header announces {} samples, the data hold {}", announced, n.size()));
}

/// One rate's samples must take as long by their stamps as by the rate.
void check_rate(const Header& h, const std::vector<double>& stamp, std::size_t rate, std::size_t begin,
                std::size_t end) {
  const double rate_Hz = h.rates[rate].first, n = static_cast<double>(end - begin);
  const double by_rate_s = n / rate_Hz, by_stamp_s = (stamp[end] - stamp[begin]) * h.stamp_s;
  if (!(std::abs(by_stamp_s - by_rate_s) > rate_tolerance_frac * by_rate_s + 2.0 / rate_Hz)) return;
  throw InputError(
      Finding{{h.file, h.rate_line + static_cast<std::uint32_t>(rate), 1},
              "",
              fmt::format("samples {} to {} take {:.4g} s at this line's {:g} Hz and {:.4g} s by their stamps{}: "
                          "correct the rate, or write 0 as number of rates so that the stamps count",
                          begin + 1, end + 1, by_rate_s, rate_Hz, by_stamp_s,
                          by_stamp_s > 0.0 ? fmt::format(" ({:.4g} Hz)", n / by_stamp_s) : "")});
}

void set_times(const Data& data, const Header& h, const std::vector<double>& stamp, ComtradeRecord& r) {
  const bool by_rate = !h.critical && h.rates.front().first > 0.0;
  const bool stamped = std::any_of(stamp.begin(), stamp.end(), [&](double x) { return x > stamp[0]; });
  double t = 0.0;
  std::size_t rate = 0, begin = 0;
  for (std::size_t i = 0; i < stamp.size(); ++i) {
    if (!by_rate) {
      if (std::isnan(stamp[i]) || (i > 0 && stamp[i] < stamp[i - 1]))
        throw InputError(Finding{{data.file, 0, 0},
                                 "",
                                 fmt::format("sample {}: {}", i + 1,
                                             std::isnan(stamp[i]) ? "neither stamp nor rate"
                                                                  : "its stamp is before that of the sample before")});
      r.time_s.push_back((stamp[i] - stamp[0]) * h.stamp_s);
      continue;
    }
    r.time_s.push_back(t);
    const bool next = rate + 1 < h.rates.size() && i + 1 >= h.rates[rate].second;
    if (stamped && (next || i + 1 == stamp.size())) check_rate(h, stamp, rate, begin, i), begin = i;
    while (rate + 1 < h.rates.size() && i + 1 >= h.rates[rate].second) ++rate;
    t += 1.0 / h.rates[rate].first;
  }
}

}  // namespace

bool parse(std::string_view text, char separator, double& out) {
  if (parse_number(text, out)) return true;
  std::string with_point(text);
  std::replace(with_point.begin(), with_point.end(), ',', '.');
  return separator == ';' && parse_number(with_point, out);
}

void read_data(const Data& data, const Header& h, ComtradeRecord& record) {
  const Rows rows = h.encoding == "ASCII" ? read_ascii(data, h, record) : read_binary(data, h, record);
  if (rows.stamp.empty()) throw InputError(Finding{{data.file, 0, 0}, "", "the record holds no sample"});
  check_numbers(data, h, rows, record);
  set_times(data, h, rows.stamp, record);
}

}  // namespace TIDEWATT_NAMESPACE::io::comtrade
