#include "connection/delivery.hpp"

#include <cmath>
#include <numeric>

#include "catch.hpp"

using namespace tidewatt;
using namespace tidewatt::connection;

namespace {

constexpr double P_W = 2e6, aux_W = 0.2e6;

DeliveryParams plain() {
  DeliveryParams p;
  for (auto& level : p.feeder.level) {
    level.n_branch = 1;
    level.rating_VA = 40e6;
    level.no_load_loss_W = 2e3;
    level.load_loss_W = 20e3;
    level.reactance_pu = 0.05;
  }
  p.source_pu = 1.02;
  p.nominal_Hz = 60;
  return p;
}

power::UpsParams supplies() {
  power::UpsParams u;
  u.rating_W = 3e6;
  u.no_load_loss_frac = 0.01;
  u.proportional_loss_frac = 0.012;
  u.quadratic_loss_frac = 0.02;
  u.low_pu = 0.85;
  u.high_pu = 1.1;
  u.return_s = 10;
  u.walk_in_s = 15;
  u.overload_ratio = 1.25;
  u.recharge_W = 0.3e6;
  u.battery = {3.3e6, 1e9, 0.95, 0.96, 0.05, 1.0, 1.0};
  return u;
}

power::GeneratorParams machines(std::int64_t n, double unit_W) {
  power::GeneratorParams g;
  g.n_unit = n;
  g.unit_W = unit_W;
  g.start_s = 10;
  g.sync_interval_s = 2;
  g.load_step_frac = 1.0;
  g.load_step_interval_s = 1;
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

struct Passed {
  power::FeederMeters asked;
  std::vector<double> grid_W;
  double grid_J = 0.0, bus_J = 0.0;
};

/// A constant load, or a square wave of 4 s around it.
Passed pass(Delivery& d, std::int64_t n_bin, double swing_W = 0.0) {
  const grid::Source source({138e3, 5e9, 15, 1.02});
  Passed out;
  for (std::int64_t bin = 0; bin < n_bin;) {
    const std::int64_t end = std::min({n_bin, bin + 1000, d.next_edge(bin)});
    const auto n = static_cast<std::size_t>(end - bin);
    std::vector<double> load(n), W(n), var(n);
    for (std::size_t i = 0; i < n; ++i)
      load[i] = P_W + ((bin + static_cast<std::int64_t>(i)) % 4000 < 2000 ? swing_W : -swing_W);
    d.through(load, aux_W, bin, W, var, out.asked);
    for (const double x : W) out.bus_J += x * 1e-3;
    d.connect(W, var, bin, source);
    for (const double x : W) out.grid_J += x * 1e-3;
    out.grid_W.insert(out.grid_W.end(), W.begin(), W.end());
    bin = end;
  }
  return out;
}

double worst_closure(const Delivery& d, const Passed& p) {
  double worst = 0.0;
  for (const auto& l : d.books(p.asked, p.bus_J, p.grid_J)) {
    const double through = std::max({std::abs(l.in_J), std::abs(l.out_J), std::abs(l.stored_J), 1.0});
    INFO(l.name << " in " << l.in_J << " out " << l.out_J << " stored " << l.stored_J);
    CHECK(std::abs(l.in_J - l.out_J - l.stored_J) / through < 1e-11);
    worst = std::max(worst, std::abs(l.in_J - l.out_J - l.stored_J) / through);
  }
  return worst;
}

}  // namespace

TEST_CASE("without devices the delivery is the feeder") {
  Delivery d(plain(), P_W, aux_W);
  auto p = plain();
  const auto out = pass(d, 5000, 0.5e6);
  power::Feeder feeder(p.feeder);
  CHECK(out.grid_W[100] == feeder.at(P_W + 0.5e6, aux_W).connection_W());
  CHECK(worst_closure(d, out) < 1e-12);
}

TEST_CASE("a utility loss is bridged by the batteries until the generators run, and then for half the walk-in") {
  auto p = plain();
  const auto ups = supplies();
  p.backup = power::BackupParams{ups, machines(2, 3e6), 3.0, 30.0, 0.0};
  p.disturbances = {{GridDisturbance::Kind::utility_loss, 60'000, 240'000, 1.0}};
  Delivery d(p, P_W, aux_W);
  const auto out = pass(d, 400'000);
  CHECK(worst_closure(d, out) < 1e-11);
  CHECK(d.unserved_J() == 0.0);
  CHECK(d.backup()->n_start == 1);
  CHECK(d.backup()->n_return == 1);
  CHECK(out.grid_W[100'000] == 0.0);
  // By hand: nothing for start_after + start + return_s, then a straight line over the walk-in; on the way back once more
  // return_s (the utility has been good for long) and half a walk-in.
  const double served_W = power::Feeder(plain().feeder).at(P_W, 0).level_W[1] + aux_W;
  const double need_W = served_W + power::Ups(ups).loss_W(served_W, false);
  const double first_J = need_W * (3.0 + 10.0 + 10.0 + 7.5);
  const double back_J = need_W * 7.5;
  const auto& battery = d.ups()->battery;
  CHECK(battery.discharged_J.value() == Approx(first_J + back_J).epsilon(0.35));
  CHECK(battery.discharged_J.value() > first_J);
  CHECK(battery.soc_low_frac > 0.05);
  CHECK(d.load_lost_W() == Approx(out.grid_W[59'999]).epsilon(1e-9));
}

TEST_CASE("supplies without generators drop the load when their batteries are empty, and say how much") {
  auto p = plain();
  p.ups = supplies();
  p.disturbances = {{GridDisturbance::Kind::utility_loss, 10'000, 900'000, 1.0}};
  Delivery d(p, P_W, aux_W);
  const auto out = pass(d, 900'000);
  worst_closure(d, out);
  const double served_W = power::Feeder(plain().feeder).at(P_W, 0).level_W[1] + aux_W;
  const double need_W = served_W + power::Ups(supplies()).loss_W(served_W, false);
  const double lasts_s = 0.95 * 1e9 * 0.96 / need_W;
  CHECK(d.unserved_J() == Approx(served_W * (890.0 - lasts_s)).epsilon(0.01));
  CHECK(d.ups()->battery.soc_low_frac >= 0.05 - 1e-12);
  CHECK(d.ups()->n_off >= 1);
}

TEST_CASE("an island dips by what its turbines' ramp limit allows") {
  auto p = plain();
  auto g = machines(3, 1e6);
  g.ramp_W_per_s = 0.05e6;  // the ramp limit holds all the way
  g.governor_s = 0.0;
  g.low_Hz = 40;
  p.turbines = power::TurbineParams{g, 2e6};
  p.disturbances = {{GridDisturbance::Kind::islanding, 20'000, 60'000, 1.0}};
  Delivery d(p, P_W, aux_W);
  const auto out = pass(d, 22'000);  // until the turbines have caught up; later they swing
  worst_closure(d, out);
  CHECK(d.unserved_J() == 0.0);
  CHECK(out.grid_W[21'000] == 0.0);
  const double step_W = out.grid_W[19'999];
  const double dip_Hz = 60.0 * step_W * step_W / (4.0 * g.inertia_s * 3e6 * 3 * g.ramp_W_per_s);
  CHECK(60.0 - d.turbines()->lowest_Hz == Approx(dip_Hz).epsilon(0.05));
}

TEST_CASE("turbines that follow carry the island to its end and hand it back") {
  auto p = plain();
  p.turbines = power::TurbineParams{machines(3, 1e6), 2e6};
  p.disturbances = {{GridDisturbance::Kind::islanding, 20'000, 60'000, 1.0}};
  Delivery d(p, P_W, aux_W);
  const auto out = pass(d, 80'000);
  worst_closure(d, out);
  CHECK(d.unserved_J() == 0.0);
  CHECK(d.turbines()->n_trip == 0);
  CHECK(out.grid_W[59'999] == 0.0);
  CHECK(out.grid_W[19'999] == Approx(out.grid_W[70'000]).epsilon(1e-9));
  CHECK(d.parallel_J() == Approx(2e6 * 40.0));
}

TEST_CASE("rack storage and converter loops keep their books and pass the mean") {
  auto p = plain();
  p.rack_storage = power::RackStorageParams{{1e6, 4e6, 0.98, 0.98, 0.1, 1.0, 0.6}, 5.0, 300.0, 0.0, 0.0};
  power::ConverterChainParams chain;
  chain.rating_W = 4e6;
  chain.stage = {{{100, 0.707, 0, 0.02}, {15, 0.707, 200, 1.15}, {100, 0.707, 400, 0.05}, {7.5, 0.707, 200, 1.5}}};
  p.response = chain;
  Delivery d(p, P_W, aux_W);
  const auto out = pass(d, 200'000, 0.5e6);
  worst_closure(d, out);
  CHECK(d.rack_storage()->soc_low_frac >= 0.1 - 1e-12);
  CHECK(d.rack_storage()->soc_high_frac <= 1.0 + 1e-12);
  // The store takes most of the swing once the slow mean has settled.
  const auto [lo, hi] = std::minmax_element(out.grid_W.end() - 8000, out.grid_W.end());
  CHECK(*hi - *lo < 0.5e6);
}

TEST_CASE("a site without supplies of its own leaves after its ride-through time and comes back") {
  auto p = plain();
  grid::RideThroughCurve curve;
  curve.low_pu = {0.75};
  curve.low_s = {0.02};
  p.ride_through = curve;
  p.back = {0.7, 0, 60, 0.9, 1.1, 1.0, 2.0};
  p.disturbances = {{GridDisturbance::Kind::sag, 5'000, 5'200, 0.5}};
  Delivery d(p, P_W, aux_W);
  const auto out = pass(d, 20'000);
  worst_closure(d, out);
  CHECK(out.grid_W[5'010] > 0.0);                                             // still there
  CHECK(out.grid_W[5'030] == 0.0);                                            // gone
  CHECK(out.grid_W[7'200] == Approx(0.5 * out.grid_W[4'000]).epsilon(0.02));  // halfway back
  CHECK(out.grid_W[19'000] == Approx(out.grid_W[4'000]).epsilon(1e-9));
  CHECK(d.load_lost_W() == Approx(out.grid_W[4'000]).epsilon(1e-6));
  // 0.02 s of sag are drawn; the rest of it, the delay and half the ramp are not.
  CHECK(d.own_supply_J() == Approx(out.grid_W[4'000] * (0.18 + 1.0 + 1.0)).epsilon(0.02));
}

TEST_CASE("load lost is what leaves within half a second of a disturbance, and not what falls later") {
  const auto after = [](std::int64_t ms) {
    auto p = plain();
    p.disturbances = {{GridDisturbance::Kind::sag, 1'000, 1'100, 0.9}};
    Delivery d(p, P_W, aux_W);
    const grid::Source source({138e3, 5e9, 15, 1.02});
    power::FeederMeters meters;
    for (std::int64_t bin = 0; bin < 3'000; bin += 10) {  // nodes with half of the load trip some time after the sag
      std::vector<double> load(10, bin < 1'100 + ms ? P_W : 0.5 * P_W), W(10), var(10);
      d.through(load, aux_W, bin, W, var, meters);
      d.connect(W, var, bin, source);
    }
    return d.load_lost_bin() < 0 ? 0.0 : d.load_lost_W();
  };
  CHECK(after(300) == Approx(0.5 * P_W).epsilon(0.03));
  CHECK(after(490) == Approx(0.5 * P_W).epsilon(0.03));
  CHECK(after(510) == Approx(0.0).margin(1.0));
}
