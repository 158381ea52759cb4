#include "validate/power_shelf.hpp"

#include "catch.hpp"
#include "read_catalog_file.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::power;
using namespace tidewatt::validate;

namespace {
PowerShelfParams shelf() {
  PowerShelfParams p;
  read_catalog_file("power_shelf/orv3_shelf.toml", p);
  return p;
}
PowerShelfParams without_battery() {
  PowerShelfParams p = shelf();
  p.start_s = 1e6;
  return p;
}
constexpr Tick tenth = ns_per_ms / 10;
double closed(const PowerShelf& d, const PowerShelfState& s, const PowerShelfMeters& m, double holdup_J) {
  // hold-up in − out is the change of its energy, the battery's own books are in its meters
  CHECK(m.holdup_in_J.value() - m.holdup_out_J.value() == Approx(s.holdup_J - holdup_J).margin(1e-6));
  CHECK(m.battery.closure(d.battery().stored_J(s.battery)) < 1e-11);
  return m.closure();
}
}  // namespace

TEST_CASE("hold-up lasts its energy over the load, to the nanosecond") {
  for (const double load_frac : {0.3, 1.0, 1.5}) {
    const PowerShelfParams p = without_battery();
    const PowerShelf d(p);
    auto s = d.start();
    PowerShelfMeters m;
    const double load_W = load_frac * p.rating_W;
    const Tick lasts = to_tick(p.holdup_J / load_W);
    d.step(lasts - 1000, load_W, false, s, m);
    CHECK(s.bus_V == p.holdup_bus_V);
    d.step(2000, load_W, false, s, m);
    CHECK(s.bus_V == 0.0);
    CHECK(m.load_J.value() == Approx(p.holdup_J).epsilon(1e-9));
    CHECK(m.unserved_J.value() == Approx(load_W * 1e-6).epsilon(0.01));
  }
}

TEST_CASE("the battery unit takes over after trigger and start, and the bus is never lost") {
  const PowerShelfParams p = shelf();
  const PowerShelf d(p);
  auto s = d.start();
  PowerShelfMeters m;
  d.step(ns_per_s, p.rating_W, true, s, m);
  Tick at = 0, triggered = -1, taken = -1;
  for (; at < 100 * ns_per_ms; at += tenth) {
    d.step(tenth, p.rating_W, false, s, m);
    if (triggered < 0 && s.unit == BatteryUnit::starting) triggered = at + tenth;
    if (taken < 0 && s.unit == BatteryUnit::delivering) taken = at + tenth;
  }
  CHECK(triggered == to_tick(p.trigger_s));
  CHECK(taken - triggered == to_tick(p.start_s));
  CHECK(m.unserved_J.value() == 0.0);
  d.step(150 * ns_per_ms, p.rating_W, true, s, m);  // the input is back, the rectifiers have restarted
  CHECK(s.unit == BatteryUnit::delivering);
  CHECK(s.bus_V == p.bus_V);
  d.step(ns_per_s, p.rating_W, true, s, m);
  CHECK(s.unit == BatteryUnit::standby);
  CHECK(closed(d, s, m, p.holdup_J) < 1e-11);
  auto broken = m;
  broken.rectifier_loss_J = {};
  CHECK(broken.closure() > 1e-3);
}

TEST_CASE("a long outage empties the battery, then the load is not served, and it is counted") {
  const PowerShelfParams p = shelf();
  const PowerShelf d(p);
  auto s = d.start();
  PowerShelfMeters m;
  const double lasts_s = (p.battery.energy_J * (p.battery.soc_max_frac - p.battery.soc_min_frac)) *
                         p.battery.discharge_efficiency_frac / p.rating_W;
  d.step(to_tick(lasts_s * 2), p.rating_W, false, s, m);
  CHECK(s.bus_V == 0.0);
  CHECK(m.load_J.value() == Approx(p.rating_W * lasts_s + p.holdup_J).epsilon(1e-6));
  CHECK(m.battery.soc_low_frac >= p.battery.soc_min_frac - 1e-12);
  for (int i = 0; i < 50; ++i) d.step(100 * ns_per_s, 0.2 * p.rating_W, true, s, m);
  CHECK(closed(d, s, m, p.holdup_J) < 1e-11);
  CHECK(d.battery().soc_frac(s.battery) > 0.99 * p.battery.soc_max_frac);
}

TEST_CASE("how the time is cut does not matter") {
  const PowerShelf d(shelf());
  auto a = d.start(), b = a;
  PowerShelfMeters ma, mb;
  d.step(37 * ns_per_ms, 2000, false, a, ma);
  for (int i = 0; i < 37; ++i) d.step(ns_per_ms, 2000, false, b, mb);
  CHECK(a.unit == b.unit);
  CHECK(a.holdup_J == Approx(b.holdup_J).epsilon(1e-12));
  CHECK(a.battery.energy_J == Approx(b.battery.energy_J).epsilon(1e-12));
}
