#include "tidewatt/mitigation/cost.hpp"

#include <vector>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/reader.hpp"

using namespace tidewatt;
using namespace tidewatt::mitigation;

namespace {
TariffParams tariff() {
  TariffParams t;
  t.price_USD_per_J.assign(24, 50.0 / 3.6e9);
  for (std::size_t h = 14; h < 20; ++h) t.price_USD_per_J[h] = 100.0 / 3.6e9;
  t.weekend_USD_per_J.assign(24, 40.0 / 3.6e9);
  t.demand_USD_per_W = 0.015;
  t.demand_window_s = 900;
  t.fixed_USD = 1000;
  return t;
}
}  // namespace

TEST_CASE("a bill by hand: a Friday and a Saturday at 10 MW with one quarter hour at 14 MW") {
  std::vector<double> mean_W(192, 10e6);
  mean_W[60] = 14e6;  // Friday 15:00
  const auto b = bill(tariff(), mean_W, {0.0, 4});
  CHECK(b.energy_USD == Approx(10 * (18 * 50 + 6 * 100) + 4 * 0.25 * 100 + 10 * 24 * 40).epsilon(1e-12));
  CHECK(b.demand_USD == Approx(14e6 * 0.015));
  CHECK(b.peak_window == 60);
  CHECK(b.total_USD() == Approx(b.energy_USD + b.demand_USD + 1000));
  CHECK(b.energy_J == Approx((10 * 48 + 1) * 3.6e9));
  CHECK(bill(tariff(), std::vector<double>(4, 1e6), {13.5, 0}).energy_USD == Approx(0.5 * 50 + 0.5 * 100));
  auto bad = tariff();
  bad.price_USD_per_J.pop_back();
  CHECK_THROWS_AS(bill(bad, mean_W, {0.0, 4}), InputError);
}

TEST_CASE("annuity and footprint by hand") {
  CHECK(annuity_USD(1000, 0.0, 10) == 100);
  CHECK(annuity_USD(1000, 0.10, 10) == Approx(162.745394883).epsilon(1e-9));
  FootprintParams f{std::vector<double>(24, 400 / 3.6e9), std::vector<double>(24, 1.8e-3 / 3.6e6)};
  const std::vector<double> mean_W(96, 10e6);
  const auto foot = footprint(f, mean_W, 900, {0.0, 0}, 5.0);
  CHECK(foot.carbon_kg == Approx(240 * 400).epsilon(1e-12));
  CHECK(foot.water_m3 == Approx(5 + 240e3 * 1.8e-3).epsilon(1e-12));
}

TEST_CASE("the catalog's tariffs and prices read in their units") {
  const auto read = [](const char* file, auto params) {
    const Node node = parse_toml_file(std::string(TIDEWATT_SOURCE_DIR) + "/catalog/" + file);
    std::vector<Finding> findings;
    TableReader reader(node, file, findings);
    params.fields(reader);
    for (const char* other : {"schema", "kind", "name", "sources", "assumed"}) reader.child(other);
    reader.finish();
    for (const auto& x : findings) FAIL(x.text());
    return params;
  };
  const auto t = read("tariff/time_of_use_example.toml", TariffParams{});
  CHECK(t.price_USD_per_J[15] == Approx(85.0 / 3.6e9));
  CHECK(t.demand_USD_per_W == Approx(0.015));
  CHECK(t.demand_window_s == 900);
  const auto f = read("footprint/footprint_example.toml", FootprintParams{});
  CHECK(f.water_m3_per_J[3] == Approx(1.8e-3 / 3.6e6));
  const auto p = read("price/price_battery.toml", PriceParams{});
  CHECK(p.capital_USD_per_J == Approx(220.0 / 3.6e6));
}
