#include "own_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace TIDEWATT_NAMESPACE::validate {
namespace {

constexpr double temperature_K = 5.0, clock_frac = 0.04, gpu_frac = 0.10, node_frac = 0.07;

std::string note_of(const study::ReplayComparison& c, const char* unit) {
  return fmt::format("{} readings; root mean square {:.3g} {}, worst {:+.3g}; a constant would have {:.3g}", c.n_sample,
                     c.rms, unit, c.worst, c.spread);
}

Row relative(const char* quantity, const char* unit, const study::ReplayComparison& c, double tolerance_frac) {
  return against(fmt::format("log/{}{}{}", quantity, c.of == "node" ? "" : "-", c.of == "node" ? "" : c.of),
                 "mean over the log", unit, c.measured_mean, c.predicted_mean, tolerance_frac, "your log",
                 note_of(c, unit));
}

Row kelvins(const char* quantity, const study::ReplayComparison& c) {
  return within_absolute(fmt::format("log/{}-{}", quantity, c.of), "mean over the log", "degC", c.measured_mean,
                         c.predicted_mean, temperature_K, "your log", note_of(c, "K"));
}

double median_step_s(const study::ReplayReport& report) {
  std::map<std::size_t, double> last;
  std::vector<double> steps;
  for (const auto& row : report.rows) {
    if (const auto at = last.find(row.gpu); at != last.end()) steps.push_back(row.time_s - at->second);
    last[row.gpu] = row.time_s;
  }
  if (steps.empty()) return 0.0;
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  return *middle;
}

}  // namespace

OwnLog own_log(const study::ReplayOptions& options) {
  const auto report = study::replay_log(options);
  OwnLog out;
  out.drive = report.drive, out.span_s = report.span_s, out.findings = report.findings;
  out.window_s = options.power_window_s, out.sampling_s = median_step_s(report);
  for (const auto& c : report.temperature) out.rows.push_back(kelvins("temperature", c));
  for (const auto& c : report.memory) out.rows.push_back(kelvins("memory", c));
  for (const auto& c : report.clock) out.rows.push_back(relative("clock", "MHz", c, clock_frac));
  for (const auto& c : report.power) out.rows.push_back(relative("power", "W", c, gpu_frac));
  if (report.node) out.rows.push_back(relative("node", "W", *report.node, node_frac));
  return out;
}

std::string own_log_text(const OwnLog& log) {
  std::string out = fmt::format(
      "the log's {} drives the model; power readings are means over {:.3g} s, temperatures come every {:.3g} s, {:.3g} "
      "h in all\n",
      log.drive, log.window_s, log.sampling_s, log.span_s / 3600.0);
  for (const Row& r : log.rows)
    out += fmt::format("{:<24} {:<5} measured {:>9.4g} model {:>9.4g} {:<5} error {:>8}, allowed {:>6}; {}\n", r.id,
                       name(r.verdict), r.expected_low, r.got, r.unit,
                       r.absolute ? fmt::format("{:+.2f}", r.error) : fmt::format("{:+.1f} %", 100.0 * r.error),
                       r.absolute ? fmt::format("{:.0f}", r.tolerance) : fmt::format("{:.0f} %", 100.0 * r.tolerance),
                       r.note);
  for (const auto& finding : log.findings) out += "note: " + finding + "\n";
  return out;
}

std::string own_log_json(const OwnLog& log) {
  auto list = nlohmann::ordered_json::array();
  for (const Row& r : log.rows)
    list.push_back({{"id", r.id},
                    {"unit", r.unit},
                    {"expected", r.expected_low},
                    {"got", r.got},
                    {"error", r.error},
                    {"tolerance", r.tolerance},
                    {"tolerance_unit", r.absolute ? r.unit : "fraction"},
                    {"pass", r.verdict == Verdict::pass},
                    {"verdict", name(r.verdict)},
                    {"source", r.source},
                    {"note", r.note}});
  return nlohmann::ordered_json{
      {"rows", list},         {"drive", log.drive},      {"window_s", log.window_s}, {"sampling_s", log.sampling_s},
      {"span_s", log.span_s}, {"findings", log.findings}}
      .dump(2);
}

}  // namespace TIDEWATT_NAMESPACE::validate
