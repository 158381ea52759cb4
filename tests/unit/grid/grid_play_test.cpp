#include "grid/grid_play.hpp"

#include <fstream>
#include <sstream>

#include "network_case.hpp"
#include "shared_data.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

namespace {

struct Case {
  const char* name;
  std::int64_t bus;
  double loss_W;
};
const Case cases[] = {
    {"kundur_two_area", 7, 10.6e6}, {"kundur_two_area", 7, 200e6}, {"ieee39", 20, 10.6e6}, {"ieee39", 39, 1000e6}};

/// A curve of another program: rows of numbers.
std::vector<std::vector<double>> table(const std::filesystem::path& path) {
  std::vector<std::vector<double>> out;
  std::ifstream in(path);
  for (std::string line, word; std::getline(in, line);) {
    std::vector<double> row;
    for (std::istringstream s(line); std::getline(s, word, ',');) row.push_back(std::stod(word));
    out.push_back(row);
  }
  return out;
}

/// Largest difference from a curve, away from the jump at 1 s. @param value of a row of the trace
template <class Value>
double apart(const GridTrace& t, const std::vector<std::vector<double>>& other, std::size_t column, Value value) {
  double out = 0.0;
  std::size_t r = 0;
  for (const auto& row : other) {
    while (r + 2 < t.time_s.size() && t.time_s[r + 1] < row[0]) ++r;
    if (std::abs(row[0] - 1.0) < 0.02) continue;
    const double share = t.time_s[r + 1] > t.time_s[r]
                             ? std::clamp((row[0] - t.time_s[r]) / (t.time_s[r + 1] - t.time_s[r]), 0.0, 1.0)
                             : 1.0;
    out = std::max(out, std::abs((1.0 - share) * value(r) + share * value(r + 1) - row[column]));
  }
  return out;
}

}  // namespace

TEST_CASE("load lost: nothing moves before, everything rises, at f0 dP/(2 sum HS); load gained is the mirror") {
  for (const auto& c : cases)
    for (const double sign : {-1.0, 1.0}) {
      auto s = shipped_network(c.name, c.bus);
      const auto t = play(s, {{1.0, 0.0}, {1.0, sign * c.loss_W}}, {}, {6.0, 0.005});
      const auto a = grid_answer(t, 1.0);
      CAPTURE(c.name, c.loss_W, sign);
      CHECK(a.before_Hz < 1e-9);
      CHECK(a.rocof_Hz_per_s == Approx(a.expected_rocof_Hz_per_s).epsilon(0.01));
      CHECK(-sign * a.rocof_Hz_per_s > 0.0);
      CHECK(-sign * a.first_mean_Hz > 0.0);
      for (std::size_t u = 0; u < t.unit.size(); ++u) CHECK(-sign * a.machine_first_Hz[u] > 0.0);
    }
}

TEST_CASE("governors settle the frequency at droop: f0 dP/(sum S/R), losses and voltage aside") {
  // One machine and its load beside a stiff line that is opened: P/(S/R).
  const std::string one =
      "1 'GENCLS' 1 4 0 /\n2 'GENROU' 1 8 0.03 0.4 0.05 6.5 0 1.8 1.7 0.3 0.55 0.25 0.2 0 0 /\n2 'SEXS' 1 1 10 200 "
      "0.05 -5 5 /\n2 'TGOV1' 1 0.05 0.2 1.2 0 0 0.5 0 /";
  auto s = system_of(two_buses(50, 50), one, {{1, 0}, {1, 0}, {1, 0}}, ShaftInput::torque);
  const auto t = play(s, {{1.0, 0.0}, {1.0, 5e6}}, {}, {60.0, 0.005});
  CHECK(grid_answer(t, 1.0).settled_Hz == Approx(-60.0 * 0.05 * 0.05).epsilon(5e-3));
}

TEST_CASE("a ramp moves the frequency later and less than a step, to the same end") {
  auto step = shipped_network("kundur_two_area", 7), ramp = shipped_network("kundur_two_area", 7);
  const auto a = play(step, {{1.0, 0.0}, {1.0, -100e6}}, {}, {90.0, 0.01});
  const auto b = play(ramp, {{1.0, 0.0}, {11.0, -100e6}}, {}, {90.0, 0.01});
  const auto at = [](const GridTrace& t, double s) {
    return t
        .mean_Hz[static_cast<std::size_t>(std::upper_bound(t.time_s.begin(), t.time_s.end(), s) - t.time_s.begin()) -
                 1];
  };
  CHECK(at(b, 2.0) < 0.2 * at(a, 2.0));
  CHECK(at(b, 90.0) == Approx(at(a, 90.0)).epsilon(0.01));
}

TEST_CASE("an opened line and points out of order are refused where they do not fit") {
  auto s = shipped_network("kundur_two_area", 7);
  const auto t = play(s, {}, {{1.0, 7, 8, "1"}}, {3.0, 0.005});
  CHECK(largest(t.mean_Hz) > 1e-5);
  CHECK_THROWS_AS(play(s, {{2.0, 0.0}, {1.0, 1e6}}, {}, {3.0, 0.005}), InputError);
  CHECK_THROWS_AS(play(s, {}, {{1.0, 7, 0, "1"}}, {3.0, 0.005}), InputError);
  CHECK_THROWS_AS(grid_answer(t, 5.0), InputError);
}

TEST_CASE("machines, exciters and governors against the curves of PSS/E: angle after a line trip") {
  struct Curve {
    const char *folder, *dyr, *csv;
    double allowed_deg;
  };
  // PSS/E prints angles to 1e-4 degrees; the swings are 6 to 14 degrees.
  for (const Curve& c :
       {Curve{"GENROU", "ThreeBus_GENROU_NO_SAT", "TEST_GENROU_NO_SAT", 0.01},
        Curve{"GENROU", "ThreeBus_GENROU", "TEST_GENROU", 0.01}, Curve{"TGOV1", "ThreeBus_TGOV1", "TEST_TGOV1", 0.03},
        Curve{"GAST", "ThreeBus_GAST", "GAST_TEST", 0.03}, Curve{"HYGOV", "ThreeBus_HYGOV", "HYGOV_RESULTS", 0.02}}) {
    const auto folder = shared_data(std::string("psse_dynamics/") + c.folder);
    if (!folder) {
      WARN("no shared data: " << c.csv << " is not compared");
      continue;
    }
    GridSystem s(read_raw((*folder / "ThreeBusMulti.raw").string()),
                 read_dyr((*folder / (std::string(c.dyr) + ".dyr")).string()), 103, {}, ShaftInput::power);
    const auto t = play(s, {}, {{1.0, 101, 102, "1"}}, {20.0, 0.005});
    const std::size_t column = std::string(c.folder) == "HYGOV" ? 2 : 1;
    CAPTURE(c.csv);
    CHECK(apart(t, table(*folder / (std::string(c.csv) + ".csv")), column,
                [&](std::size_t r) { return t.angle_rad[2 * r + 1] * 57.29577951308232; }) < c.allowed_deg);
  }
}

TEST_CASE("loads of constant power and current against the curves of PSS/E: voltages after a line trip") {
  const auto folder = shared_data("psse_dynamics/LOAD");
  if (!folder) {
    WARN("no shared data: loads are not compared");
    return;
  }
  for (const bool power : {true, false}) {
    const LoadShares shares{power ? 1.0 : 0.0, power ? 0.0 : 1.0};
    GridSystem s(read_raw((*folder / "ThreeBusMulti.raw").string()),
                 read_dyr((*folder / "ThreeBus_GENROU.dyr").string()), 103, {shares, shares, {}}, ShaftInput::power);
    const auto t = play(s, {}, {{1.0, 101, 102, "1"}}, {20.0, 0.005});
    const auto other = table(*folder / (power ? "constantpower.csv" : "constantcurrent.csv"));
    CHECK(apart(t, other, 1, [&](std::size_t r) { return t.voltage_pu[3 * r + 1]; }) < 5e-5);
    CHECK(apart(t, other, 3, [&](std::size_t r) { return t.voltage_pu[3 * r + 2]; }) < 5e-5);
  }
}

TEST_CASE("nine units with gas, steam, hydro and converters against PSS/E: 664 MW of generation lost") {
  const auto folder = shared_data("psse_dynamics/MultiGen");
  if (!folder) {
    WARN("no shared data: the case of nine units is not compared");
    return;
  }
  GridSystem s(read_raw((*folder / "FourBusMulti.raw").string()), read_dyr((*folder / "FourBus_multigen.dyr").string()),
               104, {}, ShaftInput::power);
  const auto t = play(s, {}, {{1.0, 102, 0, "SW"}}, {20.0, 0.005});
  const auto other = table(*folder / "gen_trip_results.csv");
  for (std::size_t u = 0; u < 9; ++u) {
    CAPTURE(t.unit[u]);
    if (t.machine[u])
      CHECK(apart(t, other, 4 + 5 * u, [&](std::size_t r) { return t.speed_Hz[9 * r + u] / 60.0; }) <
            1e-4);  // of 0.012
    CHECK(apart(t, other, 2 + 5 * u, [&](std::size_t r) { return 1e-8 * t.power_W[9 * r + u]; }) <
          0.03);  // of up to 14 pu
  }
  CHECK(apart(t, other, 52, [&](std::size_t r) { return t.voltage_pu[4 * r + 3]; }) < 3e-4);
}
