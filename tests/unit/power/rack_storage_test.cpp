#include "tidewatt/power/rack_storage.hpp"

#include <algorithm>
#include <vector>

#include "catalog_file.hpp"
#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "wave.hpp"

using namespace tidewatt;
using namespace tidewatt::power;

namespace {
RackStorageParams lossless() {
  RackStorageParams p;
  p.store = {1000.0, 200.0, 1.0, 1.0, 0.0, 1.0, 0.5};
  p.smoothing_s = 5.0;
  p.soc_target_frac = 0.5;
  p.soc_return_s = 20.0;
  return p;
}
std::vector<double> pulses(std::size_t n, std::size_t period, std::size_t on, double low, double high) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = i % period < on ? high : low;
  return x;
}
}  // namespace

TEST_CASE("a repeating peak is drawn as its mean: the peak falls by (1 - D) times its height") {
  for (const std::size_t on : {30u, 50u, 140u}) {
    const RackStorage device(lossless());
    auto load = pulses(100'000, 200, on, 980, 1400);
    auto s = device.start(980 + 420 * static_cast<double>(on) / 200.0);
    StoreMeters m;
    device.step(load, load, s, m);
    const double D = static_cast<double>(on) / 200.0;
    CHECK(*std::max_element(load.end() - 1000, load.end()) == Approx(980 + 420 * D).margin(8));
    CHECK(*std::min_element(load.end() - 1000, load.end()) == Approx(980 + 420 * D).margin(8));
    CHECK(m.n_energy_limited == 0);
    CHECK(m.closure(device.store().stored_J(s.store)) < 1e-12);
  }
}

TEST_CASE("a step is followed at the low-pass while the store lasts, then the input is the load") {
  auto p = lossless();
  p.store.energy_J = 2000;
  p.store.power_W = 1e4;
  p.soc_return_s = 1e6;
  const RackStorage device(p);
  std::vector<double> load(20'000, 1300.0);
  auto s = device.start(1000.0);
  StoreMeters m;
  std::vector<double> drawn(load.size());
  device.step(load, drawn, s, m);
  CHECK(drawn[0] == Approx(1000.0).epsilon(1e-12));
  CHECK(drawn[2000] == Approx(1300 - 300 * std::exp(-2.0 / 5.0)).epsilon(1e-6));
  // 1,000 J are given once 300 W · 5 s (1 − e^(−t/5 s)) = 1,000 J: after 5 s ln 3
  const auto empty = static_cast<std::size_t>(5.0 * std::log(3.0) * 1000);
  CHECK(drawn[empty - 10] < 1202);
  CHECK(drawn[empty + 10] == 1300.0);
  CHECK(m.n_energy_limited > 0);
}

TEST_CASE("ramp limits hold at the input, and how the stream is cut changes no bit") {
  auto p = lossless();
  p.store.energy_J = 1e9;
  p.store.power_W = 1e9;
  p.ramp_up_W_per_s = p.ramp_down_W_per_s = 2e5;
  p.smoothing_s = 0.01;
  p.soc_return_s = 1e5;
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
  auto p = lossless();
  p.store.charge_efficiency_frac = 0.9;
  p.store.discharge_efficiency_frac = 0.95;
  p.soc_return_s = 1.0;  // the losses ask for 16 W more than the mean
  const RackStorage device(p);
  auto load = pulses(400'000, 203, 97, 980, 1400);
  auto s = device.start(1190);
  StoreMeters m;
  const auto drawn_J = [&](std::size_t from, std::size_t n) {
    std::vector<double> out(n);
    device.step(std::span(load).subspan(from, n), out, s, m);
    double J = 0.0;
    for (const double W : out) J += 1e-3 * W;
    return J;
  };
  auto mark = s;
  auto met = m;
  drawn_J(0, 203);
  CHECK_FALSE(device.repeats(mark, met, s, m, 203, 0.1));  // the charge still falls
  drawn_J(203, 203 * 1000);
  mark = s, met = m;
  const double unit_J = drawn_J(203 * 1001, 2029);  // ten periods but for a bin, as phases of 1 ms have it
  CHECK(device.repeats(mark, met, s, m, 2029, 1.0));
  const auto before = s;
  const double less_J = device.repeat(s, m, mark, met, 500.0);
  CHECK(s == before);
  CHECK(m.closure(device.store().stored_J(s.store)) < 1e-12);
  auto each = before;
  auto each_m = met;
  double each_J = 0.0;
  for (int k = 0; k < 500; ++k) {
    std::vector<double> out(2030);
    device.step(std::span(load).subspan(0, 2030), out, each, each_m);
    for (const double W : out) each_J += 1e-3 * W;
  }
  CHECK(500.0 * unit_J - less_J == Approx(each_J * 2029.0 / 2030.0).epsilon(2e-4));
  CHECK(m.discharge_loss_J.value() - met.discharge_loss_J.value() ==
        Approx(each_m.discharge_loss_J.value() - met.discharge_loss_J.value()).epsilon(0.02));
}

TEST_CASE("the catalog's capacitor shelf reads") {
  RackStorageParams p;
  read_catalog_file("rack_storage/gpu_capacitor_65J.toml", p);
  CHECK(p.store.energy_J * p.store.soc_max_frac == 65.0);
  CHECK_NOTHROW(RackStorage(p));
}
