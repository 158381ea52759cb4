#include "scenario_grid.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grid/grid_case.hpp"
#include "scenario_recheck.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

std::string listed(const std::vector<grid::PowerNetwork::Bus>& buses) {
  std::string out;
  for (const auto& b : buses) out += fmt::format("{}{}", out.empty() ? "" : ", ", b.number);
  return out;
}

/// The keys of a case beside its catalog entry.
struct CaseKeys {
  std::string name;
  std::int64_t bus = 0;
  std::string window;
  double begin_s = 0.0, length_s = 60.0;
  void fields(FieldVisitor& v) {
    v.text("case", name,
           "power system of several machines that the recorded waveform acts on: kundur_two_area, ieee9, ieee39",
           Need::optional);
    v.integer("case_bus", bus, {0, 1000000},
              "number of the bus where the site connects; 0: the one with the largest load", Need::optional);
    v.text("case_window", window, "recorded window that is played; left out: the first one", Need::optional);
    v.number("case_begin_s", begin_s, {0, 86400}, "where in the window to begin", Need::optional);
    v.number("case_length_s", length_s, {10, 86400},
             "how much of it to play: the full equations take seconds to minutes for a minute", Need::optional);
  }
};

/// Requirements of a case on the rest of the scenario. @param length whether the scenario gives `case_length_s`
void check_grid_case(const Scenario& s, const GridCaseParams& g, bool length, std::vector<Finding>& findings) {
  const auto report = [&](const char* key, std::string message) {
    findings.push_back({{}, std::string("grid.") + key, std::move(message)});
  };
  const grid::PowerNetwork& n = g.system->network;
  if (std::none_of(n.bus.begin(), n.bus.end(), [&](const auto& b) { return static_cast<double>(b.number) == g.bus; }))
    report("case_bus", fmt::format("{} has no bus {:g}; its buses: {}", g.name, g.bus, listed(n.bus)));
  if (n.nominal_Hz != s.frequency.nominal_Hz)
    report("case", fmt::format("{} is a system of {:g} Hz, grid.frequency.nominal_Hz is {:g}", g.name, n.nominal_Hz,
                               s.frequency.nominal_Hz));
  if (s.windows.empty()) return report("case", "needs a recorded window to play ([[record.window]])");
  const auto w = std::find_if(s.windows.begin(), s.windows.end(), [&](const auto& x) { return x.name == g.window; });
  if (w == s.windows.end()) {
    std::string names;
    for (const auto& x : s.windows) names += (names.empty() ? "" : ", ") + x.name;
    return report("case_window", fmt::format("no recorded window '{}'; there are: {}", g.window, names));
  }
  const double within_s = std::min(w->duration_s, s.run.duration_s - w->start_s);
  if (g.begin_s + g.length_s > within_s)
    report(length || g.begin_s == 0.0 ? "case_length_s" : "case_begin_s",
           fmt::format("{:g} s from {:g} s on are more than the {:g} s of window '{}' within the run", g.length_s,
                       g.begin_s, std::max(0.0, within_s), g.window));
}

void check_reserves(const grid::ReserveParams& reserves, std::vector<Finding>& findings) {
  try {
    reserves.check();
  } catch (const InputError& e) {
    for (auto f : e.findings()) f.key = "grid.reserves." + f.key, findings.push_back(std::move(f));
  }
}

}  // namespace

void read_reserves(Reading& reading, TableReader& r, Scenario& s) {
  const std::size_t before = reading.findings.size();
  const auto n = reading.optional_entry(r, "reserves", "frequency_reserves",
                                        "deadband of governors, fast reserve and under-frequency stages of the system; "
                                        "left out: governors without a deadband");
  if (!n || reading.findings.size() > before) return;
  reading.read(*n, "grid.reserves", s.reserves.emplace());
  if (reading.findings.size() == before) check_reserves(*s.reserves, reading.findings);
}

void read_grid_case(Reading& reading, const Node& given, TableReader& r, Scenario& s) {
  auto& findings = reading.findings;
  CaseKeys keys;
  keys.fields(r);
  if (keys.name.empty()) {
    for (const char* key : {"case_bus", "case_window", "case_begin_s", "case_length_s"})
      if (given.find(key) != nullptr)
        findings.push_back(
            {{}, std::string("grid.") + key, "belongs to a power system of several machines: name it as grid.case"});
    return;
  }
  const std::size_t before = findings.size();
  const Node n =
      reading.catalog.resolve(Node{keys.name, given.place}, "grid_case", "grid.case", findings, reading.assumed);
  if (findings.size() > before) return;
  const auto system = std::make_shared<const grid::GridCase>(grid::read_grid_case(n, "grid.case", findings));
  if (findings.size() > before) return;
  const std::int64_t bus = keys.bus != 0 ? keys.bus : system->network.largest_load_bus();
  GridCaseParams g{keys.name, system, static_cast<double>(bus), keys.window, keys.begin_s, keys.length_s};
  if (g.window.empty() && !s.windows.empty()) g.window = s.windows.front().name;
  check_grid_case(s, g, given.find("case_length_s") != nullptr, findings);
  if (findings.size() == before) s.grid_case = std::move(g);
}

void recheck_grid_case(Recheck& c, Scenario& s) {
  c.table("grid.reserves", s.reserves);
  if (s.reserves) check_reserves(*s.reserves, c.findings());
  if (!s.grid_case) return;
  const GridCaseParams& g = *s.grid_case;
  CaseKeys keys{g.name, static_cast<std::int64_t>(g.bus), g.window, g.begin_s, g.length_s}, unset;
  c.table("grid", [&](FieldVisitor& v) { keys.fields(v); }, [&](FieldVisitor& v) { unset.fields(v); });
  check_grid_case(s, g, g.length_s != unset.length_s, c.findings());
}

}  // namespace TIDEWATT_NAMESPACE::sim
