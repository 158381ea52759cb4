#include "tidewatt/mitigation/site_battery.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/reader.hpp"
#include "wave.hpp"

using namespace tidewatt;
using namespace tidewatt::mitigation;

namespace {
SiteBatteryParams battery() {
  SiteBatteryParams p;
  p.power_W = 10e6;
  p.energy_J = 10e6 * 3600.0;
  p.charge_efficiency_frac = 0.94;
  p.discharge_efficiency_frac = 0.93;
  p.standby_W = 30e3;
  p.soc_min_frac = 0.1;
  p.soc_max_frac = 0.9;
  p.control_period_s = 0.02;
  p.ramp_up_W_per_s = 1e6;
  p.ramp_down_W_per_s = 2e6;
  return p;
}
double stored_J(const SiteBatteryState& s, const SiteBatteryParams& p) {
  return (s.energy_J - p.soc_initial_frac * p.energy_J) + s.energy_carry_J;
}
}  // namespace

TEST_CASE("a step of the load appears for one control period, then climbs the ramp to the new level") {
  const SiteBatteryParams p = battery();
  const SiteBattery b(p);
  auto s = b.start(5e6);
  SiteBatteryMeters m;
  std::vector<double> load_W(6000, 5e6), pcc_W(6000);
  std::fill(load_W.begin() + 1000, load_W.end(), 8e6);
  b.step(load_W, pcc_W, s, m);
  for (std::size_t i = 0; i < 1000; ++i) REQUIRE(pcc_W[i] == Approx(5e6).epsilon(1e-14));
  for (std::size_t i = 1000; i < 1020; ++i) REQUIRE(pcc_W[i] == Approx(8e6).epsilon(1e-14));  // the hold
  for (std::size_t i = 1020; i < 6000; ++i) {
    const double ramp_W = 5e6 + 1e6 * 0.02 * static_cast<double>((i - 1000) / 20);
    REQUIRE(pcc_W[i] == Approx(std::min(ramp_W, 8e6)).epsilon(1e-12));
  }
  // given: the triangle ∫ (8 MW − ramp) dt over 150 periods, without the one that was held
  const double given_J = 0.02 * 1e6 * 0.02 * (150.0 * 149.0 / 2.0);
  CHECK(m.discharged_J.value() == Approx(given_J).epsilon(1e-12));
  CHECK(m.charged_J.value() == 0.0);
  CHECK(s.energy_J + s.energy_carry_J == Approx(0.5 * p.energy_J - given_J / 0.93 - 30e3 * 6.0).epsilon(1e-14));
}

TEST_CASE("falling is limited by its own rate, with the sign of charging") {
  const SiteBattery b(battery());
  auto s = b.start(8e6);
  SiteBatteryMeters m;
  std::vector<double> load_W(1000, 5e6), pcc_W(1000);
  b.step(load_W, pcc_W, s, m);
  CHECK(pcc_W[25] == Approx(8e6 - 2e6 * 0.02));
  CHECK(pcc_W[999] == Approx(8e6 - 2e6 * 0.02 * 49));
  CHECK(m.discharged_J.value() == 0.0);
}

TEST_CASE("the low-pass follows its exponential and the converter its lag") {
  SiteBatteryParams p = battery();
  p.ramp_up_W_per_s = p.ramp_down_W_per_s = 0.0;
  p.smoothing_s = 3.0;
  const SiteBattery b(p);
  auto s = b.start(5e6);
  SiteBatteryMeters m;
  std::vector<double> load_W(10000, 8e6), pcc_W(10000);
  b.step(load_W, pcc_W, s, m);
  for (std::size_t i = 20; i < 10000; i += 123) {
    const double t_s = 0.02 * static_cast<double>(i / 20);
    REQUIRE(pcc_W[i] == Approx(8e6 - 3e6 * std::exp(-t_s / 3.0)).epsilon(1e-12));
  }

  p.smoothing_s = 1e6;  // command: hold the connection at 5 MW
  p.response_s = 0.05;
  const SiteBattery slow(p);
  auto q = slow.start(5e6);
  slow.step(load_W, pcc_W, q, m);
  const double x = 0.001 / 0.05;
  const double mean_frac = std::exp(-0.1 / 0.05) * (1 - std::exp(-x)) / x;  // bin 100 ms after the command
  CHECK(pcc_W[120] == Approx(5e6 + 3e6 * mean_frac).epsilon(1e-5));
}

TEST_CASE("the store's bounds are never left, limits are counted, and the books close to 1e-12") {
  for (const double size : {1.0, 2e-3, 2e-4}) {
    SiteBatteryParams p = battery();
    p.energy_J *= size;
    p.response_s = 0.03;
    p.soc_gain_pu = 0.2;
    const SiteBattery b(p);
    const auto load_W = wave(300'000);
    std::vector<double> pcc_W(load_W.size());
    auto s = b.start(load_W[0]);
    SiteBatteryMeters m;
    b.step(load_W, pcc_W, s, m);
    CHECK(m.soc_min_frac >= p.soc_min_frac * (1 - 1e-12));
    CHECK(m.soc_max_frac <= p.soc_max_frac * (1 + 1e-12));
    CHECK(m.closure(stored_J(s, p)) < 1e-12);
    CHECK((m.n_energy_limited > 0) == (size < 1e-2));
    CHECK((m.not_served_J.value() > 0.0) == (m.n_energy_limited + m.n_power_limited > 0));
    double exchanged_J = 0.0;
    for (std::size_t i = 0; i < pcc_W.size(); ++i) exchanged_J += (pcc_W[i] - load_W[i]) * 1e-3;
    CHECK(std::abs(exchanged_J - (m.charged_J.value() - m.discharged_J.value())) < 1e-11 * m.charged_J.value());

    auto broken = m;  // every loss is needed
    broken.charge_loss_J = {};
    CHECK(broken.closure(stored_J(s, p)) > 1e-4);
    broken = m;
    broken.discharge_loss_J = {};
    CHECK(broken.closure(stored_J(s, p)) > 1e-4);
    broken = m;
    broken.standby_J = {};
    CHECK(broken.closure(stored_J(s, p)) > 1e-4);
  }
}

TEST_CASE("an empty store draws its standby power from the connection") {
  SiteBatteryParams p = battery();
  p.soc_initial_frac = p.soc_min_frac;
  p.soc_target_frac = p.soc_min_frac;
  const SiteBattery b(p);
  auto s = b.start(5e6);
  SiteBatteryMeters m;
  std::vector<double> load_W(100, 5e6), pcc_W(100);
  b.step(load_W, pcc_W, s, m);
  CHECK(pcc_W[10] == Approx(5e6 + 30e3 / 0.94).epsilon(1e-12));
  CHECK(m.soc_min_frac >= 0.1 * (1 - 1e-12));
}

TEST_CASE("the rating cuts the command, without wind-up") {
  SiteBatteryParams p = battery();
  p.power_W = 1e6;
  const SiteBattery b(p);
  auto s = b.start(5e6);
  SiteBatteryMeters m;
  std::vector<double> load_W(2000, 8e6), pcc_W(2000);
  b.step(load_W, pcc_W, s, m);
  CHECK(pcc_W[25] == Approx(7e6));       // all it can
  CHECK(pcc_W[1019] == Approx(7.98e6));  // then climbs the ramp from there
  CHECK(m.n_power_limited == 1);
  CHECK(m.not_served_J.value() == Approx((3e6 - 20e3 - 1e6) * 0.02));
}

TEST_CASE("how the stream is cut does not change a bit") {
  SiteBatteryParams small = battery();
  small.energy_J *= 2e-4;  // runs into its bounds
  small.response_s = 0.03;
  const SiteBattery b(small);
  const auto load_W = wave(20'000);
  std::vector<double> whole(load_W.size()), parts = load_W;
  auto s = b.start(load_W[0]), q = s;
  SiteBatteryMeters m, mq;
  b.step(load_W, whole, s, m);
  for (std::size_t i = 0; i < parts.size(); i += 37) {  // in place, across control periods
    const auto piece = std::span(parts).subspan(i, std::min<std::size_t>(37, parts.size() - i));
    b.step(piece, piece, q, mq);
  }
  CHECK(whole == parts);
  CHECK(s.energy_J == q.energy_J);
  CHECK(m.n_energy_limited > 0);
  CHECK(m.n_energy_limited == mq.n_energy_limited);
}

TEST_CASE("an inconsistent battery is refused with every finding") {
  SiteBatteryParams p = battery();
  p.control_period_s = 0.0205;
  p.soc_min_frac = 0.95;
  try {
    SiteBattery b(p);
    FAIL("accepted");
  } catch (const InputError& e) {
    CHECK(e.findings().size() >= 3);
  }
}

TEST_CASE("the catalog's storage reads, quarters the swing of a training job's 1 s means and keeps its charge") {
  for (const std::string name : {"site_battery_10MW", "site_supercapacitor_10MW"}) {
    Node node = parse_toml_file(std::string(TIDEWATT_SOURCE_DIR) + "/catalog/storage/" + name + ".toml");
    std::vector<Finding> findings;
    TableReader reader(node, "storage", findings);
    SiteBatteryParams p;
    p.fields(reader);
    for (const char* other : {"schema", "kind", "name", "sources", "assumed"}) reader.child(other);
    reader.finish();
    for (const auto& f : findings) FAIL(f.text());
    const SiteBattery b(p);
    const auto load_W = wave(600'000);
    std::vector<double> pcc_W(load_W.size());
    auto s = b.start(14.6e6);
    SiteBatteryMeters m;
    b.step(load_W, pcc_W, s, m);
    // past the start; each edge still shows for the hold and the lag, some 50 ms
    double lo = 1e300, hi = 0.0;
    for (std::size_t i = 200'000; i < pcc_W.size(); i += 1000) {
      double mean = 0.0;
      for (std::size_t k = i; k < i + 1000; ++k) mean += pcc_W[k] / 1000.0;
      lo = std::min(lo, mean);
      hi = std::max(hi, mean);
    }
    CHECK(hi - lo < 0.25 * 11e6);
    CHECK(m.n_energy_limited == 0);
    CHECK(m.closure(stored_J(s, p)) < 1e-12);
  }
}

TEST_CASE("inside its band the battery rests, outside it holds the edge") {
  SiteBatteryParams p = battery();
  p.ramp_up_W_per_s = p.ramp_down_W_per_s = 0.0;
  p.smoothing_s = 1e6;
  p.band_W = 1e6;
  const SiteBattery b(p);
  auto s = b.start(5e6);
  SiteBatteryMeters m;
  std::vector<double> load_W(3000, 5.5e6), pcc_W(3000);
  std::fill(load_W.begin() + 1000, load_W.begin() + 2000, 8e6);
  std::fill(load_W.begin() + 2000, load_W.end(), 3e6);
  b.step(load_W, pcc_W, s, m);
  CHECK(pcc_W[900] == Approx(5.5e6).epsilon(1e-12));
  CHECK(pcc_W[1900] == Approx(6e6).epsilon(1e-5));
  CHECK(pcc_W[2900] == Approx(4e6).epsilon(1e-5));
  const auto same = s;
  CHECK(same == s);
}
