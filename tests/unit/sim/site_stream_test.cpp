#include "tidewatt/sim/site_stream.hpp"

#include <cmath>

#include "catch.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

namespace {

SiteStream::Params plain() {
  SiteStream::Params p;
  for (auto& level : p.feeder.level) {
    level.n_branch = 1;
    level.rating_VA = 40e6;
    level.no_load_loss_W = 20e3;
    level.load_loss_W = 200e3;
    level.reactance_pu = 0.08;
  }
  p.feeder.load_power_factor_frac = 0.99;
  p.feeder.auxiliary_power_factor_frac = 0.9;
  p.source = {138e3, 5e9, 15, 1.02};
  p.frequency = {60, 60e9, 5, 1, 0.08, 0.2, 0.3, 7, 0.3};
  return p;
}

/// A square wave whose period is no whole number of milliseconds.
LoadTemplate square(double lo_W, double hi_W, Tick period, Tick high) {
  workload::Timeline t;
  t.classes = {{{high, 0}, {period - high, 1}}};
  t.kinds.resize(2);
  t.period = period;
  return make_load_template(t, {{hi_W, lo_W}});
}

}  // namespace

TEST_CASE("every repetition's energy reaches the feeder, whatever the period") {
  SiteStream stream(plain(), 5e6, 0.5e6);
  const auto load = square(5e6, 15e6, 1'234'567'891, 700'000'123);
  double sent_J = 0.0, aux_J = 0.0;
  for (int step = 0; step < 7; ++step) {
    stream.append(load, 11, true);
    const double aux_W = 0.4e6 + 0.05e6 * step;
    sent_J += 11 * load.total_J();
    aux_J += aux_W * 11 * seconds(load.period);
    stream.flush(aux_W);
  }
  stream.finish();
  const auto& m = stream.feeder_meters();
  CHECK(std::abs(m.load_J.value() / sent_J - 1) < 1e-13);
  CHECK(std::abs(m.auxiliary_J.value() / aux_J - 1) < 1e-13);
  CHECK(std::abs(stream.connection_J() / m.drawn_J.value() - 1) < 1e-13);
  CHECK(m.closure() < 1e-13);
}

TEST_CASE("repeating n times equals appending n templates") {
  SiteStream once(plain(), 5e6, 0), each(plain(), 5e6, 0);
  const auto load = square(5e6, 15e6, 777'777'777, 333'333'333);
  once.append(load, 20, true);
  for (int i = 0; i < 20; ++i) each.append(load, 1, true);
  for (auto* s : {&once, &each}) {
    s->flush(0);
    s->finish();
  }
  CHECK(once.max_W() == each.max_W());
  CHECK(once.min_W() == each.min_W());
  CHECK(once.step_1s_W() == each.step_1s_W());
  CHECK(once.connection_J() == Approx(each.connection_J()).epsilon(1e-15));
}

TEST_CASE("extremes are those of the edges: a pulse of 50 microseconds is not averaged away") {
  SiteStream stream(plain(), 5e6, 0);
  stream.append(square(5e6, 25e6, ns_per_s, 50'000), 3, true);
  stream.flush(0);
  stream.finish();
  power::Feeder feeder(plain().feeder);
  CHECK(stream.max_W() == Approx(feeder.at(25e6, 0).connection_W()).epsilon(1e-12));
  CHECK(stream.min_W() == Approx(feeder.at(5e6, 0).connection_W()).epsilon(1e-12));
}

TEST_CASE("the spectrum of a repeated square wave peaks at its frequency") {
  SiteStream stream(plain(), 5e6, 0);
  stream.append(square(5e6, 15e6, 2 * ns_per_s, ns_per_s), 200, true);
  stream.flush(0);
  stream.finish();
  const auto line = stream.spectrum().dominant(0.02);
  CHECK(line.frequency_Hz == Approx(0.5).epsilon(0.005));
  power::Feeder feeder(plain().feeder);
  const double swing = feeder.at(15e6, 0).connection_W() - feeder.at(5e6, 0).connection_W();
  CHECK(line.amplitude == Approx(2 * swing / 3.14159265).epsilon(0.01));
}

TEST_CASE("a battery that smooths the connection lowers the iteration's line and keeps its books") {
  auto with = plain();
  mitigation::SiteBatteryParams b;
  b.power_W = 20e6;
  b.energy_J = 3.6e10;
  b.charge_efficiency_frac = b.discharge_efficiency_frac = 0.95;
  b.soc_min_frac = 0.1;
  b.soc_max_frac = 0.9;
  b.control_period_s = 0.02;
  b.smoothing_s = 30;
  b.soc_gain_pu = 1;
  with.battery = b;
  SiteStream smooth(with, 10e6, 0), raw(plain(), 10e6, 0);
  const auto load = square(5e6, 15e6, 4 * ns_per_s, 2 * ns_per_s);
  for (auto* s : {&smooth, &raw}) {
    s->append(load, 100, true);
    s->flush(0);
    s->finish();
  }
  // One-second steps stay: every edge passes for one control period before the battery has seen it.
  CHECK(smooth.spectrum().dominant(0.02).amplitude < 0.2 * raw.spectrum().dominant(0.02).amplitude);
  CHECK(smooth.battery_meters().closure(smooth.battery_stored_J()) < 1e-12);
  const auto& m = smooth.battery_meters();
  CHECK(smooth.connection_J() == Approx(smooth.feeder_meters().drawn_J.value() + m.charged_J.value() - m.discharged_J.value()).epsilon(1e-12));
}
