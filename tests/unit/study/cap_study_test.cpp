#include "study/cap_study.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "tiny.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

namespace {

CapStudy caps(std::vector<std::string> sets = {}, CapOptions o = {}) {
  sets.insert(sets.end(), {"run.duration_h=0.05", "weather.day=hot"});
  o.n_thread = 1;
  return study_caps(tiny("", sets), o);
}

constexpr auto at_connection = PowerBoundary::connection;

}  // namespace

TEST_CASE("a lower cap trains less and draws less at every boundary, and more GPUs fit behind the contract") {
  const auto s = caps({}, {.contract_W = 5e6, .lowest_frac = 0.5, .n_cap = 6});
  REQUIRE(s.points.size() == 6);
  CHECK(s.points.front().cap_W == Approx(700.0));
  CHECK(s.points.back().cap_W == Approx(350.0));
  for (std::size_t i = 1; i < s.points.size(); ++i) {
    const auto &high = s.points[i - 1], &low = s.points[i];
    CHECK(low.tokens_per_s < high.tokens_per_s);
    for (std::size_t b = 0; b < n_boundary; ++b) CHECK(low.mean_W[b] < high.mean_W[b]);
    CHECK(low.clock_slowest_Hz < high.clock_slowest_Hz);
    CHECK(low.voltage_V <= high.voltage_V);
    CHECK(low.n_gpu >= high.n_gpu);
  }
  for (const auto& p : s.points) {
    CHECK(p.mean_W[0] < p.mean_W[1]);
    CHECK(p.mean_W[1] < p.mean_W[2]);
    CHECK(p.n_gpu % 8 == 0);
    CHECK(static_cast<double>(p.n_gpu) * p.mean_W[2] / 128.0 <= 5e6);
    CHECK(static_cast<double>(p.n_gpu + 8) * p.mean_W[2] / 128.0 > 5e6);
    CHECK(p.tokens_per_J(at_connection) <= s.points[s.best].tokens_per_J(at_connection));
    CHECK(p.n_rack == (p.n_gpu + 15) / 16);
  }
}

TEST_CASE("without a slope of voltage over clock no lower cap pays, and the voltage floor is named") {
  const auto s = caps({"hall.a.gpu.power.vf_voltage_mV=[700,700,700,700,700,700,700,700,700,700,700,700,700.001]",
                       "hall.a.gpu.power.voltage_ref_V=0.7"},
                      {.lowest_frac = 0.6, .n_cap = 5});
  CHECK(s.best_at[0] == 0);
  CHECK(s.best == 0);
  CHECK(s.reason == KneeReason::voltage_floor);
  CHECK(knee_text(s).find("floor of 700 mV") != std::string::npos);
}

TEST_CASE("caps that the GPU's driver does not take are refused before the first run") {
  // An H100 takes 200 of its 700 W.
  CHECK_THROWS_WITH(caps({}, {.lowest_frac = 0.28, .n_cap = 3}),
                    Catch::Contains("196 W") && Catch::Contains("driver") && Catch::Contains("0.286 to 1"));
}

TEST_CASE("watts around the boards that do not follow the cap move the best cap up, and are named") {
  const CapOptions o{.lowest_frac = 0.45, .n_cap = 12};
  const auto light = caps({"hall.a.server.power.host_W=200", "hall.a.server.power.host_idle_W=200"}, o);
  const auto heavy = caps({"hall.a.server.power.host_W=2800", "hall.a.server.power.host_idle_W=2800",
                           "hall.a.server.power.psu_rating_W=19800"},
                          o);
  CHECK(heavy.best < light.best);
  CHECK(heavy.best_at[0] >= heavy.best);
  CHECK(heavy.reason == KneeReason::servers);
  CHECK(heavy.fixed_W[1] - heavy.fixed_W[0] > 300.0);  // 2,800 W on eight GPUs
  const auto said = nlohmann::json::parse(caps_json(heavy));
  CHECK(said["knee"] == "servers");
  CHECK(said["caps"].size() == 12);
  CHECK(said["best_cap_W"].get<double>() == Approx(heavy.points[heavy.best].cap_W));
  CHECK(caps_text(heavy).find("hosts, switch trays, fans, conversion") != std::string::npos);
}

TEST_CASE("a study of caps refuses what it cannot compare") {
  CHECK_THROWS_AS(caps({}, {.n_cap = 2}), InputError);
  CHECK_THROWS_AS(caps({}, {.contract_W = 100.0}), InputError);
}
