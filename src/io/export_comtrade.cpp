#include "export_comtrade.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <memory>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::io {
namespace {

constexpr std::int64_t ascii_most = 99'998, binary_most = 32'767;
constexpr double stamp_most = 4294967294.0;  ///< 2^32 − 2: all ones mark a missing stamp

/// A channel's line of the configuration.
struct Scale {
  double a = 1.0, b = 0.0;
  double low = 0.0, high = 0.0;  ///< stored extremes
};

/// Everything that the data need, kept alive by the files that write it.
struct Job {
  ExportRecord record;
  ComtradeRevision revision = ComtradeRevision::r1999;
  ComtradeEncoding encoding = ComtradeEncoding::binary;
  std::vector<Scale> scale;
  std::int64_t time_factor = 1;  ///< stamps count this many µs

  std::int64_t stamp(std::size_t i) const {
    return std::llround(static_cast<double>(i) * record.step_s * 1e6 / static_cast<double>(time_factor));
  }
  std::int64_t stored(std::size_t channel, std::size_t i) const {
    const Scale& s = scale[channel];
    return std::llround((record.channels[channel].values[i] - s.b) / s.a);
  }
};

Scale scale_of(const std::vector<double>& x, ComtradeEncoding encoding) {
  const auto [lo, hi] = std::minmax_element(x.begin(), x.end());
  if (encoding == ComtradeEncoding::float32) return {1.0, 0.0, *lo, *hi};
  if (!(*hi > *lo)) return {1.0, *lo, 0, 0};  // a constant channel keeps all its digits in b
  const auto most = static_cast<double>(encoding == ComtradeEncoding::ascii ? ascii_most : binary_most);
  return {(*hi - *lo) / (2.0 * most), 0.5 * (*hi + *lo), -most, most};
}

void check(const ExportRecord& r, ComtradeRevision revision, ComtradeEncoding encoding) {
  std::vector<Finding> findings;
  const auto plain = [&](const std::string& text, const char* key, std::size_t longest) {
    if (text.size() > longest || text.find_first_of(",\r\n") != std::string::npos)
      findings.push_back(
          {{}, key, fmt::format("'{}' must have at most {} characters and no comma or line end", text, longest)});
  };
  plain(r.station, "station", 64);
  if (!(r.step_s > 0.0) || !(r.line_Hz > 0.0))
    findings.push_back({{}, "step", "step and line frequency must be positive"});
  if (r.n_sample() == 0) findings.push_back({{}, "channel", "a record needs at least one sample"});
  if (static_cast<double>(r.n_sample()) > stamp_most)
    findings.push_back({{}, "length", "more samples than can be numbered; use --length or --step"});
  for (const auto& c : r.channels) {
    plain(c.name, "channel", 64);
    plain(c.unit, "unit", 32);
    if (c.values.size() != r.n_sample()) findings.push_back({{}, c.name, "channels differ in length"});
    for (const double v : c.values)
      if (!std::isfinite(v)) {
        findings.push_back({{}, c.name, "holds a value that is not finite"});
        break;
      }
  }
  if (encoding == ComtradeEncoding::float32 && revision == ComtradeRevision::r1999)
    findings.push_back({{}, "encoding", "float32 exists from the 2013 revision on; use --format comtrade2013"});
  if (!findings.empty()) throw InputError(std::move(findings));
}

const char* word(ComtradeEncoding e) {
  return e == ComtradeEncoding::ascii ? "ASCII" : e == ComtradeEncoding::binary ? "BINARY" : "FLOAT32";
}

std::string configuration(const Job& j) {
  const ExportRecord& r = j.record;
  const bool later = j.revision == ComtradeRevision::r2013;
  std::string out;
  auto to = std::back_inserter(out);
  fmt::format_to(to, "{},tidewatt,{}\r\n{},{}A,0D\r\n", r.station, later ? 2013 : 1999, r.channels.size(),
                 r.channels.size());
  for (std::size_t k = 0; k < r.channels.size(); ++k) {
    const Scale& s = j.scale[k];
    fmt::format_to(to, "{},{},,,{},{},{},0,{},{},1,1,P\r\n", k + 1, r.channels[k].name, r.channels[k].unit, s.a, s.b,
                   s.low, s.high);
  }
  const auto trigger_us = r.start_unix_us + std::llround(r.trigger_s * 1e6);
  fmt::format_to(to, "{:g}\r\n1\r\n{},{}\r\n{}\r\n{}\r\n{}\r\n{}\r\n", r.line_Hz, 1.0 / r.step_s, r.n_sample(),
                 comtrade_stamp(r.start_unix_us), comtrade_stamp(trigger_us), word(j.encoding), j.time_factor);
  // The zone is not known to the run: neither to UTC (x) nor of the place (x). The clock is exact, without leap second.
  if (later) out += "x,x\r\n0,0\r\n";
  return out;
}

std::string header(const ExportRecord& r) {
  std::string out;
  for (const auto& line : r.provenance) out += line + "\r\n";
  return out;
}

void ascii(const Job& j, const Append& to) {
  TextPieces pieces(to);
  for (std::size_t i = 0; i < j.record.n_sample(); ++i) {
    auto row = std::back_inserter(pieces.text());
    fmt::format_to(row, "{},{}", i + 1, j.stamp(i));
    for (std::size_t k = 0; k < j.scale.size(); ++k) fmt::format_to(row, ",{}", j.stored(k, i));
    pieces.text() += "\r\n";
    pieces.row();
  }
  pieces.flush();
}

template <class Int>
void put(std::string& out, Int value) {
  const auto u = static_cast<std::make_unsigned_t<Int>>(value);
  for (std::size_t i = 0; i < sizeof(Int); ++i) out.push_back(static_cast<char>((u >> (8 * i)) & 0xffu));
}

void binary(const Job& j, const Append& to) {
  TextPieces pieces(to);
  for (std::size_t i = 0; i < j.record.n_sample(); ++i) {
    put(pieces.text(), static_cast<std::uint32_t>(i + 1));
    put(pieces.text(), static_cast<std::uint32_t>(j.stamp(i)));
    for (std::size_t k = 0; k < j.scale.size(); ++k) {
      if (j.encoding == ComtradeEncoding::float32)
        put(pieces.text(), std::bit_cast<std::uint32_t>(static_cast<float>(j.record.channels[k].values[i])));
      else
        put(pieces.text(), static_cast<std::int16_t>(j.stored(k, i)));
    }
    pieces.row();
  }
  pieces.flush();
}

void data(const Job& j, const Append& to) { j.encoding == ComtradeEncoding::ascii ? ascii(j, to) : binary(j, to); }

std::size_t row_bytes(const Job& j) { return 8 + j.scale.size() * (j.encoding == ComtradeEncoding::float32 ? 4 : 2); }

/// All parts in one file: configuration, information (none), header, data.
void combined(const Job& j, const Append& to) {
  std::string text = "--- file type: CFG ---\r\n" + configuration(j) +
                     "--- file type: INF ---\r\n\r\n--- file type: HDR ---\r\n" + header(j.record);
  if (j.encoding == ComtradeEncoding::ascii)
    text += "--- file type: DAT ASCII ---\r\n";
  else
    text += fmt::format("--- file type: DAT BINARY: {} ---\r\n", j.record.n_sample() * row_bytes(j));
  to(text);
  data(j, to);
}

}  // namespace

std::vector<ExportFile> comtrade_files(const ExportRecord& record, ComtradeRevision revision,
                                       ComtradeEncoding encoding) {
  check(record, revision, encoding);
  const auto job = std::make_shared<Job>(Job{record, revision, encoding, {}, 1});
  for (const auto& c : record.channels) job->scale.push_back(scale_of(c.values, encoding));
  const double last_us = static_cast<double>(record.n_sample()) * record.step_s * 1e6;
  while (last_us / static_cast<double>(job->time_factor) > stamp_most) job->time_factor *= 10;
  if (revision == ComtradeRevision::r2013)
    return {{record.stem + ".cff", [job](const Append& to) { combined(*job, to); }}};
  return {{record.stem + ".dat", [job](const Append& to) { data(*job, to); }},
          {record.stem + ".hdr", [job](const Append& to) { to(header(job->record)); }},
          {record.stem + ".cfg", [job](const Append& to) { to(configuration(*job)); }}};
}

}  // namespace TIDEWATT_NAMESPACE::io
