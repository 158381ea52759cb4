#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>

#include "base/text.hpp"
#include "grid/grid_play.hpp"
#include "grid/psse_dyr.hpp"
#include "grid/psse_raw.hpp"
#include "grid_rows.hpp"
#include "row_term.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

using namespace grid;

const char* source = "psid_psse";
constexpr double trip_s = 1.0, length_s = 20.0, step_s = 0.005;
constexpr double after_s = trip_s + 0.05;  // both programs have left the jump
constexpr double deg_per_rad = 57.29577951308232;

/// A curve over time: of PSS/E's file, or of a trace.
struct Curve {
  std::vector<double> time_s, value;

  double at(double t_s) const {
    const auto next = std::upper_bound(time_s.begin(), time_s.end(), t_s);
    if (next == time_s.begin() || next == time_s.end()) return next == time_s.end() ? value.back() : value.front();
    const auto k = static_cast<std::size_t>(next - time_s.begin());
    const double share = (t_s - time_s[k - 1]) / (time_s[k] - time_s[k - 1]);
    return value[k - 1] + share * (value[k] - value[k - 1]);
  }
  /// Largest minus smallest value after the jump.
  double swing() const {
    const auto from = std::upper_bound(time_s.begin(), time_s.end(), after_s) - time_s.begin();
    const auto [low, high] = std::minmax_element(value.begin() + from, value.end());
    return *high - *low;
  }
  /// When the value is farthest from its start. @returns s after the trip
  double extremum_s() const {
    std::size_t most = 0;
    for (std::size_t k = 0; k < value.size(); ++k)
      if (std::abs(value[k] - value[0]) > std::abs(value[most] - value[0])) most = k;
    return time_s[most] - trip_s;
  }
};

/// Columns of PSS/E's result, without a header.
std::vector<Curve> columns(const std::filesystem::path& path) {
  std::ifstream in(path);
  if (!in) throw InputError(fmt::format("cannot read {}", path.string()));
  std::vector<Curve> out;
  for (std::string line; std::getline(in, line);) {
    const auto words = split(line, ',');
    std::vector<double> row(words.size());
    for (std::size_t c = 0; c < words.size(); ++c)
      if (!parse_number(words[c], row[c]))
        throw InputError(fmt::format("{}: '{}' is no number", path.string(), words[c]));
    out.resize(words.size());
    for (std::size_t c = 0; c < row.size(); ++c) out[c].time_s.push_back(row[0]), out[c].value.push_back(row[c]);
  }
  return out;
}

/// Records as read; what a machine's inertia and reactance and a governor's droop are worth, the mutation test shows.
std::vector<DyrRecord> records(const std::filesystem::path& dyr) {
  auto out = read_dyr(dyr.string());
  const auto scale = [](std::string& value, const char* name) {
    double x = 0.0;
    if (parse_number(value, x)) value = fmt::format("{}", term(name, x));
  };
  for (DyrRecord& r : out) {
    if (r.model == "GENROU") scale(r.values.at(4), "G16.inertia_s"), scale(r.values.at(7), "G16.xq_pu");
    if (r.model == "TGOV1" || r.model == "GAST" || r.model == "HYGOV") scale(r.values.at(0), "G16.droop_pu");
  }
  return out;
}

GridTrace played(const std::filesystem::path& raw, const std::filesystem::path& dyr, std::int64_t site_bus,
                 const LoadMotion& loads, const GridTrip& trip) {
  GridSystem system(read_raw(raw.string()), records(dyr), site_bus, loads, ShaftInput::power);
  return play(system, {}, {trip}, {length_s, step_s});
}

/// Every n-th value from `first` of a trace's list.
Curve curve_of(const GridTrace& t, const std::vector<double>& list, std::size_t n, std::size_t first, double factor) {
  Curve out{t.time_s, {}};
  for (std::size_t r = 0; r < t.time_s.size(); ++r) out.value.push_back(factor * list[n * r + first]);
  return out;
}

/// One machine beside a stiff bus, with each of its controls: the line that carries most of its power is opened.
void machine_angles(const std::filesystem::path& folder, std::vector<Row>& out) {
  struct Case {
    const char *id, *folder, *dyr, *csv, *what;
    std::size_t column;
  };
  constexpr std::array cases = {
      Case{"genrou-linear", "GENROU", "ThreeBus_GENROU_NO_SAT", "TEST_GENROU_NO_SAT", "GENROU without saturation", 1},
      Case{"genrou", "GENROU", "ThreeBus_GENROU", "TEST_GENROU", "GENROU", 1},
      Case{"tgov1", "TGOV1", "ThreeBus_TGOV1", "TEST_TGOV1", "GENROU, ESAC1A, TGOV1", 1},
      Case{"gast", "GAST", "ThreeBus_GAST", "GAST_TEST", "GENROU, ESAC1A, GAST", 1},
      Case{"hygov", "HYGOV", "ThreeBus_HYGOV", "HYGOV_RESULTS", "GENROU, SEXS, HYGOV", 2}};
  for (const Case& c : cases) {
    const auto below = folder / c.folder;
    const auto t =
        played(below / "ThreeBusMulti.raw", below / (std::string(c.dyr) + ".dyr"), 103, {}, {trip_s, 101, 102, "1"});
    const Curve theirs = columns(below / (std::string(c.csv) + ".csv"))[c.column];
    const Curve ours = curve_of(t, t.angle_rad, t.unit.size(), 1, deg_per_rad);
    const std::string what = fmt::format("{} beside a stiff bus, one line tripped: rotor angle", c.what);
    out.push_back(against(fmt::format("G16/{}-swing", c.id), what + ", largest minus smallest in 20 s", "deg",
                          theirs.swing(), ours.swing(), 0.05, source));
    if (theirs.extremum_s() < 0.9 * (length_s - trip_s))  // else the angle still moves at the end
      out.push_back(against(fmt::format("G16/{}-time", c.id), what + ", when it is farthest from rest", "s",
                            theirs.extremum_s(), ours.extremum_s(), 0.05, source));
  }
}

/// Loads of constant power or current after the same trip.
void load_voltages(const std::filesystem::path& folder, std::vector<Row>& out) {
  for (const bool power : {true, false}) {
    const double constant = term("G16.constant_frac", 1.0);
    const LoadShares shares{power ? constant : 0.0, power ? 0.0 : constant};
    const auto t = played(folder / "ThreeBusMulti.raw", folder / "ThreeBus_GENROU.dyr", 103, {shares, shares, {}},
                          {trip_s, 101, 102, "1"});
    const Curve theirs = columns(folder / (power ? "constantpower.csv" : "constantcurrent.csv"))[1];
    const Curve ours = curve_of(t, t.voltage_pu, 3, 1, 1.0);
    out.push_back(against(fmt::format("G16/load-{}", power ? "power" : "current"),
                          fmt::format("loads of constant {}, one line tripped: voltage, largest minus smallest in 20 s",
                                      power ? "power" : "current"),
                          "pu", theirs.swing(), ours.swing(), 0.05, source));
  }
}

/// Nine units with gas, steam, hydro and converters lose 664 MW of 4,700 MW.
void lost_generation(const std::filesystem::path& folder, std::vector<Row>& out) {
  const auto t = played(folder / "FourBusMulti.raw", folder / "FourBus_multigen.dyr", 104, {}, {trip_s, 102, 0, "SW"});
  const auto theirs = columns(folder / "gen_trip_results.csv");
  const std::size_t n = t.unit.size();
  const std::string what = "nine units with GAST, TGOV1, HYGOV and converters lose 664 MW of 4,700 MW: ";
  for (const double at_s : {2.0, 3.0, 5.0, 10.0, 20.0}) {
    double expected_Hz = 0.0, got_Hz = 0.0, machines = 0.0;
    for (std::size_t u = 0; u < n; ++u) {
      if (!t.machine[u] || !t.connected[u]) continue;
      expected_Hz += t.nominal_Hz * theirs[4 + 5 * u].at(at_s), machines += 1.0;
      got_Hz += curve_of(t, t.speed_Hz, n, u, 1.0).at(at_s);
    }
    out.push_back(against(fmt::format("G16/lost-{:.0f}s", at_s),
                          fmt::format("{}frequency at {:.0f} s, mean of the machines", what, at_s), "Hz",
                          expected_Hz / machines, got_Hz / machines, 0.05, source));
  }
  out.push_back(against("G16/lost-voltage", what + "voltage of the load, largest minus smallest in 20 s", "pu",
                        theirs[52].swing(), curve_of(t, t.voltage_pu, 4, 3, 1.0).swing(), 0.05, source));
}

}  // namespace

std::vector<Row> simulator_rows(const Context& context) {
  const auto folder = context.data / "psse_dynamics";
  if (!std::filesystem::exists(folder))
    return {skipped("G16", "machines, governors and loads after a trip, against PSS/E", source, "no psse_dynamics")};
  std::vector<Row> out;
  machine_angles(folder, out);
  load_voltages(folder / "LOAD", out);
  lost_generation(folder / "MultiGen", out);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::validate
