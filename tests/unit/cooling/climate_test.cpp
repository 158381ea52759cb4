#include "tidewatt/cooling/climate.hpp"

#include <filesystem>

#include "catalog_file.hpp"
#include "cooling/epw.hpp"
#include "shared_data.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/cooling/diurnal.hpp"
#include "tidewatt/cooling/psychrometrics.hpp"

using namespace tidewatt;
using namespace tidewatt::cooling;

TEST_CASE("a typical day keeps the monthly mean and range, its wet bulb the mean's") {
  const auto c = catalog_file<ClimateParams>("climate/leesburg_va.toml");
  for (int month = 1; month <= 12; ++month) {
    const Weather w = climate_weather(c, month, ClimateDay::typical);
    const auto m = static_cast<std::size_t>(month - 1);
    CHECK(w.mean(0, ns_per_day).drybulb_K == Approx(c.typical_drybulb_K[m]).epsilon(1e-12));
    CHECK(w.at(15 * ns_per_hour).drybulb_K - w.at(5 * ns_per_hour).drybulb_K == Approx(c.typical_range_K[m]));
    CHECK(w.mean(0, ns_per_day).wetbulb_K == Approx(c.typical_wetbulb_K[m]).margin(0.5));
    CHECK(w.at(3 * ns_per_hour).drybulb_K == w.at(3 * ns_per_hour + 9 * ns_per_day).drybulb_K);
  }
}

TEST_CASE("a hot and an extreme day reach their maximum with the coincident wet bulb") {
  const auto c = catalog_file<ClimateParams>("climate/phoenix_az.toml");
  const Weather hot = climate_weather(c, 7, ClimateDay::hot, 15), extreme = climate_weather(c, 7, ClimateDay::extreme);
  CHECK(hot.at(0).drybulb_K == Approx(c.hot_max_K[6]));  // starts at 15 h
  CHECK(hot.at(0).wetbulb_K == Approx(c.hot_wetbulb_K[6]).margin(1e-6));
  CHECK(hot.at(14 * ns_per_hour).drybulb_K == Approx(c.hot_min_K[6]));
  CHECK(extreme.at(15 * ns_per_hour).drybulb_K >= hot.at(0).drybulb_K);
  CHECK(hot.at(0).humidity_ratio == hot.at(14 * ns_per_hour).humidity_ratio);
}

TEST_CASE("air is never above saturation, and holding it there is noted") {
  auto c = catalog_file<ClimateParams>("climate/atlanta_ga.toml");
  c.typical_wetbulb_K[6] = c.typical_drybulb_K[6] - 0.2;
  const Weather w = climate_weather(c, 7, ClimateDay::typical);
  for (int h = 0; h < 24; ++h) {
    const auto s = w.at(h * ns_per_hour);
    CHECK(relative_humidity_frac(s.drybulb_K, s.humidity_ratio, s.pressure_Pa) <= 1.0 + 1e-12);
  }
  CHECK(w.notes().size() == 1);
}

TEST_CASE("wrong climates and months are refused") {
  auto c = catalog_file<ClimateParams>("climate/atlanta_ga.toml");
  CHECK_THROWS_AS(climate_weather(c, 0, ClimateDay::hot), InputError);
  CHECK_THROWS_AS(climate_weather(c, 1, ClimateDay::hot, 24), InputError);
  c.hot_wetbulb_K[0] = c.hot_max_K[0] + 1.0;
  CHECK_THROWS_AS(climate_weather(c, 1, ClimateDay::hot), InputError);
  c.hot_max_K.pop_back();
  CHECK_THROWS_AS(climate_weather(c, 2, ClimateDay::hot), InputError);
}

TEST_CASE("catalog climates follow the typical years that they come from") {
  const auto folder = shared_data("weather_epw");
  if (!folder) {
    WARN("skipped: no folder weather_epw among the reference data");
    return;
  }
  std::vector<EpwYear> years;
  for (const auto& file : std::filesystem::directory_iterator(*folder)) years.push_back(read_epw(file.path().string()));
  int n_found = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(TIDEWATT_SOURCE_DIR) + "/catalog/climate")) {
    const auto c = catalog_file<ClimateParams>("climate/" + entry.path().filename().string());
    for (const EpwYear& y : years) {
      if (std::abs(y.latitude_deg - c.latitude_deg) > 1e-3 || std::abs(y.longitude_deg - c.longitude_deg) > 1e-3)
        continue;
      ++n_found;
      double drybulb = 0.0, wetbulb = 0.0;
      int n = 0;
      for (const auto& h : y.hours)
        if (h.month == 7) drybulb += h.air.drybulb_K, wetbulb += h.air.wetbulb_K, ++n;
      const auto mean = climate_weather(c, 7, ClimateDay::typical).mean(0, ns_per_day);
      INFO(c.place);
      CHECK(mean.drybulb_K == Approx(drybulb / n).margin(0.01));
      CHECK(mean.wetbulb_K == Approx(wetbulb / n).margin(0.3));
      CHECK(c.extreme_max_K[6] >= c.hot_max_K[6]);
    }
  }
  CHECK(n_found == 13);
}

TEST_CASE("catalog climates have the seasons of their hemisphere and the pressure of their altitude") {
  int n_place = 0, n_south = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(TIDEWATT_SOURCE_DIR) + "/catalog/climate")) {
    const auto c = catalog_file<ClimateParams>("climate/" + entry.path().filename().string());
    INFO(c.place);
    CHECK_NOTHROW(check_climate(c));
    ++n_place;
    n_south += c.latitude_deg < 0.0 ? 1 : 0;
    if (std::abs(c.latitude_deg) > 22.0)  // between the tropics monsoon and cloud decide
      CHECK(std::copysign(1.0, c.latitude_deg) * (c.typical_drybulb_K[6] - c.typical_drybulb_K[0]) > 4.0);
    for (std::size_t m = 0; m < 12; ++m) {
      CHECK(c.pressure_Pa[m] == Approx(standard_pressure_Pa(c.altitude_m)).epsilon(0.015));
      CHECK(c.extreme_max_K[m] >= c.hot_max_K[m]);
      CHECK(c.hot_max_K[m] > c.typical_drybulb_K[m]);
    }
    // Sea and sun: the warmest moment is in the afternoon, the coolest around sunrise.
    CHECK((c.high_s >= 13.0 * 3600.0 && c.high_s <= 16.0 * 3600.0));
    CHECK((c.low_s >= 4.0 * 3600.0 && c.low_s <= 7.0 * 3600.0));
  }
  CHECK(n_place >= 24);
  CHECK(n_south >= 5);
}

TEST_CASE("a generated year keeps the monthly means for every seed, and its extremes when asked") {
  const auto c = catalog_file<ClimateParams>("climate/omaha_ne.toml");
  const auto mean_K = [](const Weather& w, Tick first_day, Tick days) {
    double sum = 0.0;
    for (Tick h = 0; h < 24 * days; ++h) sum += w.at((24 * first_day + h) * ns_per_hour).drybulb_K;
    return sum / static_cast<double>(24 * days);
  };
  for (const std::uint64_t seed : {0u, 1u, 7u}) {
    const Weather w = climate_year(c, ClimateDay::typical, seed);
    CHECK(mean_K(w, 0, 31) == Approx(c.typical_drybulb_K[0]).margin(1e-6));
    CHECK(mean_K(w, 181, 31) == Approx(c.typical_drybulb_K[6]).margin(1e-6));
    CHECK(w.at(0).drybulb_K == climate_year(c, ClimateDay::typical, seed).at(365 * ns_per_day).drybulb_K);
  }
  CHECK(mean_K(climate_year(c, ClimateDay::hot, 1), 181, 31) > c.typical_drybulb_K[6] + 0.3);
  const Weather extreme = climate_year(c, ClimateDay::extreme, 1);
  double top_K = 0.0;
  for (Tick h = 181 * 24; h < 212 * 24; ++h) top_K = std::max(top_K, extreme.at(h * ns_per_hour).drybulb_K);
  CHECK(top_K >= c.extreme_max_K[6] - 1e-9);
  CHECK_THROWS_AS(climate_year(c, ClimateDay::typical, 1, 1.0), InputError);
}
