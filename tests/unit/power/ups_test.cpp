#include "tidewatt/power/ups.hpp"

#include <vector>

#include "catch.hpp"
#include "read_catalog_file.hpp"
#include "tidewatt/base/error.hpp"
#include "wave.hpp"

using namespace tidewatt;
using namespace tidewatt::power;

namespace {
UpsParams params() {
  UpsParams p;
  p.rating_W = 20e6;
  p.no_load_loss_frac = 0.01;
  p.proportional_loss_frac = 0.01;
  p.quadratic_loss_frac = 0.02;
  p.eco_loss_frac = 0.01;
  p.eco_gap_s = 0.004;
  p.low_pu = 0.85;
  p.high_pu = 1.1;
  p.return_s = 2.0;
  p.walk_in_s = 5.0;
  p.lockout_count = 3;
  p.lockout_window_s = 60.0;
  p.overload_ratio = 1.25;
  p.recharge_W = 1e6;
  p.battery = {30e6, 30e6 * 60, 0.95, 0.95, 0.05, 1.0, 1.0};
  return p;
}
struct Run {
  std::vector<double> drawn, served;
  UpsState s;
  UpsMeters m;
};
Run play(const Ups& ups, const std::vector<double>& load, const std::vector<double>& pu) {
  Run r{std::vector<double>(load.size()), std::vector<double>(load.size()), ups.start(), {}};
  ups.step(load, pu, r.drawn, r.served, r.s, r.m);
  return r;
}
std::vector<double> sags(std::size_t n, const std::vector<std::size_t>& at, std::size_t length) {
  std::vector<double> pu(n, 1.0);
  for (const auto a : at)
    for (std::size_t i = a; i < a + length; ++i) pu[i] = 0.3;
  return pu;
}
}  // namespace

TEST_CASE("in normal operation the draw is load plus the loss polynomial") {
  const Ups ups(params());
  const auto r = play(ups, std::vector<double>(100, 10e6), std::vector<double>(100, 1.0));
  CHECK(r.drawn[50] == Approx(10e6 + 20e6 * (0.01 + 0.5 * 0.01 + 0.25 * 0.02)).epsilon(1e-14));
  CHECK(r.m.closure() < 1e-13);
}

TEST_CASE("a sag moves the load to the battery at once; it returns after its wait along a straight walk-in") {
  const Ups ups(params());
  const auto r = play(ups, std::vector<double>(20'000, 10e6), sags(20'000, {1000}, 100));
  const double need_W = 10e6 + ups.loss_W(10e6, false);
  CHECK(r.drawn[999] == Approx(need_W));
  CHECK(r.drawn[1000] == 0.0);
  CHECK(r.served[1050] == 10e6);
  CHECK(r.drawn[3098] == 0.0);
  CHECK(r.drawn[3100 + 2500] == Approx(0.5 * need_W).epsilon(0.001));
  CHECK(r.drawn[19'000] == Approx(need_W + 1e6));  // recharging
  CHECK(r.m.n_transfer == 1);
  CHECK(r.m.unserved_J.value() == 0.0);
  CHECK(r.m.closure() < 1e-12);
  CHECK(r.m.battery.closure(ups.battery().stored_J(r.s.battery)) < 1e-12);
  auto broken = r.m;
  broken.loss_J = {};
  CHECK(broken.closure() > 1e-3);
}

TEST_CASE("the third transfer within a minute locks it on battery until it is released; two do not") {
  const Ups ups(params());
  const std::size_t n = 82'000;
  auto r = play(ups, std::vector<double>(n, 10e6), sags(n, {1000, 12'000, 25'000}, 50));
  CHECK(r.s.mode == UpsMode::locked);
  CHECK(r.m.n_lockout == 1);
  CHECK(r.drawn.back() == 0.0);
  CHECK(r.served.back() == 10e6);
  ups.release(r.s);
  std::vector<double> more(10'000, 10e6), pu(10'000, 1.0), drawn(10'000), served(10'000);
  ups.step(more, pu, drawn, served, r.s, r.m);
  CHECK(r.s.mode == UpsMode::normal);
  const auto spread = play(ups, std::vector<double>(n, 10e6), sags(n, {1000, 12'000, 75'000}, 50));
  CHECK(spread.m.n_lockout == 0);
  CHECK(spread.s.mode != UpsMode::locked);
}

TEST_CASE("when the battery is empty the load drops, and it is booked; the charge never leaves its bounds") {
  auto p = params();
  p.battery.energy_J = 10e6 * 3;  // three seconds
  const Ups ups(p);
  std::vector<double> pu(20'000, 0.0);
  std::fill(pu.begin() + 10'000, pu.end(), 1.0);
  const auto r = play(ups, std::vector<double>(20'000, 10e6), pu);
  CHECK(r.m.n_off == 1);
  CHECK(r.served[9'000] == 0.0);
  CHECK(r.m.battery.soc_low_frac >= 0.05 * (1 - 1e-9));
  CHECK(r.m.closure() < 1e-12);
  CHECK(r.m.unserved_J.value() > 7e6 * 3);
  CHECK(r.s.mode == UpsMode::normal);  // back after the wait, and charging
  CHECK(r.served[12'500] == 10e6);
}

TEST_CASE("eco operation loses less and has a gap at its transfer") {
  auto p = params();
  p.eco = true;
  const Ups ups(p);
  const auto r = play(ups, std::vector<double>(2000, 10e6), sags(2000, {1000}, 100));
  CHECK(r.drawn[500] == Approx(10e6 * 1.01));
  CHECK(r.m.unserved_J.value() == Approx(10e6 * 0.004).epsilon(1e-12));
  CHECK(r.m.closure() < 1e-12);
}

TEST_CASE("what a supply does does not depend on the time of day") {
  const Ups ups(params());
  const auto load = wave(20'000), pu = sags(20'000, {1000, 12'000}, 100);
  auto early = play(ups, load, pu), late = early;  // two transfers: the third locks it
  REQUIRE(early.s.n_transfer_kept == 2);
  late.s.now += 1'000 * ns_per_s;
  for (auto& t : late.s.transfers) t += 1'000 * ns_per_s;
  for (auto* r : {&early, &late}) ups.step(load, pu, r->drawn, r->served, r->s, r->m);
  CHECK(early.s.mode == UpsMode::locked);
  CHECK(late.s.mode == UpsMode::locked);
  CHECK(early.drawn == late.drawn);
  CHECK(early.served == late.served);
}

TEST_CASE("the catalog's supply reads and has the efficiency that it names") {
  UpsParams p;
  read_catalog_file("ups/ups_double_conversion.toml", p);
  const Ups ups(p);
  const double half_W = 0.5 * p.rating_W, eff = half_W / (half_W + ups.loss_W(half_W, false));
  CHECK(eff > 0.95);
  CHECK(eff < 0.975);
}

TEST_CASE("locked and out of charge it stays dark until released, whatever the source does; overload is counted") {
  auto p = params();
  p.battery.energy_J = 10e6 * 5;
  p.lockout_count = 1;
  const Ups ups(p);
  auto r = play(ups, std::vector<double>(60'000, 10e6), sags(60'000, {1000}, 50));
  CHECK(r.s.mode == UpsMode::locked);
  CHECK(r.served.back() == 0.0);
  CHECK(r.m.n_off == 1);
  ups.release(r.s);
  std::vector<double> load(10'000, 10e6), pu(10'000, 1.0), drawn(10'000), served(10'000);
  ups.step(load, pu, drawn, served, r.s, r.m);
  CHECK(served[1'000] == 0.0);  // qualifies the source first
  CHECK(served.back() == 10e6);
  CHECK(r.m.closure() < 1e-12);
  const auto over = play(Ups(params()), std::vector<double>(100, 26e6), std::vector<double>(100, 1.0));
  CHECK(over.m.n_off == 1);
  CHECK(over.served.back() == 0.0);
}
