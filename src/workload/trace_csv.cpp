#include "tidewatt/workload/trace_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/outside_text.hpp"
#include "base/text.hpp"
#include "csv_rows.hpp"
#include "trace_time.hpp"

namespace TIDEWATT_NAMESPACE::workload {
namespace {

constexpr std::array<std::string_view, 5> time_formats = {"s", "ms", "us", "ns", "iso8601"};
constexpr std::array<std::string_view, 5> units = {"W", "kW", "MW", "pct", "frac"};
constexpr std::array<std::string_view, 2> holds = {"after", "before"};
constexpr std::array<std::string_view, 2> gap_rules = {"refuse", "hold"};

constexpr std::int64_t longest_ns = 1'000'000'000'000'000'000;

template <std::size_t N>
void one_of(const char* key, const std::string& word, const std::array<std::string_view, N>& known) {
  if (std::find(known.begin(), known.end(), word) == known.end())
    throw InputError(Finding{{}, key, fmt::format("'{}' is not one of {}", word, fmt::join(known, ", "))});
}

void check(const TraceFormat& f) {
  one_of("time_format", f.time_format, time_formats);
  one_of("unit", f.unit, units);
  one_of("sample_holds", f.sample_holds, holds);
  one_of("gap", f.gap, gap_rules);
  if (!(f.gap_s > 0.0)) throw InputError(Finding{{}, "gap_s", fmt::format("a longest pause of {} s", f.gap_s)});
}

double scale_of(const std::string& unit) {
  return unit == "kW" ? 1e3 : unit == "MW" ? 1e6 : unit == "pct" ? 0.01 : 1.0;
}

/// Positions of the wanted columns in a line.
struct Columns {
  std::size_t n = 0, time = 0;
  std::vector<std::size_t> channel;
  bool found = true;
};

std::size_t index_of(CsvRows& rows, const std::vector<CsvField>& header, const std::string& name, bool& found) {
  std::vector<std::string> known;
  std::size_t at = header.size();
  for (std::size_t i = 0; i < header.size(); ++i) {
    known.push_back(header[i].text);
    if (header[i].text != name) continue;
    if (at != header.size()) rows.report(header[i].column, name, "a second column of this name"), found = false;
    at = i;
  }
  if (at != header.size()) return at;
  const std::string close = nearest(name, known);
  rows.report(1, name,
              fmt::format("no such column{}", close.empty() ? "" : fmt::format(" (did you mean '{}'?)", close)));
  found = false;
  return 0;
}

Columns find_columns(CsvRows& rows, const std::vector<CsvField>& header, const TraceFormat& format, Trace& trace) {
  Columns c;
  c.n = header.size();
  c.time = index_of(rows, header, format.time_column, c.found);
  trace.names = format.columns;
  if (trace.names.empty())
    for (std::size_t i = 0; i < header.size(); ++i)
      if (i != c.time) trace.names.push_back(header[i].text);
  if (trace.names.empty()) rows.report(1, "", "no column besides the time"), c.found = false;
  for (const auto& name : trace.names) c.channel.push_back(index_of(rows, header, name, c.found));
  trace.value.resize(trace.names.size());
  return c;
}

void read_values(CsvRows& rows, const std::vector<CsvField>& fields, const Columns& c, double scale, Trace& trace) {
  for (std::size_t k = 0; k < c.channel.size(); ++k) {
    const CsvField& field = fields[c.channel[k]];
    const std::string_view text = trim(field.text);
    double v = 0.0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), v);
    if (status != std::errc() || end != text.data() + text.size() || !std::isfinite(v))
      rows.report(field.column, trace.names[k], fmt::format("'{}' is not a number", shorten(text, 40)));
    else if (const double largest = trace.is_power ? 1e12 : 1.5; v < 0.0 || v * scale > largest)
      rows.report(field.column, trace.names[k], fmt::format("{} is outside 0 to {}", v, largest / scale));
    trace.value[k].push_back(v * scale);
  }
}

/// Segments from the instants of the samples, the open end as long as its neighbour.
void make_edges(const std::vector<std::int64_t>& at, const TraceFormat& format, Trace& trace) {
  const std::size_t n = at.size();
  const bool after = format.sample_holds == "after";
  trace.origin_unix_ns = after ? at[0] : at[0] - (at[1] - at[0]);
  for (const std::int64_t t : at) trace.edges.push_back(t - trace.origin_unix_ns);
  if (after)
    trace.edges.push_back(trace.edges[n - 1] + (at[n - 1] - at[n - 2]));
  else
    trace.edges.insert(trace.edges.begin(), 0);
}

/// The instant of a sample after all before it; false if it cannot be one.
bool read_time(CsvRows& rows, const CsvField& field, const TraceFormat& format, std::vector<std::int64_t>& at) {
  std::int64_t t = 0;
  if (const std::string wrong = parse_time_ns(trim(field.text), format.time_format, t); !wrong.empty()) {
    rows.report(field.column, format.time_column, fmt::format("'{}' {}", shorten(field.text, 40), wrong));
    return false;
  }
  if (!at.empty() && t <= at.back()) {
    rows.report(field.column, format.time_column,
                t == at.back() ? "the same time as the sample before" : "earlier than the sample before");
    return false;
  }
  if (!at.empty() && t - at.front() > longest_ns) {
    rows.report(field.column, format.time_column, "more than 31 years after the first sample");
    return false;
  }
  if (!at.empty() && format.gap == "refuse" && static_cast<double>(t - at.back()) > format.gap_s * 1e9)
    rows.report(field.column, format.time_column,
                fmt::format("{:.9g} s after the sample before; the longest pause is {:.9g} s",
                            static_cast<double>(t - at.back()) * 1e-9, format.gap_s));
  at.push_back(t);
  return true;
}

}  // namespace

void TraceFormat::fields(FieldVisitor& v) {
  v.text("time_column", time_column, "header of the column of times");
  v.choice("time_format", time_format, time_formats, "how times are written");
  v.texts("columns", columns, "headers of the channels, none = all others", Need::optional);
  v.choice("unit", unit, units, "unit of the channels");
  v.choice("sample_holds", sample_holds, holds, "whether a sample is the mean before or after its time",
           Need::optional);
  v.number("gap_s", gap_s, {1e-9, 1e9}, "longest accepted gap between samples");
  v.choice("gap", gap, gap_rules, "treatment of longer gaps", Need::optional);
}

Trace parse_trace(std::string_view text, const std::string& file, const TraceFormat& format) {
  check(format);
  CsvRows rows(text, file);
  std::vector<CsvField> fields;
  Trace trace;
  trace.is_power = format.unit != "pct" && format.unit != "frac";
  if (!rows.next(fields)) rows.report(0, "", "no header line");
  rows.finish();
  const Columns columns = find_columns(rows, fields, format, trace);
  if (!columns.found) rows.finish();
  std::vector<std::int64_t> at;
  while (rows.next(fields)) {
    if (fields.size() != columns.n)
      rows.report(1, "", fmt::format("{} fields under a header of {}", fields.size(), columns.n));
    else if (read_time(rows, fields[columns.time], format, at))
      read_values(rows, fields, columns, scale_of(format.unit), trace);
  }
  if (at.size() < 2) rows.report(0, "", "fewer than two samples");
  rows.finish();
  make_edges(at, format, trace);
  for (std::size_t i = 1; i < at.size(); ++i)
    if (static_cast<double>(at[i] - at[i - 1]) > format.gap_s * 1e9)
      trace.gaps.push_back({at[i - 1] - trace.origin_unix_ns, at[i] - trace.origin_unix_ns});
  return trace;
}

Trace read_trace(const std::string& path, const TraceFormat& format) {
  return parse_trace(read_text(path, 256u << 20), path, format);
}

}  // namespace TIDEWATT_NAMESPACE::workload
