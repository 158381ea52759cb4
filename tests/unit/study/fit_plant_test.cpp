#include "study/fit_plant.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "coverage.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/cooling/psychrometrics.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

namespace {
constexpr double rated_W = 1e7, none = std::numeric_limits<double>::quiet_NaN();

std::vector<PlantReading> hours(std::size_t n, bool varied) {
  std::vector<PlantReading> out;
  for (std::size_t i = 0; i < n; ++i) {
    const auto u = [&](std::uint64_t what) {
      return varied ? random::uniform(4, random::Purpose::jitter, what, i) : 0.5;
    };
    cooling::WeatherSample w{273.15 + 2.0 + 34.0 * u(1), 0.0, 0.0, 101325.0};
    w.humidity_ratio = cooling::humidity_ratio_from_relative_humidity(w.drybulb_K, 0.25 + 0.5 * u(2), w.pressure_Pa);
    w.wetbulb_K = cooling::wet_bulb_K(w.drybulb_K, w.humidity_ratio, w.pressure_Pa);
    out.push_back({3600.0 * static_cast<double>(i), rated_W * (0.3 + 0.6 * u(3)), w, none, none, none, none, none});
  }
  return out;
}

void measure(std::vector<PlantReading>& readings, const EntryBase& base, const std::vector<double>& truth,
             std::uint64_t seed, bool parts) {
  Noise noise(seed, 0.01, 0.0, 0.5);
  for (auto& r : readings) {
    const auto W = plant_reading_W(base, rated_W, r, truth);
    const auto meter = [&](double x) { return x * (1.0 + noise.next()); };
    r.plant_W = meter(W[0]);
    if (parts) r.fan_W = meter(W[1]), r.pump_W = meter(W[2]), r.chiller_W = meter(W[3]), r.rejection_W = meter(W[4]);
  }
}

/// Three drawn truths, each fitted to its own hours.
Coverage covered(const EntryBase& base, const std::vector<PriorParameter>& prior, bool parts) {
  Coverage coverage;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const auto truth = drawn_truth(prior, seed, 1.5);
    auto readings = hours(16, true);
    measure(readings, base, truth, seed, parts);
    coverage.add(fit_plant(base, rated_W, readings).fit.values, truth);
  }
  return coverage;
}
}  // namespace

TEST_CASE("a water plant's chillers, fans and pumps come back from submeters", "[study][fit_plant][long]") {
  const EntryBase base("plant", "crah_chilled_water");
  const auto prior = plant_priors(base);
  auto coverage = covered(base, prior, true);
  INFO(coverage.text());
  CHECK(coverage.holds());
  for (const char* key : {"chiller_cop_ratio", "air_fan_kW", "tower_fan_kW"}) CHECK(coverage.identified(key) >= 2);
}

TEST_CASE("an outside-air plant's fans come back from its sum; the rest stays open", "[study][fit_plant]") {
  const EntryBase base("plant", "outside_air_evaporative");
  const auto prior = plant_priors(base);
  auto coverage = covered(base, prior, false);
  INFO(coverage.text());
  CHECK(coverage.holds());
  CHECK(coverage.identified("fan_efficiency_frac") == 3);
  // One kind of hour, over and over, cannot tell them apart.
  auto same = hours(12, false);
  measure(same, base, drawn_truth(prior, 1, 1.0), 1, false);
  int open = 0;
  for (const auto& v : fit_plant(base, rated_W, same).fit.values) open += !v.identified;
  CHECK(open >= 2);
  CHECK_THROWS_AS(plant_priors(EntryBase("plant", "prescribed_llama3_day")), InputError);
}
