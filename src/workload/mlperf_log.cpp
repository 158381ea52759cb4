#include "mlperf_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/outside_text.hpp"
#include "base/text.hpp"
#include "csv_rows.hpp"
#include "tidewatt/workload/trace_csv.hpp"
#include "trace_time.hpp"

namespace TIDEWATT_NAMESPACE::workload {
namespace {

constexpr std::string_view step_key = "train_step_timing in s=";

/// Without a header a line is time, key, value; with one it also has a type before and notes after.
struct Layout {
  std::size_t n = 3, key = 1, type = 3;
};

void read_event(CsvRows& rows, const std::vector<CsvField>& f, const Layout& layout, std::int64_t origin,
                std::vector<MlperfEvent>& out) {
  std::int64_t t = 0;
  if (f.size() != layout.n) return rows.report(1, "", fmt::format("{} fields, expected {}", f.size(), layout.n));
  if (const std::string wrong = parse_time_ns(trim(f[0].text), "ms", t); !wrong.empty())
    return rows.report(1, "time_ms", fmt::format("'{}' {}", shorten(f[0].text, 40), wrong));
  MlperfEvent e;
  e.at = t - origin;
  if (layout.type < layout.n) e.type = f[layout.type].text;
  e.key = f[layout.key].text;
  e.value = f[layout.key + 1].text;
  if (layout.key + 2 < layout.n) e.metadata = f[layout.key + 2].text;
  out.push_back(std::move(e));
}

}  // namespace

std::vector<MlperfEvent> read_mlperf_events(const std::string& events_csv, std::int64_t origin_unix_ns) {
  const std::string text = read_text(events_csv, 64u << 20);
  CsvRows rows(text, events_csv);
  std::vector<CsvField> fields;
  std::vector<MlperfEvent> out;
  Layout layout;
  bool first = true;
  while (rows.next(fields)) {
    const bool header = first && fields.front().text == "time_ms";
    first = false;
    if (!header) {
      read_event(rows, fields, layout, origin_unix_ns, out);
      continue;
    }
    const std::vector<std::string> wanted = {"time_ms", "event_type", "key", "value", "metadata"};
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (i >= fields.size() || fields[i].text != wanted[i]) rows.report(1, wanted[i], "no such column at its place");
    layout = {5, 2, 1};
  }
  if (out.empty()) rows.report(0, "", "no event");
  rows.finish();
  std::stable_sort(out.begin(), out.end(), [](const MlperfEvent& a, const MlperfEvent& b) { return a.at < b.at; });
  return out;
}

Trace read_mlperf_power(const std::string& power_csv, double gap_s) {
  Trace power = read_trace(power_csv, {"time_ms", "ms", {}, "W", "after", gap_s, "hold"});
  for (auto& name : power.names)
    if (name.ends_with("_W")) name.resize(name.size() - 2);
  return power;
}

MlperfLog read_mlperf_log(const std::string& power_csv, const std::string& events_csv, double gap_s) {
  MlperfLog log;
  log.power = read_mlperf_power(power_csv, gap_s);
  log.events = read_mlperf_events(events_csv, log.power.origin_unix_ns);
  return log;
}

std::vector<MlperfLog::Step> MlperfLog::steps() const {
  std::vector<Step> out;
  for (const auto& e : events) {
    const std::string& text = e.value;
    double duration_s = 0.0;
    if (e.key == "tracked_stats" && text.starts_with(step_key) &&
        parse_number(std::string_view(text).substr(step_key.size()), duration_s))
      out.push_back({e.at, duration_s});
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::workload
