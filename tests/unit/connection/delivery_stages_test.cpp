// The devices of a delivery, each by itself.
#include "connection/delivery_stages.hpp"

#include <limits>

#include "catch.hpp"

using namespace tidewatt;
using namespace tidewatt::connection;

namespace {

constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
using Kind = GridDisturbance::Kind;

power::UpsParams supplies() {
  power::UpsParams u;
  u.rating_W = 3e6;
  u.no_load_loss_frac = 0.01;
  u.low_pu = 0.85;
  u.high_pu = 1.1;
  u.return_s = 10;
  u.overload_ratio = 1.25;
  u.recharge_W = 0.3e6;
  u.battery = {3.3e6, 1e8, 0.95, 0.96, 0.05, 1.0, 1.0};
  return u;
}

power::GeneratorParams machines() {
  power::GeneratorParams g;
  g.n_unit = 3;
  g.unit_W = 1e6;
  g.ramp_W_per_s = 1e7;
  g.governor_s = 0.2;
  g.droop_pu = 0.04;
  g.reset_s = 3;
  g.inertia_s = 2;
  g.nominal_Hz = 60;
  g.low_Hz = 54;
  g.high_Hz = 66;
  g.trip_s = 1;
  g.efficiency_frac = 0.4;
  return g;
}

}  // namespace

TEST_CASE("disturbances tell their edges, their kind and what they leave of the voltage", "[stages]") {
  const std::vector<GridDisturbance> all = {
      {Kind::sag, 100, 200, 0.7}, {Kind::sag, 150, 180, 0.4}, {Kind::utility_loss, 500, 600, 1.0}};
  CHECK(next_edge(all, 0) == 100);
  CHECK(next_edge(all, 100) == 150);
  CHECK(next_edge(all, 600) == none);
  CHECK(inside(all, 100, Kind::sag));
  CHECK_FALSE(inside(all, 200, Kind::sag));  // its end is the first bin without it
  CHECK_FALSE(inside(all, 100, Kind::utility_loss));
  CHECK(voltage_ratio(all, 160) == 0.4);  // the deeper one
  CHECK(voltage_ratio(all, 190) == 0.7);
  CHECK(voltage_ratio(all, 550) == 0.0);
  CHECK(voltage_ratio(all, 700) == 1.0);
}

TEST_CASE("a power switch notes the first change, and only one that is a change", "[stages]") {
  PowerSwitch power;
  power.comes_back(5);  // it is on
  CHECK_FALSE(power.change());
  power.ends(10, "first");
  power.ends(7, "second");
  REQUIRE(power.change());
  CHECK(power.change()->bin == 10);
  CHECK(power.change()->why == "first");
  power.set(false, 10);
  CHECK_FALSE(power.change());
  CHECK(power.earliest_return() == 1010);  // a breaker's dead time of 1 s
  power.ends(20, "off already");
  CHECK_FALSE(power.change());
  power.comes_back(1010);
  CHECK(power.change()->on);
}

TEST_CASE("a rack stage without power leaves its load alone and keeps its charge", "[stages]") {
  const power::RackStorageParams storage{{1e6, 4e6, 0.98, 0.98, 0.1, 1.0, 0.6}, 5.0, 300.0, 0.0, 0.0};
  RackStage racks(storage, std::nullopt, 1e6);
  std::vector<double> W(1000, 0.0);
  racks.through(W, false);
  CHECK(W == std::vector<double>(1000, 0.0));
  CHECK(racks.stored_J() == 0.0);
  std::fill(W.begin(), W.end(), 2e6);
  racks.through(W, true);
  CHECK(racks.stored_J() < 0.0);  // it gives what the load rose by
  CHECK(W.front() < 2e6);
  std::vector<BookLevel> books;
  racks.add_books(2e6, books);
  for (const auto& b : books) {
    INFO(b.name);
    CHECK(b.in_J - b.out_J - b.stored_J == Approx(0.0).margin(1e-6));
  }
}

TEST_CASE("supplies without a source drop the load when they are empty and offer it back when the source has been good",
          "[stages]") {
  SupplyStage stage(supplies(), std::nullopt);
  PowerSwitch power;
  const std::vector<double> load(1000, 2e6);
  std::vector<double> drawn(1000);
  std::int64_t bin = 0;
  const auto second = [&](double pu) {
    stage.through(power.on() ? load : std::vector<double>(1000, 0.0), pu, bin, false, power, drawn), bin += 1000;
  };
  second(1.0);
  CHECK(drawn.back() == Approx(stage.rest_W(2e6)));
  while (!power.change() && bin < 200'000) second(0.0);
  REQUIRE(power.change());
  CHECK_FALSE(power.change()->on);
  // The battery: from full to its floor, through its efficiency, at load and losses.
  CHECK(static_cast<double>(power.change()->bin - 1000) * 1e-3 ==
        Approx(0.95 * 1e8 * 0.96 / stage.rest_W(2e6)).epsilon(0.01));
  power.set(false, power.change()->bin);
  stage.drop();
  bin = power.earliest_return() - 1000 + 1000;
  const std::int64_t good_from = bin;
  while (!power.change() && bin < good_from + 60'000) second(1.0);
  REQUIRE(power.change());
  CHECK(power.change()->on);
  CHECK(power.change()->bin - good_from == Approx(10'000).margin(1));  // its return time
}

TEST_CASE("turbines relieve the grid by their dispatch and carry an island alone", "[stages]") {
  TurbineStage turbines({machines(), 1.5e6});
  PowerSwitch power;
  std::vector<double> W(1000, 2e6), var(1000, 0.1e6);
  turbines.run_beside(W);
  CHECK(W.front() == 0.5e6);
  CHECK(turbines.parallel_J() == Approx(1.5e6));
  std::fill(W.begin(), W.end(), 1.5e6);
  turbines.carry(W, var, 1000, &power);
  CHECK(W == std::vector<double>(1000, 0.0));
  CHECK(var == std::vector<double>(1000, 0.0));
  CHECK(turbines.island_J() == Approx(1.5e6));
  CHECK(turbines.island_Hz().back() == Approx(60.0).epsilon(1e-6));  // it was balanced already
  CHECK_FALSE(power.change());
  turbines.trip();
  CHECK(turbines.tripped());
  std::fill(W.begin(), W.end(), 1.5e6);
  turbines.carry(W, var, 2000, &power);
  REQUIRE(power.change());
  CHECK(power.change()->bin == 2000);
  CHECK(turbines.meters().unserved_J.value() == Approx(1.5e6));
}

TEST_CASE("a loss is what is missing against the last bin ahead of the disturbance", "[stages]") {
  LossWatch watch(3e6);
  const std::vector<GridDisturbance> sag = {{Kind::sag, 1000, 1100, 0.5}};
  watch.push(std::vector<double>(1000, 4e6), 0, sag);
  CHECK(watch.bin() == -1);
  std::vector<double> W(100, 4e6);
  W[30] = 1e6;
  watch.push(W, 1000, sag);
  CHECK(watch.lost_W() == 3e6);
  CHECK(watch.bin() == 1030);
  watch.push(std::vector<double>(100, 0.0), 1600, sag);  // half a second behind its end nothing counts any more
  CHECK(watch.lost_W() == 3e6);
}
