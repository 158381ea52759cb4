#include "tidewatt/power/rack_storage.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "catch.hpp"
#include "read_catalog_file.hpp"
#include "tidewatt/base/error.hpp"
#include "wave.hpp"

using namespace tidewatt;
using namespace tidewatt::power;

namespace {
constexpr double low_W = 700.0, high_W = 1350.0, height_W = high_W - low_W;

RackStorageParams capacitors() {
  RackStorageParams p;
  read_catalog_file("rack_storage/gpu_capacitor_65J.toml", p);
  return p;
}
RackStorageParams lossless() {
  auto p = capacitors();
  p.store.charge_efficiency_frac = p.store.discharge_efficiency_frac = 1.0;
  return p;
}
std::vector<double> square(std::size_t n, std::size_t period, std::size_t on) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = i % period < period - on ? low_W : high_W;  // begins low, as a job does
  return x;
}
struct Figures {
  double max_W, rise_W, fall_W;  ///< over 0.1 s
};
Figures figures(const std::vector<double>& x, std::size_t from = 0) {
  Figures f{x[from], 0.0, 0.0};
  for (std::size_t i = from; i < x.size(); ++i) {
    f.max_W = std::max(f.max_W, x[i]);
    if (i < from + 100) continue;
    f.rise_W = std::max(f.rise_W, x[i] - x[i - 100]);
    f.fall_W = std::max(f.fall_W, x[i - 100] - x[i]);
  }
  return f;
}
struct Passed {
  std::vector<double> drawn_W;
  RackStorageState state;
  StoreMeters meters;
  double stored_J;
};
Passed pass(const RackStorageParams& p, const std::vector<double>& load_W) {
  const RackStorage device(p);
  Passed out{std::vector<double>(load_W.size()), device.start(load_W.front()), {}, 0.0};
  device.step(load_W, out.drawn_W, out.state, out.meters);
  out.stored_J = device.store().stored_J(out.state.store);
  return out;
}
double energy_J(const std::vector<double>& W) {
  double J = 0.0;
  for (const double w : W) J += 1e-3 * w;
  return J;
}
void never_worse(const std::vector<double>& load_W, double slack_frac) {
  const auto out = pass(capacitors(), load_W);
  const auto was = figures(load_W), is = figures(out.drawn_W);
  CHECK(is.max_W <= was.max_W * (1.0 + 1e-12));
  CHECK(is.rise_W <= was.rise_W * (1.0 + slack_frac) + 1e-9);
  CHECK(is.fall_W <= was.fall_W * (1.0 + slack_frac) + 1e-9);
  CHECK(out.meters.closure(out.stored_J) < 1e-12);
  const double gap_J = energy_J(out.drawn_W) - energy_J(load_W) - out.stored_J - out.meters.charge_loss_J.value() -
                       out.meters.discharge_loss_J.value();
  CHECK(std::abs(gap_J) < 1e-9 * energy_J(load_W));
}
}  // namespace

TEST_CASE("storage in the rack never makes a rise, a fall or a peak larger than the load's own", "[rack_storage]") {
  for (const std::size_t period : {50u, 100u, 130u, 200u, 500u, 1000u, 2500u, 5000u, 10'000u})
    for (const double duty : {0.05, 0.3, 0.5, 0.9}) {
      INFO(period << " ms, duty " << duty);
      // Over 0.1 s a wave whose period divides it does not rise at all, and the first seconds of learning do.
      if (100 % period == 0) continue;
      never_worse(square(400'000, period, static_cast<std::size_t>(duty * static_cast<double>(period))), 0.0);
    }
}

TEST_CASE("edges of several steps and slopes, with a stop between, are not steeper behind storage", "[rack_storage]") {
  for (const double edge_s : {0.02, 0.1, 0.2, 0.3, 0.5})
    for (const double steps : {1e9, 4.0}) {
      std::vector<double> load_W(400'000);
      for (std::size_t i = 0; i < load_W.size(); ++i) {
        const double t = std::fmod(static_cast<double>(i) * 1e-3, 2.5);
        const double x = t < 1.5 ? std::min(1.0, t / edge_s) : std::max(0.0, 1.0 - (t - 1.5) / edge_s);
        load_W[i] = low_W + height_W * std::floor(x * steps) / steps;
        if (i < 20'000 || (i > 200'000 && i < 260'000)) load_W[i] = 300.0;
      }
      INFO(edge_s << " s, " << steps);
      never_worse(load_W, 0.01);  // a stop from the bottom of an edge finds the store full
    }
}

TEST_CASE("fast repetition is drawn as its mean, and as much energy as before", "[rack_storage]") {
  for (const std::size_t on : {60u, 100u, 140u}) {
    const auto load_W = square(900'000, 200, on);
    auto p = lossless();
    p.learning_s = 60;
    const auto out = pass(p, load_W);
    const double D = static_cast<double>(on) / 200.0;
    const std::vector<double> late(out.drawn_W.end() - 20'000, out.drawn_W.end());
    CHECK(*std::max_element(late.begin(), late.end()) == Approx(low_W + D * height_W).margin(0.02 * height_W));
    CHECK(*std::min_element(late.begin(), late.end()) == Approx(low_W + D * height_W).margin(0.02 * height_W));
    CHECK(energy_J(late) / 20.0 == Approx(low_W + D * height_W).epsilon(1e-3));
    CHECK(out.meters.n_energy_limited == 0);
  }
}

TEST_CASE("slow repetition leaves edges of the time constant that its height allows: E/dP", "[rack_storage]") {
  for (const double energy_J : {65.0, 130.0}) {
    auto p = lossless();
    p.store.energy_J = energy_J;
    p.learning_s = 60;
    const auto out = pass(p, square(900'000, 5000, 2500));
    const double tau_s = energy_J / height_W;
    const std::size_t edge = out.drawn_W.size() - 2500;  // a rise begins
    for (const std::size_t ms : {20u, 100u, 200u})
      CHECK(out.drawn_W[edge + ms - 1] ==
            Approx(high_W - height_W * std::exp(-static_cast<double>(ms) * 1e-3 / tau_s)).margin(0.01 * height_W));
    const auto is = figures(out.drawn_W, edge - 5000);
    CHECK(is.fall_W == Approx(height_W * (1.0 - std::exp(-0.1 / tau_s))).epsilon(0.02));
    CHECK(is.rise_W == Approx(is.fall_W).epsilon(0.02));
    CHECK(out.state.high_W - out.state.low_W == Approx(height_W).epsilon(0.01));
  }
}

TEST_CASE("a store that meets more than it has learnt lets go over its last quarter, not in a millisecond",
          "[rack_storage]") {
  auto p = lossless();
  p.learning_s = 20;
  auto load_W = square(300'000, 200, 100);  // a ripple: the droop is narrow
  load_W.resize(302'000, high_W + height_W);
  const auto out = pass(p, load_W);
  double largest_W = 0.0;
  for (std::size_t i = 300'001; i < load_W.size(); ++i)
    largest_W = std::max(largest_W, out.drawn_W[i] - out.drawn_W[i - 1]);
  CHECK(out.drawn_W.back() == Approx(high_W + height_W));
  // 16 J against at least 975 W are gone with a time constant of at most 17 ms; abrupt it would be 975 W in one.
  CHECK(largest_W < 0.15 * 975.0);
  CHECK(out.meters.soc_low_frac >= 0.0);
}

TEST_CASE("short peaks do not reach the input", "[rack_storage]") {
  const auto load_W = square(900'000, 5000, 20);
  const auto out = pass(capacitors(), load_W);
  CHECK(figures(out.drawn_W, 800'000).max_W < low_W + 0.1 * height_W);
  CHECK(figures(out.drawn_W).max_W < low_W + 0.5 * height_W);  // before it has learnt: 20 ms against 65 J/1.4 kW
}

TEST_CASE("ramp limits hold at the input, and how the stream is cut changes no bit") {
  auto p = lossless();
  p.store.energy_J = 1e9;
  p.store.power_W = 1e9;
  p.store.soc_initial_frac = 0.5;
  p.ramp_up_W_per_s = p.ramp_down_W_per_s = 2e5;
  p.smoothing_s = 0.01;
  const RackStorage device(p);
  const auto load = wave(20'000);
  std::vector<double> a(load.size()), b = load;
  auto s = device.start(load[0]), q = s;
  StoreMeters m, mq;
  device.step(load, a, s, m);
  for (std::size_t i = 0; i < b.size(); i += 37) {
    const auto piece = std::span(b).subspan(i, std::min<std::size_t>(37, b.size() - i));
    device.step(piece, piece, q, mq);
  }
  CHECK(a == b);
  CHECK(s == q);
  for (std::size_t i = 1; i < a.size(); ++i) REQUIRE(std::abs(a[i] - a[i - 1]) <= 200.0 * (1 + 1e-9));
}

TEST_CASE("booked repetitions leave the charge and cost what the losses are") {
  auto p = capacitors();
  p.store.charge_efficiency_frac = 0.9;
  p.store.discharge_efficiency_frac = 0.95;
  p.learning_s = 20;
  const RackStorage device(p);
  const auto load = square(1'000'000, 203, 97);
  auto s = device.start(low_W);
  StoreMeters m;
  const auto drawn_J = [&](std::size_t from, std::size_t n) {
    std::vector<double> out(n);
    device.step(std::span(load).subspan(from, n), out, s, m);
    return energy_J(out);
  };
  auto mark = s;
  auto met = m;
  drawn_J(0, 203);
  CHECK_FALSE(device.repeats(mark, met, s, m, 203, 0.1));  // the droop has yet to narrow
  drawn_J(203, 203 * 4000);
  mark = s, met = m;
  const double unit_J = drawn_J(203 * 4001, 4'060 - 1);  // twenty periods but for a bin, as phases of 1 ms have it
  CHECK(device.repeats(mark, met, s, m, 4'059, 1.0));
  const auto before = s;
  const double less_J = device.repeat(s, m, mark, met, 50.0);
  CHECK(s == before);
  CHECK(m.closure(device.store().stored_J(s.store)) < 1e-12);
  auto each = before;
  auto each_m = met;
  double each_J = 0.0;
  for (int k = 0; k < 50; ++k) {
    std::vector<double> out(4'060);
    device.step(std::span(load).subspan(0, 4'060), out, each, each_m);
    each_J += energy_J(out);
  }
  CHECK(50.0 * unit_J - less_J == Approx(each_J * 4'059.0 / 4'060.0).epsilon(2e-4));
  CHECK(m.discharge_loss_J.value() - met.discharge_loss_J.value() ==
        Approx(each_m.discharge_loss_J.value() - met.discharge_loss_J.value()).epsilon(0.02));
}

TEST_CASE("the catalog's stores in racks read") {
  CHECK(capacitors().store.energy_J * capacitors().store.soc_max_frac == 65.0);
  CHECK_NOTHROW(RackStorage(capacitors()));
  RackStorageParams p;
  read_catalog_file("rack_storage/rack_supercapacitor_20kW.toml", p);
  CHECK_NOTHROW(RackStorage(p));
}
