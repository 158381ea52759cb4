#include "power/backup.hpp"

#include <tuple>
#include <vector>

#include "catch.hpp"
#include "read_catalog_file.hpp"

using namespace tidewatt;
using namespace tidewatt::power;

TEST_CASE("utility loss: battery, generators in steps, and back, with the load served throughout") {
  BackupParams p;
  read_catalog_file("ups/ups_double_conversion.toml", p.ups);
  read_catalog_file("generator/standby_diesel_3MW.toml", p.generator);
  p.ups.rating_W = 24e6;
  p.ups.battery.power_W = 26e6;
  p.ups.battery.energy_J = 26e6 * 300;
  p.ups.recharge_W = 1e6;
  p.generator.n_unit = 12;
  p.start_after_s = 1.0;
  p.utility_good_s = 60.0;
  p.transfer_gap_s = 0.1;
  const Backup site(p);
  const std::size_t n = 360'000;
  std::vector<double> load(n, 20e6), pu(n, 1.0), utility(n), served(n);
  for (std::size_t i = 10'000; i < 130'000; ++i) pu[i] = 0.0;
  auto s = site.start();
  BackupMeters m;
  site.step(load, pu, utility, served, s, m);
  const double need_W = 20e6 + site.ups().loss_W(20e6, false);
  CHECK(m.ups.unserved_J.value() == 0.0);
  CHECK(m.n_start == 1);
  CHECK(m.n_return == 1);
  CHECK(utility[9'000] == Approx(need_W));
  CHECK(utility[20'000] == 0.0);
  CHECK(utility[185'000] == 0.0);  // on generators until the utility has been good for a minute
  CHECK(utility.back() >= need_W * (1 - 1e-12));
  CHECK(m.generator.n_trip == 0);
  CHECK(m.ups.closure() < 1e-11);
  CHECK(m.ups.battery.closure(site.ups().battery().stored_J(s.ups.battery)) < 1e-11);
  // what the supply drew is what the two sources gave
  CHECK(m.ups.drawn_J.value() == Approx(m.utility_J.value() + m.generator_J.value()).epsilon(1e-12));
  CHECK(m.generator.electrical_J.value() == Approx(m.generator_J.value()).epsilon(1e-12));
  CHECK(!s.generator.ordered);
  CHECK(m.generator.closure(s.generator, 0.0) < 1e-11);
  // Back at rest, a second later all is the same, but for the charge that still comes in.
  auto later = s;
  const std::vector<double> one(1000, 20e6), fine(1000, 1.0);
  std::vector<double> u(1000), v(1000);
  site.step(one, fine, u, v, later, m);
  CHECK(later.source == s.source);
  CHECK(later.generator == s.generator);
  CHECK(later.ups.mode == s.ups.mode);
  CHECK(later.ups.walk_for == s.ups.walk_for);
  CHECK(std::tuple(later.bad_for, later.good_for, later.gap_left) == std::tuple(s.bad_for, s.good_for, s.gap_left));
  // Hand check: the battery alone carries start + first synchronisation + the supply's own wait.
  const double alone_s = p.start_after_s + p.generator.start_s + p.transfer_gap_s + p.ups.return_s;
  CHECK(m.ups.battery.discharged_J.value() > need_W * alone_s);
}
