#include "fleet/held_nodes.hpp"

#include <cmath>

#include "base/archive.hpp"
#include "catch.hpp"
#include "fleet/training_task.hpp"
#include "sim/build_fleet.hpp"

using namespace tidewatt;
using namespace tidewatt::fleet;
using namespace tidewatt::sim;

namespace {

constexpr double ramp_W_per_s = 20.0;

PowerHold slow_down() {
  PowerHold h;
  h.smoothing = mitigation::GpuSmoothingParams{0.0, 1e6, ramp_W_per_s, 0.0};
  return h;
}

workload::PhaseKind spinning() {
  workload::PhaseKind k;
  k.name = "bubble";
  k.wait_s = 1.0;
  return k;
}

/// A few nodes that stand in constant states.
struct Nodes {
  Scenario scenario = load_scenario(std::string(TIDEWATT_SOURCE_DIR) + "/tests/scenarios/tiny.toml");
  Fleet fleet = build_fleet(scenario);
  FleetState state = idle_state(fleet, std::vector<double>(fleet.n_node(), 298.15));
  HeldNodes held{slow_down(), fleet.n_node()};
  FleetTask task;
  workload::Timeline timeline;
  double natural_W = 0.0;

  void hold(const workload::PhaseKind& kind, Tick duration) {
    hold_task(kind, duration, scenario.halls[0].compute.reference_clock_Hz, fleet, 0, fleet.n_node(), timeline, task);
    held.split(timeline, task);
    natural_W = nominal_kind_W(task, fleet.types[0], state.controls[0], 0, nominal_die_K)[0];
    held.apply(timeline, task, fleet.types[0], state.controls[0], 0, false, 0);
  }
  /// Least power of a GPU of a class in its first segment.
  double first_low_W(std::size_t cls = 0) const { return task.kind_low_W[timeline.classes[cls].front().kind]; }
};

}  // namespace

TEST_CASE("a task begins where the last one left the GPUs, and where that was cut") {
  Nodes n;
  n.hold(spinning(), 10 * ns_per_s);
  CHECK(n.held.settled());
  const double before_W = n.natural_W;
  n.hold(idle_kind(), 2 * ns_per_s);
  const double low_W = n.first_low_W();
  REQUIRE(before_W > n.natural_W + 2.0 * ramp_W_per_s);
  // Ramps go in stairs on a grid of a 32nd of the limit, each at its mean: the first ends at the next line below.
  const double stair_W = n.fleet.types[0].gpu.params().tdp_W / 32.0;
  CHECK(low_W == Approx(0.5 * (before_W + stair_W * std::floor(before_W / stair_W))).margin(1e-6));
  CHECK_FALSE(n.held.settled());
  CHECK(n.timeline.period == 2 * ns_per_s);  // a constant state lasts its time
  n.held.cut(ns_per_s);
  n.hold(idle_kind(), 2 * ns_per_s);
  const double level_W = before_W - ramp_W_per_s;
  CHECK(n.first_low_W() == Approx(0.5 * (level_W + stair_W * std::floor(level_W / stair_W))).margin(1e-6));
}

TEST_CASE("GPUs that lost their power remember nothing") {
  Nodes n;
  n.hold(spinning(), 10 * ns_per_s);
  n.held.forget();
  n.hold(idle_kind(), 2 * ns_per_s);
  CHECK(n.first_low_W() <= n.natural_W);
  CHECK(n.held.settled());
}

TEST_CASE("a saved state goes on with the same ramp") {
  Nodes n, other;
  n.hold(spinning(), 10 * ns_per_s);
  ArchiveWriter to;
  to(n.held);
  const std::string bytes = to.take();
  ArchiveReader from(bytes);
  from(other.held);
  n.hold(idle_kind(), 2 * ns_per_s);
  other.hold(idle_kind(), 2 * ns_per_s);
  CHECK(other.first_low_W() == n.first_low_W());
}
