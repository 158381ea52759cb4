#include "scenario_grid.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tidewatt::sim {
namespace {

std::string listed(const std::vector<double>& numbers) {
  std::string out;
  for (const double n : numbers) out += fmt::format("{}{:g}", out.empty() ? "" : ", ", n);
  return out;
}

}  // namespace

void read_grid_case(Reading& reading, const Node& given, TableReader& r, Scenario& s) {
  auto& findings = reading.findings;
  GridCaseParams g;
  std::int64_t bus = 0;
  g.length_s = 60.0;
  r.text("case", g.name, "power system of several machines that the recorded waveform acts on: kundur_two_area, ieee9, ieee39", Need::optional);
  r.integer("case_bus", bus, {0, 1000000}, "number of the bus where the site connects; 0: the one with the largest load", Need::optional);
  r.text("case_window", g.window, "recorded window that is played; left out: the first one", Need::optional);
  r.number("case_begin_s", g.begin_s, {0, 86400}, "where in the window to begin", Need::optional);
  r.number("case_length_s", g.length_s, {10, 86400}, "how much of it to play: the full equations take seconds to minutes for a minute", Need::optional);
  const auto report = [&](const char* key, std::string message) { findings.push_back({given.place, std::string("grid.") + key, std::move(message)}); };
  if (g.name.empty()) {
    for (const char* key : {"case_bus", "case_window", "case_begin_s", "case_length_s"})
      if (given.find(key) != nullptr) report(key, "belongs to a power system of several machines: name it as grid.case");
    return;
  }
  const std::size_t before = findings.size();
  const Node n = reading.catalog.resolve(Node{g.name, given.place}, "grid_case", "grid.case", findings, reading.assumed);
  if (findings.size() > before) return;
  g.system = grid::read_machine_case(n, "grid.case", findings);
  if (findings.size() > before) return;
  const auto& number = g.system.bus.number;
  const auto& load_W = g.system.bus.load_W;
  if (bus == 0) g.bus = number[static_cast<std::size_t>(std::max_element(load_W.begin(), load_W.end()) - load_W.begin())];
  else g.bus = static_cast<double>(bus);
  if (std::find(number.begin(), number.end(), g.bus) == number.end()) report("case_bus", fmt::format("{} has no bus {}; its buses: {}", g.name, bus, listed(number)));
  if (g.system.nominal_Hz != s.frequency.nominal_Hz)
    report("case", fmt::format("{} is a system of {:g} Hz, grid.frequency.nominal_Hz is {:g}", g.name, g.system.nominal_Hz, s.frequency.nominal_Hz));
  if (s.windows.empty()) return report("case", "needs a recorded window to play ([[record.window]])");
  if (g.window.empty()) g.window = s.windows.front().name;
  const auto w = std::find_if(s.windows.begin(), s.windows.end(), [&](const auto& x) { return x.name == g.window; });
  if (w == s.windows.end()) {
    std::string names;
    for (const auto& x : s.windows) names += (names.empty() ? "" : ", ") + x.name;
    return report("case_window", fmt::format("no recorded window '{}'; there are: {}", g.window, names));
  }
  const double within_s = std::min(w->duration_s, s.run.duration_s - w->start_s);
  if (g.begin_s + g.length_s > within_s)
    report(given.find("case_length_s") != nullptr || g.begin_s == 0.0 ? "case_length_s" : "case_begin_s",
           fmt::format("{:g} s from {:g} s on are more than the {:g} s of window '{}' within the run", g.length_s, g.begin_s, std::max(0.0, within_s), g.window));
  s.grid_case = std::move(g);
}

}  // namespace tidewatt::sim
