#include "connection/site_stream.hpp"

#include <cmath>
#include <string>

#include "catch.hpp"
#include "connection/load_lane.hpp"
#include "square.hpp"

using namespace tidewatt;
using namespace tidewatt::connection;

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

}  // namespace

TEST_CASE("every repetition's energy reaches the feeder, whatever the period") {
  SiteStream stream(plain(), 5e6, 0.5e6);
  const auto load = square(5e6, 15e6, 1'234'567'891, 700'000'123);
  double aux_J = 0.0;
  Tick flushed = 0;
  for (int step = 0; step < 7; ++step) {
    stream.append(0, load, 11, true);
    const double aux_W = 0.4e6 + 0.05e6 * step;
    const Tick until = 11 * load.period * (step + 1) / ns_per_ms * ns_per_ms;
    aux_J += aux_W * seconds(until - flushed);
    flushed = until;
    stream.flush(until, aux_W);
  }
  const double sent_J = repeated_energy_J(load, 0, flushed);
  stream.finish();
  const auto& m = stream.feeder_meters();
  CHECK(std::abs(m.load_J.value() / sent_J - 1) < 1e-13);
  CHECK(std::abs(m.auxiliary_J.value() / aux_J - 1) < 1e-13);
  CHECK(std::abs(stream.connection_J() / m.drawn_J.value() - 1) < 1e-13);
  CHECK(m.closure() < 1e-13);
}

TEST_CASE("cooling power moves evenly to its new mean: no step at a full minute, and the same energy") {
  SiteStream stream(plain(), 10e6, 0.5e6);
  stream.append(0, square(10e6, 10e6, ns_per_s, ns_per_s / 2), 180, true);
  const double aux_W[] = {0.5e6, 1.0e6, 1.0e6};
  for (int minute = 0; minute < 3; ++minute) stream.flush((minute + 1) * 60 * ns_per_s, aux_W[minute]);
  stream.finish();
  CHECK(stream.feeder_meters().auxiliary_J.value() == Approx(150e6).epsilon(1e-13));
  // 0.5 MW and a seventh of it within 15 s; a step would be 5 MW/s through 0.1 s.
  CHECK(stream.ramp_up_W_per_s() == Approx(0.5e6 * 8.0 / 7.0 / 15.0).epsilon(0.03));
  CHECK(stream.ramp_down_W_per_s() < 0.3 * stream.ramp_up_W_per_s());
  CHECK(stream.max_W() - stream.min_W() == Approx(0.5e6 * 8.0 / 7.0).epsilon(0.03));
}

TEST_CASE("repeating n times equals appending n templates") {
  SiteStream once(plain(), 5e6, 0), each(plain(), 5e6, 0);
  const auto load = square(5e6, 15e6, 777'777'777, 333'333'333);
  once.append(0, load, 20, true);
  for (int i = 0; i < 20; ++i) each.append(0, load, 1, true);
  for (auto* s : {&once, &each}) {
    s->flush(15'555 * ns_per_ms, 0);
    s->finish();
  }
  CHECK(once.max_W() == each.max_W());
  CHECK(once.min_W() == each.min_W());
  CHECK(once.step_1s_W() == each.step_1s_W());
  CHECK(once.connection_J() == Approx(each.connection_J()).epsilon(1e-15));
}

TEST_CASE("extremes are those of the edges: a pulse of 50 microseconds is not averaged away") {
  SiteStream stream(plain(), 5e6, 0);
  stream.append(0, square(5e6, 25e6, ns_per_s, 50'000), 3, true);
  stream.flush(3 * ns_per_s, 0);
  stream.finish();
  power::Feeder feeder(plain().feeder);
  CHECK(stream.max_W() == Approx(feeder.at(25e6, 0).connection_W()).epsilon(1e-12));
  CHECK(stream.min_W() == Approx(feeder.at(5e6, 0).connection_W()).epsilon(1e-12));
}

TEST_CASE("the spectrum of a repeated square wave peaks at its frequency") {
  SiteStream stream(plain(), 5e6, 0);
  stream.append(0, square(5e6, 15e6, 2 * ns_per_s, ns_per_s), 200, true);
  stream.flush(400 * ns_per_s, 0);
  stream.finish();
  const auto line = stream.spectrum().dominant(0.02);
  CHECK(line.frequency_Hz == Approx(0.5).epsilon(0.005));
  power::Feeder feeder(plain().feeder);
  const double swing = feeder.at(15e6, 0).connection_W() - feeder.at(5e6, 0).connection_W();
  CHECK(line.amplitude == Approx(2 * swing / 3.14159265).epsilon(0.01));
}

namespace {

mitigation::SiteBatteryParams smoother() {
  mitigation::SiteBatteryParams b;
  b.power_W = 20e6;
  b.energy_J = 3.6e10;
  b.charge_efficiency_frac = b.discharge_efficiency_frac = 0.95;
  b.soc_min_frac = 0.1;
  b.soc_max_frac = 0.9;
  b.control_period_s = 0.02;
  b.smoothing_s = 30;
  b.soc_gain_pu = 1;
  return b;
}

}  // namespace

TEST_CASE("a battery that smooths the connection lowers the iteration's line and keeps its books") {
  auto with = plain();
  with.battery = smoother();
  SiteStream smooth(with, 10e6, 0), raw(plain(), 10e6, 0);
  const auto load = square(5e6, 15e6, 4 * ns_per_s, 2 * ns_per_s);
  for (auto* s : {&smooth, &raw}) {
    s->append(0, load, 100, true);
    s->flush(400 * ns_per_s, 0);
    s->finish();
  }
  // One-second steps stay: every edge passes for one control period before the battery has seen it.
  CHECK(smooth.spectrum().dominant(0.02).amplitude < 0.2 * raw.spectrum().dominant(0.02).amplitude);
  CHECK(smooth.battery()->meters().closure(smooth.battery_stored_J()) < 1e-12);
  const auto& m = smooth.battery()->meters();
  CHECK(smooth.connection_J() ==
        Approx(smooth.feeder_meters().drawn_J.value() + m.charged_J.value() - m.discharged_J.value()).epsilon(1e-12));
}

TEST_CASE("whole periods booked in closed form give what passing every bin gives") {
  // A warm-up, a long repetition of no whole number of milliseconds beside a constant neighbour, and a stop.
  auto params = plain();
  params.n_lane = 2;
  auto slow = params;
  slow.closed_form = false;
  SiteStream fast(params, 7e6, 0), each(slow, 7e6, 0);
  const auto load = square(5e6, 15e6, 3'210'987'653, 1'987'654'321);
  for (auto* s : {&fast, &each}) {
    s->append(0, square(4e6, 4e6, 10 * ns_per_s, ns_per_s), 1, false);
    s->append(0, load, 600, true);
    s->append(0, square(3e6, 3e6, 100 * ns_per_s, ns_per_s), 1, false);
    s->append(1, square(2e6, 2e6, 2100 * ns_per_s, ns_per_s), 1, false);
    for (Tick t = 300; t <= 1800; t += 300) s->flush(t * ns_per_s, 0.7e6);
    s->flush(2030 * ns_per_s, 0.7e6);
    s->finish();
  }
  CHECK(fast.repeated_bins() > 1'000'000);
  CHECK(each.repeated_bins() == 0);
  CHECK(fast.feeder_meters().closure() < 1e-13);
  // Losses are those of a bin's mean, so where the edges fall in the bins shows in the seventh digit.
  CHECK(fast.connection_J() == Approx(each.connection_J()).epsilon(1e-6));
  CHECK(fast.feeder_meters().load_J.value() == Approx(each.feeder_meters().load_J.value()).epsilon(1e-13));
  CHECK(fast.max_W() == each.max_W());
  CHECK(fast.min_W() == each.min_W());
  CHECK(fast.step_1s_W() == Approx(each.step_1s_W()).epsilon(1e-12));
  CHECK(fast.grid().frequency_deviation_Hz() == Approx(each.grid().frequency_deviation_Hz()).epsilon(1e-3));
  std::vector<NamedArray> a, b;
  fast.add_arrays(a);
  each.add_arrays(b);
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].path.find("/pyramid") != 0 && a[i].path.find("/ramps") != 0) continue;
    INFO(a[i].path);
    const auto &x = std::get<std::vector<double>>(a[i].values), &y = std::get<std::vector<double>>(b[i].values);
    REQUIRE(x.size() == y.size());
    // A bucket may hold half a bin more or less of the 10 MW edge; its extremes may lie one bin beyond its ends.
    const bool mean = a[i].path.find("mean") != std::string::npos || a[i].path.find("/ramps") == 0;
    for (std::size_t k = 1; k + 1 < x.size(); ++k) {
      const auto [lo, hi] = std::minmax({y[k - 1], y[k], y[k + 1]});
      CHECK(x[k] >= (mean ? 0.98 * y[k] : lo * (1 - 1e-9)));
      CHECK(x[k] <= (mean ? 1.02 * y[k] : hi * (1 + 1e-9)));
    }
  }
}

TEST_CASE("a battery behind repetitions drifts as it does bin by bin: its charge, the connection, all energies") {
  auto params = plain();
  params.battery = smoother();
  params.battery->soc_initial_frac = 0.6;  // comes back to its half within half an hour, 5 MW at first
  params.battery->standby_W = 50e3;
  auto slow = params;
  slow.closed_form = false;
  SiteStream fast(params, 9e6, 0), each(slow, 9e6, 0);
  const auto load = square(5e6, 15e6, 3'210'987'653, 1'987'654'321);
  for (auto* s : {&fast, &each}) {
    s->append(0, load, 1200, true);
    for (Tick t = 300; t <= 3600; t += 300) s->flush(t * ns_per_s, 0.7e6);
    s->finish();
  }
  CHECK(each.repeated_bins() == 0);
  CHECK(fast.repeated_bins() > 500'000);
  const auto &a = fast.battery()->meters(), &b = each.battery()->meters();
  CHECK(a.closure(fast.battery_stored_J()) < 1e-12);
  CHECK(fast.connection_J() ==
        Approx(fast.feeder_meters().drawn_J.value() + a.charged_J.value() - a.discharged_J.value()).epsilon(1e-13));
  CHECK(fast.connection_J() == Approx(each.connection_J()).epsilon(3e-5));
  CHECK(fast.battery_stored_J() == Approx(each.battery_stored_J()).epsilon(1e-3));
  CHECK(a.charged_J.value() == Approx(b.charged_J.value()).epsilon(1e-3));
  CHECK(a.discharged_J.value() == Approx(b.discharged_J.value()).epsilon(1e-3));
  CHECK(fast.max_W() == Approx(each.max_W()).epsilon(1e-3));
  CHECK(fast.min_W() == Approx(each.min_W()).epsilon(1e-3));
  CHECK(fast.step_1s_W() == Approx(each.step_1s_W()).epsilon(1e-3));
  CHECK(fast.ramp_up_W_per_s() == Approx(each.ramp_up_W_per_s()).epsilon(1e-3));
}

TEST_CASE("a battery that an order, a rule of its own or its bounds move passes every bin") {
  auto ramping = plain(), emptying = plain(), ordered = plain();
  ramping.battery = smoother();
  ramping.battery->smoothing_s = 0;
  ramping.battery->soc_gain_pu = 0;
  ramping.battery->ramp_up_W_per_s = 1e3;
  ramping.battery->ramp_down_W_per_s = 100e6;  // the connection stays low and the store gives the rest
  emptying.battery = smoother();
  emptying.battery->soc_gain_pu = 0;
  emptying.battery->energy_J = 20e6;
  ordered.battery = smoother();
  ordered.orders.push_back({1'200'000, 1'260'000, 9e6, true});
  for (const auto& params : {ramping, emptying, ordered}) {
    SiteStream s(params, 9e6, 0);
    s.append(0, square(5e6, 15e6, 3'210'987'653, 1'987'654'321), 600, true);
    for (Tick t = 300; t <= 1800; t += 300) s.flush(t * ns_per_s, 0);
    s.finish();
    CHECK(s.repeated_bins() == 0);
    CHECK(s.battery()->meters().closure(s.battery_stored_J()) < 1e-12);
  }
}

TEST_CASE("repetitions booked behind rack storage give the charge and energies of bins passed one by one") {
  auto params = plain();
  params.delivery.emplace();
  params.delivery->feeder = params.feeder;
  params.delivery->rack_storage = {{8e6, 200e6, 0.985, 0.97, 0.25, 1.0, 0.5}, 10.0, 300.0, 0.0, 0.0};
  auto slow = params;
  slow.closed_form = false;
  SiteStream fast(params, 11e6, 0.7e6), each(slow, 11e6, 0.7e6);
  for (auto* s : {&fast, &each}) {
    s->append(0, square(5e6, 15e6, 3'210'987'653, 1'987'654'321), 400, true);
    s->append(0, square(6e6, 6e6, ns_per_s, ns_per_s / 2), 2, false);  // a short pause
    s->append(0, square(5e6, 15e6, 3'210'987'653, 1'987'654'321), 800, true);
    for (Tick t = 300; t <= 3600; t += 300) s->flush(t * ns_per_s, t < 1800 ? 0.7e6 : 0.71e6);
    s->finish();
  }
  CHECK(each.repeated_bins() == 0);
  CHECK(fast.repeated_bins() > 2'000'000);
  const auto &a = *fast.delivery()->rack_storage(), &b = *each.delivery()->rack_storage();
  for (const auto& level : fast.delivery()->books(fast.feeder_meters(), fast.bus_J(), fast.connection_J())) {
    INFO(level.name);
    CHECK(std::abs(level.in_J - level.out_J - level.stored_J) < 1e-12 * level.in_J);
  }
  CHECK(fast.feeder_meters().load_J.value() == Approx(each.feeder_meters().load_J.value()).epsilon(1e-13));
  CHECK(fast.feeder_meters().total_loss_J() == Approx(each.feeder_meters().total_loss_J()).epsilon(1e-4));
  CHECK(fast.connection_J() == Approx(each.connection_J()).epsilon(1e-5));
  // 1e-4 of 12 MW may be left to come, through 60 s.
  CHECK(fast.delivery()->stored_J() == Approx(each.delivery()->stored_J()).margin(72e3));
  CHECK(a.charged_J.value() == Approx(b.charged_J.value()).epsilon(1e-3));
  CHECK(a.discharge_loss_J.value() == Approx(b.discharge_loss_J.value()).epsilon(1e-3));
  CHECK(a.soc_low_frac == Approx(b.soc_low_frac).margin(4e-4));
  CHECK(a.soc_high_frac == Approx(b.soc_high_frac).margin(4e-4));
  CHECK(fast.max_W() == Approx(each.max_W()).epsilon(1e-4));
  CHECK(fast.min_W() == Approx(each.min_W()).epsilon(1e-4));
  CHECK(fast.step_1s_W() == Approx(each.step_1s_W()).epsilon(1e-3));
  CHECK(fast.ramp_up_W_per_s() == Approx(each.ramp_up_W_per_s()).epsilon(1e-3));
}

TEST_CASE("storage in racks whose droop still moves, or below supplies, passes every bin") {
  auto moving = plain(), supplied = plain();
  moving.delivery.emplace();
  moving.delivery->feeder = moving.feeder;
  moving.delivery->rack_storage = {{40e6, 4e6, 0.985, 0.97, 0.25, 1.0, 0.5}, 10.0, 1e6, 0.0, 0.0};
  supplied.delivery = moving.delivery;
  supplied.delivery->rack_storage->store.energy_J = 200e6;
  auto& ups = supplied.delivery->ups.emplace();
  ups.rating_W = 20e6, ups.low_pu = 0.85, ups.high_pu = 1.1, ups.return_s = 10.0, ups.walk_in_s = 10.0,
  ups.recharge_W = 1e6;
  ups.battery = {20e6, 6e9, 0.95, 0.95, 0.0, 1.0, 1.0};
  for (const auto& params : {moving, supplied}) {
    SiteStream s(params, 11e6, 0.7e6);
    s.append(0, square(5e6, 15e6, 3'210'987'653, 1'987'654'321), 300, true);
    for (Tick t = 300; t <= 900; t += 300) s.flush(t * ns_per_s, 0.7e6);
    s.finish();
    CHECK(s.repeated_bins() == 0);
  }
}

TEST_CASE("a span of nothing but repetitions has their extremes, also beside another lane") {
  auto params = plain();
  params.n_lane = 2;
  params.closed_form = true;
  SiteStream stream(params, 6e6, 0);
  const auto load = square(5e6, 15e6, 3 * ns_per_s, ns_per_s);
  stream.append(0, load, 400, true);
  stream.append(1, square(1e6, 1e6, 1200 * ns_per_s, 600 * ns_per_s), 1, false);
  const power::Feeder feeder(plain().feeder);
  for (int minute = 1; minute <= 20; ++minute) {  // 20 whole periods each
    stream.flush(60 * minute * ns_per_s, 0);
    const auto span = stream.take_span();
    INFO(minute);
    CHECK(span.min_W == Approx(feeder.at(6e6, 0).connection_W()).epsilon(1e-9));
    CHECK(span.max_W == Approx(feeder.at(16e6, 0).connection_W()).epsilon(1e-9));
  }
  CHECK(stream.repeated_bins() > 800'000);
}

TEST_CASE("a recorded window passes bin by bin for itself alone, and shows what it would anyway") {
  auto params = plain();
  SiteStream without(params, 7e6, 0);
  params.windows = {{"one", 1500 * ns_per_s, 1502 * ns_per_s}};
  auto slow = params;
  slow.closed_form = false;
  SiteStream fast(params, 7e6, 0), each(slow, 7e6, 0);
  for (auto* s : {&without, &fast, &each}) {
    s->append(0, square(5e6, 15e6, 3'210'987'653, 1'987'654'321), 600, true);
    for (Tick t = 300; t <= 1800; t += 300) s->flush(t * ns_per_s, 0.7e6);
    s->finish();
  }
  CHECK(fast.repeated_bins() > without.repeated_bins() - 20'000);  // two seconds and a few periods around them
  CHECK(fast.repeated_bins() < without.repeated_bins());
  std::vector<NamedArray> a, b;
  fast.add_arrays(a);
  each.add_arrays(b);
  std::size_t seen = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].path.find("/waveform_one/pcc_W") != 0) continue;
    const auto &x = std::get<std::vector<double>>(a[i].values), &y = std::get<std::vector<double>>(b[i].values);
    REQUIRE(x.size() == 2000);
    REQUIRE(y.size() == 2000);
    for (; seen < x.size(); ++seen) CHECK(x[seen] == Approx(y[seen]).epsilon(1e-9));
  }
  CHECK(seen == 2000);
}

TEST_CASE(
    "a grid with reserves: deadband, fast reserve and stages act in the stream as in their own model, repetitions "
    "included") {
  auto p = plain();
  p.frequency.system_VA = 200e6;
  grid::ReserveParams reserves;
  reserves.governor_deadband_Hz = 0.036;
  reserves.fast_W = 4e6, reserves.fast_below_Hz = 59.8, reserves.fast_delay_s = 0.2, reserves.fast_hold_s = 60.0;
  reserves.shed_below_Hz = {59.5}, reserves.shed_frac = {0.03}, reserves.shed_delay_s = 0.1,
  reserves.system_load_W = 150e6;
  auto held = p;
  held.reserves = reserves;
  held.closed_form = false;
  held.windows.push_back({"all", 0, 40 * ns_per_s});
  SiteStream stream(held, 5e6, 0.0), bare(p, 5e6, 0.0);
  for (auto* s : {&stream, &bare}) {
    s->append(0, square(20e6, 20e6, ns_per_s, ns_per_s / 2), 40, true);  // 15 MW more than before
    s->flush(40 * ns_per_s, 0.0);
    s->finish();
  }
  std::vector<NamedArray> arrays;
  stream.add_arrays(arrays);
  const auto real = [&](const char* path) -> const std::vector<double>& {
    for (const auto& a : arrays)
      if (a.path == path) return std::get<std::vector<double>>(a.values);
    throw InputError(path);
  };
  const auto &W = real("/waveform_all/pcc_W"), &Hz = real("/waveform_all/frequency_Hz");
  const grid::FrequencyReserves model(held.frequency, reserves);
  auto state = model.start(SiteStream(held, 5e6, 0.0).last_bin().pcc_W);
  std::vector<double> deviation(W.size());
  model.advance(W, deviation, state);
  double worst = 0.0;
  for (std::size_t i = 0; i < W.size(); ++i) worst = std::max(worst, std::abs(Hz[i] - 60.0 - deviation[i]));
  CHECK(worst < 1e-9);
  REQUIRE(stream.grid().reserves() != nullptr);
  CHECK(stream.grid().reserves()->fast_from_s == Approx(state.fast_from_s).margin(1e-9));
  CHECK(state.fast_from_s > 0.0);
  CHECK(stream.grid().shed_W() == Approx(0.03 * 150e6));
  CHECK(bare.grid().reserves() == nullptr);
  // What acts holds the frequency up; the deadband alone would let it fall further.
  CHECK(stream.grid().frequency_deviation_Hz() < bare.grid().frequency_deviation_Hz());
}
