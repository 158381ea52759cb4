#include "tidewatt/sim/training_task.hpp"

#include <algorithm>

#include "tidewatt/sim/build_fleet.hpp"
#include "catch.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

namespace {

struct Setup {
  Scenario scenario;
  Fleet fleet;
  TrainingTask maker;
  FleetState state;
  FleetSignals signals;
  FleetTask task;
  std::vector<double> inlet_K;

  static Scenario read() {
    LoadOptions o;
    o.set = {"hall.a.n_gpu=2048", "job.main.plan.n_gpu=2048", "job.main.plan.global_batch_sequences=256"};
    return load_scenario(std::string(TIDEWATT_SOURCE_DIR) + "/scenarios/llama3_405b_day.toml", o);
  }
  static TrainingTask::Options options(bool gating) {
    TrainingTask::Options o;
    o.gating = gating;
    return o;
  }
  explicit Setup(bool gating = true)
      : scenario(read()),
        fleet(build_fleet(scenario)),
        maker(workload::IterationModel(scenario.jobs[0].model, scenario.jobs[0].plan, scenario.halls[0].compute, scenario.jobs[0].network),
              fleet, 0, options(gating)),
        state(idle_state(fleet, std::vector<double>(fleet.n_node(), 298.15))),
        signals(make_signals(fleet)),
        inlet_K(fleet.n_node(), 298.15) {
    task.inlet_K = inlet_K;
    task.air_J_per_m3_K = 1190;
    for (auto* v : {&state.die_K, &state.base_K, &state.sink_K}) std::fill(v->begin(), v->end(), v == &state.sink_K ? 318.0 : 335.0);
    maker.set_work(TrainingTask::Work::iterate, 0, state, 6.0, signals, task);
  }
};

}  // namespace

TEST_CASE("the slowest GPU gates its whole replica, and the slowest replica the job") {
  Setup s;
  const double slowest = *std::min_element(s.state.own_Hz.begin(), s.state.own_Hz.end());
  CHECK(s.maker.slowest_Hz() == slowest);
  CHECK(*std::min_element(s.task.class_gate_Hz.begin(), s.task.class_gate_Hz.end()) == slowest);
  for (std::size_t n = 0; n < s.fleet.n_node(); ++n)
    for (std::size_t g = 8 * n; g < 8 * n + 8; ++g) CHECK(s.state.own_Hz[g] >= s.task.class_gate_Hz[s.task.node_class[n]]);
}

TEST_CASE("slowing one GPU slows the job; speeding one up does not") {
  Setup s;
  const Tick period = s.maker.timeline().period;
  const auto slowest = std::min_element(s.state.own_Hz.begin(), s.state.own_Hz.end()) - s.state.own_Hz.begin();
  const std::size_t other = slowest == 5 ? 6 : 5;
  s.fleet.chip[other].leakage_ratio = 0.1;
  s.maker.set_work(TrainingTask::Work::iterate, 0, s.state, 6.0, s.signals, s.task);
  CHECK(s.maker.timeline().period == period);
  s.fleet.chip[other].leakage_ratio = 4.0;
  s.maker.set_work(TrainingTask::Work::iterate, 0, s.state, 6.0, s.signals, s.task);
  CHECK(s.maker.timeline().period > period);
}

TEST_CASE("without gating the job moves at the mean clock, so faster") {
  Setup gated, free(false);
  CHECK(free.maker.timeline().period < gated.maker.timeline().period);
}

TEST_CASE("every node has its stage and replica, and every class adds up to the period") {
  Setup s;
  std::vector<int> seen(16 * 16, 0);
  for (std::size_t n = 0; n < s.fleet.n_node(); ++n)
    ++seen[static_cast<std::size_t>(s.maker.replica_of_node(n) * 16 + s.maker.stage_of_node(n))];
  CHECK(std::all_of(seen.begin(), seen.end(), [](int k) { return k == 1; }));
  for (const auto& c : s.maker.timeline().classes) {
    Tick sum = 0;
    for (const auto& seg : c) sum += seg.duration;
    CHECK(sum == s.maker.timeline().period);
  }
}
