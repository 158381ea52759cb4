#include "read_comtrade.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <numeric>

#include "base/text.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::io {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30U;

/// The configuration's lines, one after the other, with errors that name the line.
class Lines {
 public:
  Lines(const std::string& text, std::string file) : file_(std::move(file)) {
    for (const auto& line : split(text, '\n')) lines_.emplace_back(trim(line));
  }
  std::vector<std::string> next(std::size_t fewest) {
    if (at_ >= lines_.size()) fail("the file ends here");
    auto fields = split(lines_[at_++], ',');
    for (auto& f : fields) f = std::string(trim(f));
    if (fields.size() < fewest) fail(fmt::format("{} fields where at least {} are needed", fields.size(), fewest));
    return fields;
  }
  bool ended() const { return at_ >= lines_.size() || lines_[at_].empty(); }
  double number(const std::string& text) const {
    double out = 0.0;
    if (!parse_number(text, out)) fail("'" + text + "' is not a number");
    return out;
  }
  std::size_t count(const std::string& text) const {
    const double n = number(text);
    if (!(n >= 0.0) || n > 1e9 || n != std::floor(n)) fail("'" + text + "' is not a count");
    return static_cast<std::size_t>(n);
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(Finding{{file_, static_cast<std::uint32_t>(at_), 1}, "", what});
  }

 private:
  std::string file_;
  std::vector<std::string> lines_;
  std::size_t at_ = 0;
};

struct Header {
  std::size_t n_status = 0;
  bool critical = false;                              ///< times are the stamps'
  std::vector<std::pair<double, std::size_t>> rates;  ///< Hz, last sample
  std::vector<std::pair<double, double>> scale;       ///< a, b
  std::string encoding;
  double time_factor = 1.0;
  bool oldest = false;  ///< 1991: other marks of missing values
};

Header read_header(Lines& in, ComtradeRecord& record) {
  Header h;
  const auto first = in.next(2);
  record.station = first[0];
  h.oldest = first.size() < 3 || first[2] == "1991";
  const auto counts = in.next(3);
  if (counts[1].empty() || counts[2].empty()) in.fail("counts such as 4A and 15D are needed");
  const std::size_t n = in.count(counts[1].substr(0, counts[1].size() - 1));
  h.n_status = in.count(counts[2].substr(0, counts[2].size() - 1));
  for (std::size_t i = 0; i < n; ++i) {
    const auto f = in.next(10);
    record.channels.push_back({f[1], f[2], f[4], {}});
    h.scale.emplace_back(in.number(f[5]), in.number(f[6]));
  }
  for (std::size_t i = 0; i < h.n_status; ++i) in.next(2);
  record.line_Hz = in.number(in.next(1)[0]);
  const std::size_t n_rate = in.count(in.next(1)[0]);
  h.critical = n_rate == 0;
  for (std::size_t i = 0; i < std::max<std::size_t>(n_rate, 1); ++i) {
    const auto f = in.next(2);
    h.rates.emplace_back(in.number(f[0]), in.count(f[1]));
  }
  in.next(1), in.next(1);  // first sample, trigger
  h.encoding = in.next(1)[0];
  std::transform(h.encoding.begin(), h.encoding.end(), h.encoding.begin(),
                 [](unsigned char c) { return static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c); });
  if (!in.ended()) h.time_factor = in.number(in.next(1)[0]);
  if (!(record.line_Hz > 0.0)) in.fail("the line frequency must be positive");
  return h;
}

void store(ComtradeRecord& r, const Header& h, std::size_t k, double x, bool known) {
  r.channels[k].values.push_back(known ? h.scale[k].first * x + h.scale[k].second : missing);
}

void read_ascii(const std::string& data, const Header& h, ComtradeRecord& r, std::vector<double>& stamps) {
  for (const auto& raw : split(data, '\n')) {
    const auto line = trim(raw);
    if (line.empty() || line[0] == '\x1a') continue;
    const auto f = split(line, ',');
    if (f.size() < 2 + r.channels.size())
      throw InputError(fmt::format("COMTRADE data: row {} has {} fields, {} are needed", stamps.size() + 1, f.size(),
                                   2 + r.channels.size()));
    double t = missing;
    parse_number(trim(f[1]), t);
    stamps.push_back(t);
    for (std::size_t k = 0; k < r.channels.size(); ++k) {
      double x = 0.0;
      const bool known = parse_number(trim(f[2 + k]), x);
      store(r, h, k, x, known && (h.oldest || x != 99999.0));
    }
  }
}

template <class T>
T little(const std::string& bytes, std::size_t at) {
  static_assert(std::endian::native == std::endian::little);
  T out{};
  std::memcpy(&out, bytes.data() + at, sizeof out);
  return out;
}

void read_binary(const std::string& data, const Header& h, ComtradeRecord& r, std::vector<double>& stamps) {
  const std::size_t width = h.encoding == "BINARY" ? 2 : 4,
                    row = 8 + r.channels.size() * width + (h.n_status + 15) / 16 * 2;
  if (data.size() < row) throw InputError("COMTRADE data: not even one row");
  for (std::size_t at = 0; at + row <= data.size(); at += row) {
    const auto stamp = little<std::uint32_t>(data, at + 4);
    stamps.push_back(stamp == 0xffffffffu ? missing : static_cast<double>(stamp));
    for (std::size_t k = 0; k < r.channels.size(); ++k) {
      const std::size_t cell = at + 8 + k * width;
      if (h.encoding == "BINARY") {
        const auto x = little<std::int16_t>(data, cell);
        store(r, h, k, x, x != (h.oldest ? -1 : -32768));
      } else if (h.encoding == "BINARY32") {
        const auto x = little<std::int32_t>(data, cell);
        store(r, h, k, x, x != std::numeric_limits<std::int32_t>::min());
      } else {
        const auto x = little<float>(data, cell);
        store(r, h, k, static_cast<double>(x), std::isfinite(x) && x > -3.4e38f);
      }
    }
  }
}

void set_times(const Header& h, const std::vector<double>& stamps, ComtradeRecord& r) {
  bool by_rate = !h.critical && !h.rates.empty() && h.rates.front().first > 0.0;
  double t = 0.0;
  std::size_t rate = 0;
  for (std::size_t i = 0; i < stamps.size(); ++i) {
    if (!by_rate) {
      if (std::isnan(stamps[i]))
        throw InputError(fmt::format("COMTRADE data: sample {} has neither stamp nor rate", i + 1));
      r.time_s.push_back((stamps[i] - stamps[0]) * 1e-6 * h.time_factor);
      continue;
    }
    r.time_s.push_back(t);
    while (rate + 1 < h.rates.size() && i + 1 >= h.rates[rate].second) ++rate;
    t += 1.0 / h.rates[rate].first;
  }
}

/// A section of a combined file, without its header line; empty if it is not there.
std::string section(const std::string& all, const std::string& name, bool to_end) {
  const std::size_t head = all.find("--- file type: " + name);
  if (head == std::string::npos) return {};
  const std::size_t begin = all.find('\n', head);
  if (begin == std::string::npos) return {};
  const std::size_t end = to_end ? std::string::npos : all.find("--- file type:", begin);
  return all.substr(begin + 1, end == std::string::npos ? end : end - begin - 1);
}

std::string data_beside(const std::string& path) {
  const std::filesystem::path stem = std::filesystem::path(path).replace_extension();
  for (const char* ending : {".dat", ".DAT", ".Dat"})
    if (std::filesystem::exists(stem.string() + ending)) return read_file(stem.string() + ending, most_bytes);
  throw InputError(path + ": its .dat file is not beside it");
}

bool is_voltage(const ComtradeSeries& c) {
  return !c.unit.empty() && (c.unit == "V" || c.unit == "v" || c.unit.ends_with("kV") || c.unit.ends_with("KV"));
}

/// ∫v² up to each sample that is not missing; between two of them v² runs straight.
struct SquareIntegral {
  std::vector<double> time_s, square, sum;

  SquareIntegral(const ComtradeRecord& r, const ComtradeSeries& c) {
    for (std::size_t i = 0; i < r.time_s.size(); ++i) {
      if (std::isnan(c.values[i]) || (!time_s.empty() && r.time_s[i] <= time_s.back())) continue;
      const double v2 = c.values[i] * c.values[i];
      sum.push_back(time_s.empty() ? 0.0 : sum.back() + 0.5 * (v2 + square.back()) * (r.time_s[i] - time_s.back()));
      time_s.push_back(r.time_s[i]);
      square.push_back(v2);
    }
  }

  /// @param at index from which to look for `t`, moved on; `t` may not fall from call to call
  double until(double t, std::size_t& at) const {
    while (at + 2 < time_s.size() && time_s[at + 1] <= t) ++at;
    const double dt = std::clamp(t, time_s.front(), time_s.back()) - time_s[at];
    const double slope = (square[at + 1] - square[at]) / (time_s[at + 1] - time_s[at]);
    return sum[at] + dt * (square[at] + 0.5 * dt * slope);
  }
};

/// Rms over the last cycle, in pu of its mean over the record's second cycle, each ms from the first sample on; the first cycle
/// has the value of its end. Empty: no voltage at the start.
std::vector<double> rms_pu(const ComtradeRecord& r, const ComtradeSeries& c) {
  const double cycle_s = 1.0 / r.line_Hz;
  if (r.time_s.back() < 2.0 * cycle_s) throw InputError("COMTRADE: the record is shorter than two cycles");
  const SquareIntegral squares(r, c);
  if (squares.time_s.size() < 2) return {};
  std::vector<double> out;
  std::size_t begin = 0, end = 0;
  for (std::size_t ms = 0; static_cast<double>(ms) * 1e-3 <= r.time_s.back(); ++ms) {
    const double t = std::max(static_cast<double>(ms) * 1e-3, cycle_s);
    out.push_back(std::sqrt(std::max(0.0, squares.until(t, end) - squares.until(t - cycle_s, begin)) / cycle_s));
  }
  const auto n = std::min(out.size(), static_cast<std::size_t>(2.0 * cycle_s * 1e3) + 1);
  const double mean =
      std::accumulate(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(n), 0.0) / static_cast<double>(n);
  if (!(mean > 0.0)) return {};
  for (double& v : out) v /= mean;
  return out;
}

}  // namespace

ComtradeRecord read_comtrade(const std::string& path) {
  const std::string all = read_file(path, most_bytes);
  const bool combined = all.find("--- file type:") != std::string::npos;
  Lines lines(combined ? section(all, "CFG", false) : all, path);
  ComtradeRecord record;
  const Header h = read_header(lines, record);
  const std::string data = combined ? section(all, "DAT", true) : data_beside(path);
  if (h.encoding != "ASCII" && h.encoding != "BINARY" && h.encoding != "BINARY32" && h.encoding != "FLOAT32")
    throw InputError(path + ": data encoding '" + h.encoding + "' is not known");
  std::vector<double> stamps;
  h.encoding == "ASCII" ? read_ascii(data, h, record, stamps) : read_binary(data, h, record, stamps);
  if (stamps.empty()) throw InputError(path + ": the record holds no sample");
  set_times(h, stamps, record);
  return record;
}

std::vector<double> sag_of(const ComtradeRecord& r) {
  for (const auto& c : r.channels)
    if (c.unit == "pu" || c.unit == "p.u.") {
      std::vector<double> out;
      std::size_t i = 0;
      for (double t = 0.0; t <= r.time_s.back() + 1e-9; t += 1e-3) {
        while (i + 1 < r.time_s.size() && r.time_s[i + 1] <= t + 1e-9) ++i;
        out.push_back(c.values[i]);
      }
      return out;
    }
  std::vector<double> lowest;
  int n = 0;
  for (const auto& c : r.channels) {
    if (!is_voltage(c) || n == 3) continue;
    const auto one = rms_pu(r, c);
    if (one.empty()) continue;
    ++n;
    if (lowest.empty()) lowest = one;
    for (std::size_t i = 0; i < std::min(lowest.size(), one.size()); ++i) lowest[i] = std::min(lowest[i], one[i]);
  }
  if (lowest.empty()) throw InputError("COMTRADE: the record holds no voltage (a channel in V, kV or pu)");
  return lowest;
}

}  // namespace TIDEWATT_NAMESPACE::io
