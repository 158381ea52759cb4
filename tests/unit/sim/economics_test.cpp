#include "tidewatt/sim/economics.hpp"

#include <numeric>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "tiny.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

namespace {

EconomicsParams prices() {
  EconomicsParams e;
  e.tariff.price_USD_per_J.assign(24, 60.0 / 3.6e9);
  for (std::size_t h = 14; h < 21; ++h) e.tariff.price_USD_per_J[h] = 120.0 / 3.6e9;
  e.tariff.weekend_USD_per_J.assign(24, 30.0 / 3.6e9);
  e.tariff.demand_USD_per_W = 15e-3;
  e.tariff.demand_window_s = 900.0;
  e.tariff.fixed_USD = 3000.0;
  e.tariff.water_USD_per_m3 = 2.0;
  e.footprint.carbon_kg_per_J.assign(24, 400.0 / 3.6e9);
  e.footprint.carbon_kg_per_J[12] = 100.0 / 3.6e9;
  e.footprint.water_m3_per_J.assign(24, 1.8e-3 / 3.6e6);
  return e;
}

Value value(const Result& r, const std::string& key) {
  for (const auto& [k, v] : r.summary)
    if (k == key) return v;
  throw std::runtime_error("no figure " + key);
}

double entry(const Result& r, const std::string& key, const std::string& name) {
  const Value list = value(r, key);
  for (const auto& [k, x] : std::get<std::vector<std::pair<std::string, double>>>(list))
    if (k == name) return x;
  throw std::runtime_error("no entry " + name);
}

const char* economics = R"(
[economics]
tariff = "time_of_use_example"
footprint = "footprint_example"
devices_USD_per_year = 1000
)";

}  // namespace

TEST_CASE("a constant megawatt by hand: hours of the tariff, weekends, the run's share of the month") {
  const MinuteMeans day{std::vector<double>(24 * 60, 1e6), 60.0};
  const auto e = prices();
  const auto monday = run_cost(e, e.tariff, day, {0.0, 0}, 10.0);
  CHECK(monday.energy_USD == Approx(17 * 60.0 + 7 * 120.0));
  CHECK(monday.carbon_kg == Approx(23 * 400.0 + 100.0));
  CHECK(monday.water_m3 == Approx(24 * 1.8 + 10.0));
  CHECK(monday.water_USD == Approx(20.0));
  CHECK(monday.demand_USD == Approx(15000.0 * 12.0 / 365.25));
  CHECK(monday.fixed_USD == Approx(3000.0 * 12.0 / 365.25));
  CHECK(run_cost(e, e.tariff, day, {0.0, 5}, 0.0).energy_USD == Approx(24 * 30.0));
  CHECK(run_cost(e, e.tariff, day, {12.0, 4}, 0.0).energy_USD ==
        Approx(2 * 60 + 7 * 120 + 3 * 60 + 12 * 30));  // Friday noon
  CHECK(std::accumulate(monday.hour_USD.begin(), monday.hour_USD.end(), 0.0) == Approx(monday.energy_USD));
}

TEST_CASE("the demand charge follows the largest full quarter of an hour, and a last minute counts with its length") {
  MinuteMeans m{std::vector<double>(60, 1e6), 30.0};
  for (std::size_t i = 15; i < 30; ++i) m.mean_W[i] = 2e6;
  m.mean_W[40] = 9e6;  // a minute's peak, one fifteenth of a window
  const auto e = prices();
  const auto c = run_cost(e, e.tariff, m, {0.0, 0}, 0.0);
  CHECK(c.peak_W == Approx(2e6));
  CHECK(c.hour_J.front() == Approx(60.0 * (43 * 1e6 + 15 * 2e6 + 9e6) + 30.0 * 1e6));
  const MinuteMeans brief{{1e6, 3e6}, 60.0};  // shorter than a window: its mean
  CHECK(run_cost(e, e.tariff, brief, {0.0, 0}, 0.0).peak_W == Approx(2e6));
}

TEST_CASE("weekdays of dates that are known") {
  CHECK(calendar_start("2024-07-20T15:00:00").weekday == 5);  // a Saturday
  CHECK(calendar_start("2024-07-20T15:00:00").hour == 15.0);
  CHECK(calendar_start("2024-02-29T00:00:00").weekday == 3);
  CHECK(calendar_start("2000-01-01T00:00:00").weekday == 5);
  CHECK_THROWS_AS(calendar_start("soon"), InputError);
}

TEST_CASE("a run's cost is its energy's, and per token the whole over the tokens") {
  const auto r = run(tiny(economics, {"economics.tariff.demand_USD_per_kW=0"}));
  const double MWh = figure(r, "pcc_mean_MW") * 112.5 / 3600.0;
  CHECK(entry(r, "cost_USD", "energy") == Approx(45.0 * MWh).epsilon(1e-9));  // a Saturday
  CHECK(entry(r, "cost_USD", "demand") == 0.0);
  CHECK(entry(r, "cost_USD", "devices") == Approx(1000.0 * 112.5 / (365.25 * 86400.0)));
  CHECK(entry(r, "cost_USD", "total_low_prices") < entry(r, "cost_USD", "total"));
  CHECK(entry(r, "cost_USD", "total_high_prices") > entry(r, "cost_USD", "total"));
  const auto& job = r.jobs[0];
  const auto at = std::find_if(job.begin(), job.end(), [](const auto& f) { return f.first == "tokens"; });
  REQUIRE(at != job.end());
  const double tokens = std::get<double>(at->second);
  CHECK(figure(r, "cost_USD_per_Ttoken") == Approx(entry(r, "cost_USD", "total") * 1e12 / tokens));
  CHECK(figure(r, "carbon_t") == Approx(0.32 * MWh).epsilon(1e-9));  // from 14 h on
  // Without the table there are no such figures.
  CHECK_THROWS(figure(run(tiny()), "carbon_t"));
}

TEST_CASE("a tariff needs all hours") {
  CHECK_THROWS_AS(tiny("\n[economics]\nfootprint = \"footprint_example\"\n[economics.tariff]\ncatalog = "
                       "\"time_of_use_example\"\nprice_USD_per_MWh = [50, 60]\n"),
                  InputError);
  CHECK_THROWS_AS(tiny("\n[economics]\nfootprint = \"footprint_example\"\n"), InputError);
}

TEST_CASE("transformers: hot spot of a run by hand, ageing, and nothing without them") {
  const auto r = run(tiny("", {"site.hall_transformer=transformer_oil_distribution",
                               "site.site_transformer=transformer_oil_substation", "run.duration_h=2"}));
  // Two hours are short against the oil's three: between the first step's steady state and the loading's.
  const double K = entry(r, "transformer_loading_rms_max", "hall");
  CHECK(K > 0.02);
  CHECK(K < 0.8);
  CHECK(entry(r, "transformer_hot_spot_max_degC", "hall") > 25.0);
  CHECK(entry(r, "transformer_hot_spot_max_degC", "hall") < 40.0 + 55.0 + 23.0);
  CHECK(entry(r, "transformer_life_lost_h", "hall") == Approx(2.0 * entry(r, "transformer_ageing_ratio", "hall")));
  CHECK(entry(r, "transformer_life_lost_h", "hall") < 0.1);
  CHECK_THROWS(value(run(tiny()), "transformer_life_lost_h"));
}

TEST_CASE("water is billed for what the plant evaporates: litres per kilowatt-hour times the servers' energy") {
  const auto r = run(tiny(economics, {"economics.tariff.water_USD_per_m3=3", "run.duration_h=0.1"}));
  const double it_kWh = figure(r, "it_mean_MW") * 1000.0 * 0.1, m3 = figure(r, "wue_L_per_kWh") * it_kWh * 1e-3;
  REQUIRE(m3 > 1e-4);  // a hot afternoon: the media are wet
  CHECK(entry(r, "water_m3", "site") == Approx(m3).epsilon(1e-9));
  CHECK(entry(r, "cost_USD", "water") == Approx(3.0 * m3).epsilon(1e-9));
}
