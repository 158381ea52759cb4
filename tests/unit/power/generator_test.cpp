#include "tidewatt/power/generator.hpp"

#include <cmath>
#include <vector>

#include "catch.hpp"
#include "read_catalog_file.hpp"

using namespace tidewatt;
using namespace tidewatt::power;

namespace {
GeneratorParams turbines() {
  GeneratorParams p;
  p.n_unit = 4;
  p.unit_W = 50e6;
  p.load_step_frac = 1.0;
  p.ramp_W_per_s = 2e6;
  p.governor_s = 0.0;
  p.droop_pu = 0.0005;  // steep: the governor asks for everything at once, the ramp limit rules
  p.inertia_s = 5.0;
  p.nominal_Hz = 60.0;
  p.low_Hz = 57.0;
  p.high_Hz = 63.0;
  p.trip_s = 0.1;
  p.fuel_no_load_frac = 0.2;
  p.efficiency_frac = 0.35;
  return p;
}
struct Run {
  std::vector<double> served, f;
  GeneratorState s;
  GeneratorMeters m;
  double kinetic_J;
};
Run play(const Generator& g, GeneratorState s, const std::vector<double>& load) {
  Run r{std::vector<double>(load.size()), std::vector<double>(load.size()), s, {}, s.kinetic_J};
  g.step(load, r.served, r.f, r.s, r.m);
  return r;
}
}  // namespace

TEST_CASE("the first bin after a step falls at f0 dP / (2 H S)") {
  const Generator g(turbines());
  const auto r = play(g, g.running(100e6), std::vector<double>(5, 110e6));
  CHECK((60.0 - r.f[0]) / 1e-3 == Approx(60.0 * 10e6 / (2 * 5.0 * 200e6)).epsilon(1e-3));
}

TEST_CASE("behind a ramp limit the dip is f0 dP^2 / (4 H S r), at dP/r") {
  const Generator g(turbines());
  std::vector<double> load(4000, 108e6);
  const auto r = play(g, g.running(100e6), load);
  const double rate = 4 * 2e6, dip = 60.0 * 8e6 * 8e6 / (4 * 5.0 * 200e6 * rate);
  CHECK(60.0 - r.m.lowest_Hz == Approx(dip).epsilon(0.02));
  const auto at = std::min_element(r.f.begin(), r.f.end()) - r.f.begin();
  CHECK(static_cast<double>(at) * 1e-3 == Approx(8e6 / rate).epsilon(0.02));
  CHECK(r.m.n_ramp_limited > 900);
  CHECK(r.m.closure(r.s, r.kinetic_J) < 1e-12);
}

TEST_CASE("droop leaves its offset and the reset brings the frequency back") {
  auto p = turbines();
  p.droop_pu = 0.04;
  p.governor_s = 0.3;
  p.ramp_W_per_s = 50e6;
  p.damping_pu = 1.0;
  const Generator droop(p);
  const auto r = play(droop, droop.running(100e6), std::vector<double>(30'000, 120e6));
  CHECK(r.f.back() - 60.0 == Approx(-60.0 * 20e6 / 200e6 / (1 / 0.04 + 1.0)).epsilon(1e-3));
  CHECK(r.m.closure(r.s, r.kinetic_J) < 1e-12);
  auto broken = r.m;
  broken.damping_J = {};
  CHECK(broken.closure(r.s, r.kinetic_J) > 1e-6);
  p.reset_s = 5.0;
  const Generator reset(p);
  const auto q = play(reset, reset.running(100e6), std::vector<double>(120'000, 120e6));
  CHECK(q.f.back() == Approx(60.0).epsilon(1e-6));
  CHECK(q.m.fuel_J.value() > q.m.electrical_J.value() / 0.35);
}

TEST_CASE("a step that is too large for the ramp trips the island, and the loss is counted") {
  const Generator g(turbines());
  const auto r = play(g, g.running(20e6), std::vector<double>(10'000, 150e6));
  CHECK(r.m.n_trip == 1);
  CHECK(r.served.back() == 0.0);
  CHECK(r.m.unserved_J.value() > 0.0);
  CHECK(r.m.closure(r.s, r.kinetic_J) < 1e-12);
  CHECK(g.limit_W(r.s) == 0.0);
}

TEST_CASE("units come on the bus one after another and take load in steps") {
  auto p = turbines();
  p.start_s = 10.0;
  p.sync_interval_s = 2.0;
  p.load_step_frac = 0.5;
  p.load_step_interval_s = 4.0;
  p.droop_pu = 0.04;
  p.ramp_W_per_s = 25e6;
  const Generator g(p);
  auto s = g.off();
  GeneratorMeters m;
  g.order(true, s, m);
  double limit_at_11_W = 0.0, load_W = 0.0;
  for (int k = 0; k < 40'000; ++k) {
    g.bin(load_W, s, m);
    load_W = std::min(180e6, g.limit_W(s));
    if (k == 9'990) CHECK(s.n_online == 0);
    if (k == 11'000) limit_at_11_W = g.limit_W(s);
    if (k == 13'000) CHECK(s.n_online == 2);
  }
  CHECK(limit_at_11_W == Approx(25e6));
  CHECK(s.n_online == 4);
  CHECK(load_W == 180e6);
  CHECK(m.n_trip == 0);
  g.order(false, s, m);
  CHECK(m.closure(s, 0.0) < 1e-11);
}

TEST_CASE("the catalog's machines read") {
  for (const char* file : {"generator/standby_diesel_3MW.toml", "generator/gas_turbine_50MW.toml"}) {
    GeneratorParams p;
    read_catalog_file(file, p);
    CHECK_NOTHROW(Generator(p));
  }
}
