#include "tidewatt/cooling/chiller.hpp"

#include <cmath>

#include "hydronic_day.hpp"
#include "tidewatt/base/error.hpp"

using namespace hydronic_day;

TEST_CASE("chiller: reference point, lift, cycling") {
  const ChillerParams p = plant("crah_chilled_water").chiller;
  const auto at = chiller_at(p, p.capacity_W, K(16), K(29.5));
  CHECK(at.available_W == Approx(p.capacity_W).epsilon(2e-3));
  CHECK(at.power_W == Approx(p.capacity_W / p.cop_ratio).epsilon(5e-3));
  CHECK(chiller_at(p, 0.8 * p.capacity_W, K(16), K(35)).power_W >
        chiller_at(p, 0.8 * p.capacity_W, K(16), K(25)).power_W);
  CHECK(chiller_at(p, 0.8 * p.capacity_W, K(10), K(29)).power_W >
        chiller_at(p, 0.8 * p.capacity_W, K(20), K(29)).power_W);
  const auto low = chiller_at(p, 0.05 * p.capacity_W, K(16), K(29.5));
  CHECK(low.cycling_frac == Approx(0.05 / p.plr_min_frac).epsilon(0.01));
  CHECK(chiller_at(p, 0.0, K(16), K(29.5)).power_W == 0.0);
  CHECK(chiller_at(p, 1.0, K(40), K(29.5)).outside);
  ChillerParams bad = p;
  bad.input_plr_ratio.pop_back();
  CHECK_THROWS_AS(check_chiller(bad), InputError);
}

TEST_CASE("chiller: condenser water beyond the curves unloads it, then stops it") {
  const ChillerParams p = plant("crah_chilled_water").chiller;
  const auto warmest = chiller_at(p, 0.0, K(16), p.entering_high_K);
  CHECK_FALSE(warmest.outside);
  const auto half = chiller_at(p, 0.5 * p.capacity_W, K(16), p.entering_high_K + 0.5 * p.unload_K);
  CHECK(half.available_W == Approx(0.5 * warmest.available_W));
  const auto stopped = chiller_at(p, 0.0, K(16), p.entering_high_K + p.unload_K);
  CHECK(stopped.available_W == 0.0);
  CHECK(stopped.power_W == 0.0);
}
