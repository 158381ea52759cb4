#include "grid_case.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>

#include "grid/grid_modes.hpp"
#include "grid/machine_response.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

namespace {

/// The site's bus of a recorded case: 66.7 MW as a square wave of the slowest swing mode's period, with the case's own damping and
/// with 3 % of every swing mode.
struct Forced {
  std::int64_t bus;
  double own_Hz, own_rad, light_Hz, light_rad;
};

struct Recorded {
  std::vector<std::pair<double, double>> modes;  // Hz, damping ratio
  Forced forced;
};

/// Within a relative tolerance each; damping ratios also within `margin`.
void check_against(const GridCase& c, const Recorded& r, double of_Hz, double margin, double of_forced) {
  const LinearGrid linear(c.system(r.forced.bus));
  const auto modes = linear.swing_modes();
  REQUIRE(modes.size() == r.modes.size());
  for (std::size_t k = 0; k < modes.size(); ++k) {
    CHECK(modes[k].frequency_Hz == Approx(r.modes[k].first).epsilon(of_Hz));
    CHECK(std::abs(modes[k].damping_frac - r.modes[k].second) < margin);
  }
  const SquareWave wave{c.network.bus_index(r.forced.bus), 66.7e6, 1.0 / r.modes[0].first};
  const auto own = forced_oscillation(linear, wave), light = forced_oscillation(linear.with_swing_damping(0.03), wave);
  CHECK(own.peak_to_peak_Hz == Approx(r.forced.own_Hz).epsilon(of_forced));
  CHECK(own.peak_to_peak_rad == Approx(r.forced.own_rad).epsilon(of_forced));
  CHECK(light.peak_to_peak_Hz == Approx(r.forced.light_Hz).epsilon(of_forced));
  CHECK(light.peak_to_peak_rad == Approx(r.forced.light_rad).epsilon(of_forced));
}

/// The same machines without saturated iron.
GridCase unsaturated(GridCase c) {
  for (auto& r : c.records)
    if (r.model == "GENROU") r.values.at(12) = r.values.at(13) = "0";
  return c;
}

}  // namespace

TEST_CASE("the catalog's cases read, with as many machines and buses as their names say") {
  const auto kundur = grid_case("kundur_two_area"), nine = grid_case("ieee9"), new_england = grid_case("ieee39");
  CHECK(kundur.network.generator.size() == 4);
  CHECK(kundur.network.largest_load_bus() == 9);
  CHECK(kundur.network.bus[kundur.network.bus_index(9)].shunt_VA.imag() == 350e6);
  CHECK(nine.network.bus.size() == 9);
  CHECK(nine.motion.active.power_frac == 1.0);
  CHECK(new_england.network.bus.size() == 39);
  CHECK(new_england.network.generator.size() == 10);
  CHECK(new_england.network.branch.size() == 46);
  for (const auto* c : {&kundur, &nine, &new_england}) CHECK_FALSE(c->governed());
}

TEST_CASE("published operating points: two-area, 9-bus and New England systems to the printed digit") {
  const auto made_VA = [](const char* name) { return solve_network(grid_case(name).network).generated_VA; };
  const double kundur_Mvar[] = {185, 235, 176, 202};  // as printed
  const auto kundur = made_VA("kundur_two_area"), nine = made_VA("ieee9"), england = made_VA("ieee39");
  for (std::size_t k = 0; k < 4; ++k) CHECK(std::abs(kundur[k].imag() / 1e6 - kundur_Mvar[k]) < 0.6);
  CHECK(nine[0].real() / 1e6 == Approx(71.64).margin(0.01));
  CHECK(nine[0].imag() / 1e6 == Approx(27.05).margin(0.01));
  CHECK(nine[2].imag() / 1e6 == Approx(-10.86).margin(0.01));
  CHECK(england[1].real() / 1e6 == Approx(520.81).margin(0.05));  // the slack machine
  CHECK(england[0].imag() / 1e6 == Approx(88.28).margin(0.05));
}

TEST_CASE("the 9-bus system's eigenvalues with exciters and constant-power loads, as published (recalled, to 1e-3)") {
  const LinearGrid linear(grid_case("ieee9").system(5));
  const std::vector<std::complex<double>> published{{-0.7209, 12.7486}, {-0.1908, 8.3672}, {-5.4875, 7.9487},
                                                    {-5.3236, 7.9220},  {-5.2218, 7.8161}, {-0.4445, 1.2104},
                                                    {-0.4394, 0.7392},  {-0.4260, 0.4960}};
  for (const auto& s : published) {
    double nearest = 1e9;
    for (const GridMode& m : linear.modes()) nearest = std::min(nearest, std::abs(m.s - s));
    INFO(s);
    CHECK(nearest < 1e-3 * std::abs(s));
  }
}

// Source of the figures below: tidewatt at commit 11128595, whose catalog had these systems as tables of their own, with machines as coupled
// circuits, an exponential saturation and IDA as solver.
TEST_CASE("modes and forced swings are those of the machines as coupled circuits that the catalog had before") {
  check_against(grid_case("ieee39"),
                {{{0.614296997, 0.0731027163},
                  {0.952665483, 0.0621670344},
                  {1.01439741, 0.0560790176},
                  {1.10809066, 0.0584886179},
                  {1.13755125, 0.0490424192},
                  {1.20130042, 0.0545628397},
                  {1.39556604, 0.062265727},
                  {1.42247347, 0.07198659},
                  {1.42824391, 0.0685363611}},
                 {20, 0.111997853, 0.200998133, 0.267467696, 0.483810766}},
                1e-7, 1e-8, 1e-6);
  // The exciters' saturation is a parabola through two points of the exponential curve.
  check_against(
      grid_case("ieee9"),
      {{{1.33146001, 0.0227856968}, {2.02850956, 0.0564081968}}, {5, 1.48231417, 1.10276541, 1.12658661, 0.837285126}},
      1e-5, 1e-6, 1e-4);
  check_against(unsaturated(grid_case("kundur_two_area")),
                {{{0.544772636, 0.0357588369}, {1.08060522, 0.0851527695}, {1.11127878, 0.0840842542}},
                 {7, 0.281043098, 0.365921151, 0.334751891, 0.435977197}},
                1e-7, 1e-8, 1e-6);
  // The circuits saturated by the air gap's flux, both axes alike; GENROU by the subtransient flux, q by (X_q − X_l)/(X_d − X_l) of d.
  check_against(grid_case("kundur_two_area"),
                {{{0.545287501, 0.0333600105}, {1.07680423, 0.0865510517}, {1.10749599, 0.0853970178}},
                 {7, 0.299636151, 0.393805134, 0.332963231, 0.437719294}},
                4e-3, 2e-3, 0.05);
}

TEST_CASE("a square wave in time moves the machines as the adaptive solver of old had it, to 5e-4") {
  std::vector<double> load_W(40'000, 50e6);  // 20 MW more for 1 s of every 2.5 s
  for (std::size_t i = 0; i < load_W.size(); ++i)
    if (i % 2500 < 1000) load_W[i] += 20e6;
  const auto r = machine_response(grid_case("ieee9"), 5, load_W, 1e-3);
  REQUIRE(r.machines.size() == 3);
  const double lowest_mHz[] = {-103.91599, -112.36021, -110.04321}, highest_mHz[] = {81.375247, 81.235987, 82.037776};
  for (std::size_t m = 0; m < 3; ++m) {
    CHECK(1e3 * r.machines[m].lowest_Hz == Approx(lowest_mHz[m]).epsilon(5e-4));
    CHECK(1e3 * r.machines[m].highest_Hz == Approx(highest_mHz[m]).epsilon(5e-4));
  }
  CHECK(r.voltage_lowest_pu == Approx(0.99104186).epsilon(1e-5));
  CHECK(r.voltage_highest_pu == Approx(1.00011456).epsilon(1e-5));
  CHECK(1e3 * r.bus_lowest_Hz == Approx(-102.24016).epsilon(5e-4));
  CHECK(1e3 * r.bus_highest_Hz == Approx(76.747005).epsilon(5e-4));
  CHECK(r.peak_to_peak_rad == Approx(0.030851309).epsilon(5e-4));
}

TEST_CASE("files are read beside an own entry; a case of the format before says what takes its place") {
  const auto folder = std::filesystem::temp_directory_path() / "tidewatt_grid_case_test";
  std::filesystem::create_directories(folder);
  const auto write = [&](const char* name, const std::string& text) { std::ofstream(folder / name) << text; };
  const auto read = [&](const char* name, std::vector<Finding>& findings) {
    return read_grid_case(catalog::Catalog(folder.string()).values("grid_case", name), name, findings);
  };
  const std::string of =
      "\nraw = \"ieee9.raw\"\nactive_power_frac = 0\nactive_current_frac = 0\n"
      "reactive_power_frac = 0\nreactive_current_frac = 0\n";
  write("mine.toml", "kind = \"grid_case\"\nname = \"mine\"\ndyr = \"mine.dyr\"" + of);
  write("mine.dyr", "1 'GENCLS' 1 5 0 /\n2 'GENCLS' 1 5 0 /\n3 'GENCLS' 1 5 0 /\n");
  write("lost.toml", "kind = \"grid_case\"\nname = \"lost\"\ndyr = \"../lost.dyr\"" + of);
  write("old.toml", "kind = \"grid_case\"\nname = \"old\"\nbase_MVA = 100\n[machine]\nbus = [1]\n");
  std::vector<Finding> findings;
  CHECK(read("mine", findings).records.size() == 3);  // its own machines on the catalog's network
  CHECK(findings.empty());
  read("lost", findings);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].message.find("'../lost.dyr' is not the name of a file") != std::string::npos);
  read("old", findings);
  REQUIRE(findings.size() == 2);
  CHECK(findings[1].key == "old.machine");
  CHECK(findings[1].message.find("put the network into old.raw and the machines into old.dyr") != std::string::npos);
  std::filesystem::remove_all(folder);
}
