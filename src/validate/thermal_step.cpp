#include "thermal_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "catalog_in_use.hpp"
#include "power/sensor.hpp"
#include "silicon.hpp"
#include "study/fit_thermal.hpp"
#include "thermal/node_heat.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/reader.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

constexpr double inlet_K = 22.0 + zero_degC_K;

struct Trace {
  std::vector<double> time_s, front_K, rear_K, power_W;
};

/// Fans that a board controller samples, with the readings that fleets assume.
class SampledFans {
 public:
  explicit SampledFans(const fleet::FanStairs& stairs)
      : controller_(stairs.controller(), stairs.least_frac()),
        die_(stairs.die_group()),
        reading_K_(fleet::cold_readings_K(stairs, inlet_K)) {}
  /// Speed through the next tenth of a second.
  double frac(double hottest_K) {
    const auto tenths = std::lround(10.0 * controller_.params().sample_s);
    if (tenth_++ % tenths != 0) return controller_.speed_frac();
    reading_K_[die_] = fleet::shown_K(hottest_K);
    return controller_.sample(reading_K_);
  }

 private:
  thermal::FanController controller_;
  std::size_t die_;
  std::vector<double> reading_K_;
  std::int64_t tenth_ = 0;
};

/// A server's air with its fans at one speed.
thermal::ServerAirParams at_speed(thermal::ServerAirParams air, double fan_frac) {
  air.fan_min_frac = fan_frac;
  air.fan_start_K = 400.0, air.fan_full_K = 420.0;
  return air;
}

/// Idle until the node rests, then `busy_W` per GPU for `duration_s`. @param fixed_fans at that speed throughout; 0: as the server's
/// controller samples, or along its line
Trace step_response(const ServerCase& server, double idle_W, double busy_W, double duration_s, double fixed_fans) {
  const GpuCase gpu = gpu_case("h100_sxm_700W");
  thermal::HbmBranchParams hbm;
  std::vector<Finding> findings;
  const Node entry = catalog_in_use().values("memory_branch", "h100_hbm3");
  TableReader r(entry, "memory_branch", findings);
  double limit_K = 0.0;
  r.number("limit_degC", limit_K, {40, 125}, "the memory's own limit, not used here");
  hbm.fields(r);
  if (!findings.empty()) throw InputError(findings);
  std::optional<SampledFans> fans;
  if (server.stairs && fixed_fans == 0.0) fans.emplace(*server.stairs);
  auto state = thermal::NodeHeat(gpu.package, hbm, server.air, 8, air_J_per_m3_K).cold(inlet_K);
  const std::vector<double> one(8, 1.0);
  const auto step = [&](const std::vector<double>& die_W, const std::vector<double>& hbm_W) {
    if (fans || fixed_fans > 0.0) state.fan_frac = fans ? fans->frac(state.store_K[7][thermal::die_store]) : fixed_fans;
    const auto air = fans || fixed_fans > 0.0 ? at_speed(server.air, state.fan_frac) : server.air;
    thermal::NodeHeat(gpu.package, hbm, air, 8, air_J_per_m3_K).step(state, die_W, hbm_W, one, inlet_K, 0.1);
  };
  // The telemetry's resistances are per board watt, so all of it enters at the die as in the fleet's package.
  const std::vector<double> none(8, 0.0), idle(8, idle_W), busy(8, busy_W);
  for (int i = 0; i < 20'000; ++i) step(idle, none);
  Trace t;
  const auto tenths = static_cast<std::int64_t>(std::ceil(10.0 * duration_s - 1e-9));
  for (std::int64_t tenth = 0; tenth < tenths; ++tenth) {
    t.time_s.push_back(0.1 * static_cast<double>(tenth));
    t.front_K.push_back(state.store_K[0][thermal::die_store]);
    t.rear_K.push_back(state.store_K[7][thermal::die_store]);
    t.power_W.push_back(busy_W);
    step(busy, none);
  }
  return t;
}

}  // namespace

void step_rows(std::vector<Row>& rows) {
  const char* source = "public traces of air-cooled 8xH100 nodes";
  // As telemetry has it: power just before and after a step, temperature in whole kelvins, once a second.
  const ServerCase server = server_case("grand_teton_h100");
  const auto fixed = step_response(server, 110.0, 692.0, 300.0, 0.7);
  study::ThermalRecord record;
  for (std::size_t i = 0; i < fixed.time_s.size(); i += 10) {
    record.time_s.push_back(fixed.time_s[i]);
    record.power_W.push_back(fixed.power_W[i]);
    record.die_K.push_back(power::quantised_K(fixed.front_K[i], 1.0));
  }
  const auto poles = study::fit_step(record, 110.0);
  const auto package = gpu_case("h100_sxm_700W").package;
  rows.push_back(within("T3/R1", "step 110 to 692 W at fixed fans, fast pole's resistance, fitted to 1 K readings",
                        "K/W", 0.018, 0.040, poles.fast_K_per_W, 0.0, source));
  rows.push_back(within(
      "T3/tau1", "same, its time constant", "s", 1.0, 2.4, poles.fast_s, 0.0, source,
      fmt::format("a lid and sink base of {:.0f} J/K behind {:.3f} K/W has this pole; 1-2.4 s need {:.0f}-{:.0f} J/K. "
                  "The catalog "
                  "gives the store as read off this very pole, which was done without the sink's share; reading it off "
                  "again would make the row a calibration, so it stands as it was frozen",
                  package.base_J_per_K, package.base_sink_K_per_W, package.base_J_per_K / poles.fast_s,
                  package.base_J_per_K * 2.4 / poles.fast_s)));
  rows.push_back(within("T3/R2", "same, slow pole's resistance", "K/W", 0.019, 0.063, poles.slow_K_per_W, 0.0, source));
  rows.push_back(within("T3/tau2", "same, its time constant", "s", 17, 66, poles.slow_s, 0.0, source));
  const auto loop = step_response(server, 110.0, 692.0, 1200.0, 0.0);
  rows.push_back(within("T3/downstream", "second GPU in the airflow above the first at 692 W", "K", 8, 14,
                        loop.rear_K.back() - loop.front_K.back(), 0.0, source));
  const auto peak_rows = [&](const char* fall, const char* at, const char* what, const Trace& t, const char* note) {
    const auto peak = std::max_element(t.rear_K.begin(), t.rear_K.end());
    rows.push_back(within(fall, fmt::format("{}: fall after the peak at 692 W", what), "K", 4, 6,
                          *peak - t.rear_K.back(), 0.0, source, note));
    rows.push_back(within(at, "same, time of the peak", "s", 80, 120,
                          t.time_s[static_cast<std::size_t>(peak - t.rear_K.begin())], 0.0, source));
  };
  peak_rows("T3/fall", "T3/peak", "fans in the steps of Grand Teton's controller", loop,
            "this controller follows within seconds and leaves hardly a fall; the traced nodes' servers are not named");
  peak_rows("T3/line-fall", "T3/line-peak", "fans on a line with a lag, as in the other servers",
            step_response(server_case("dgx_h100"), 110.0, 692.0, 1200.0, 0.0),
            "sets the line's start and its lag, which servers without a published table take");
}

}  // namespace TIDEWATT_NAMESPACE::validate
