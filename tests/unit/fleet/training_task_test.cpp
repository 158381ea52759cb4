#include "fleet/training_task.hpp"

#include <algorithm>
#include <map>

#include "catch.hpp"
#include "sim/build_fleet.hpp"

using namespace tidewatt;
using namespace tidewatt::fleet;
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
  std::vector<double> air_J_per_m3_K{1190.0};

  static Scenario read() {
    LoadOptions o;
    o.set = {"hall.a.n_gpu=2048", "job.main.plan.n_gpu=2048", "job.main.plan.global_batch_sequences=256"};
    return load_scenario(std::string(TIDEWATT_SOURCE_DIR) + "/scenarios/llama3_405b_day.toml", o);
  }
  static TrainingTask::Options options(bool gating, PowerHold hold) {
    TrainingTask::Options o;
    o.gating = gating;
    o.hold = hold;
    return o;
  }
  explicit Setup(bool gating = true, PowerHold hold = {})
      : scenario(read()),
        fleet(build_fleet(scenario)),
        maker(workload::IterationModel(scenario.jobs[0].model, scenario.jobs[0].plan, scenario.halls[0].compute,
                                       scenario.jobs[0].network),
              fleet, 0, options(gating, hold)),
        state(idle_state(fleet, std::vector<double>(fleet.n_node(), 298.15))),
        signals(make_signals(fleet)),
        inlet_K(fleet.n_node(), 298.15) {
    task.inlet_K = inlet_K;
    task.air_J_per_m3_K = air_J_per_m3_K;
    for (auto* v : {&state.die_K, &state.base_K, &state.sink_K})
      std::fill(v->begin(), v->end(), v == &state.sink_K ? 318.0 : 335.0);
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
    for (std::size_t g = 8 * n; g < 8 * n + 8; ++g)
      CHECK(s.state.own_Hz[g] >= s.task.class_gate_Hz[s.task.node_class[n]]);
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

namespace {

PowerHold smoothing(double floor_ratio, double ramp_W_per_s) {
  PowerHold h;
  h.smoothing = mitigation::GpuSmoothingParams{floor_ratio, ramp_W_per_s, ramp_W_per_s, 10.0};
  return h;
}

constexpr double nominal_K = 338.15;

/// Mean over the task's repetition of what a GPU of the class draws.
double mean_W(const Setup& s, std::size_t cls) {
  const auto W = nominal_kind_W(s.task, s.fleet.types[0], s.state.controls[0], cls, nominal_K);
  double J = 0.0;
  for (const auto& segment : s.maker.timeline().classes[cls]) J += W[segment.kind] * seconds(segment.duration);
  return J / seconds(s.maker.timeline().period);
}

}  // namespace

TEST_CASE("what smoothing burns counts against the board limit: the mean stays below it and work gives up clock") {
  Setup plain, held(true, smoothing(0.9, 1e6));
  for (int i = 0; i < 3; ++i)
    held.maker.set_work(TrainingTask::Work::iterate, 0, held.state, 6.0, held.signals, held.task);
  const auto& type = held.fleet.types[0];
  for (std::size_t c = 0; c < held.maker.timeline().classes.size(); ++c) {
    INFO(c);
    CHECK(mean_W(held, c) > mean_W(plain, c));  // the waits burn
    CHECK(mean_W(held, c) < 1.001 * (type.usual.cap_W - type.governor.cap_margin_W));
  }
  CHECK(held.maker.timeline().period > plain.maker.timeline().period);
  // Clock falls less than power: a quarter of the power is far less than a quarter of the pace.
  CHECK(static_cast<double>(held.maker.timeline().period) < 1.15 * static_cast<double>(plain.maker.timeline().period));
}

TEST_CASE("the GPU that sets the pace stands at its limit, and slows down by clock and voltage") {
  Setup s;
  const auto& type = s.fleet.types[0];
  const auto g = pacing_gpu(s.task, type, s.state.controls[0], 0, nominal_K);
  std::size_t work = 0;
  while (!(s.task.kind_mix[work].matrix_s > 0.0)) ++work;
  const auto& c = g.curve[work];
  CHECK(c.power_W.back() == Approx(g.natural_W[work]).epsilon(1e-9));
  CHECK(c.at(g.natural_W[work]) == Approx(1.0));
  CHECK(c.at(0.0) == 0.0);
  for (const double share : {0.9, 0.8, 0.7}) {
    const double W = c.power_W.front() + share * (c.power_W.back() - c.power_W.front());
    CHECK(c.at(W) >
          share + 0.5 * (1.0 - share) * share);  // more work is left than power, since voltage falls with the clock
    CHECK(c.at(W) < 1.0);
  }
}

TEST_CASE("hosts that begin one after another do so however the time is cut, each for as long as the others") {
  Setup s;
  workload::PhaseKind kind;
  kind.name = "load", kind.link_s = 0.06, kind.wait_s = 0.94, kind.link_frac = 0.02;
  const auto n_node = static_cast<double>(s.fleet.n_node());
  for (const Tick window : {workload::never, 20 * ns_per_s}) {
    const bool ends = window != workload::never;
    const Tick spread = 8 * ns_per_s, all = ends ? spread + window : 30 * ns_per_s;
    std::vector<double> done_s(s.fleet.n_node(), 0.0);  // [node]
    for (Tick at = 0; at < all;) {
      const Tick d = std::min(at % 2 == 0 ? 3'000'000'001 : 1'234'567'891, all - at);
      s.maker.set_hold(kind, d, s.state, s.signals, s.task, {1.0, ends, false, {spread, window, at}});
      std::map<Tick, double> begins;  // hosts that change what they do in one instant
      for (std::size_t n = 0; n < s.fleet.n_node(); ++n) {
        Tick passed = 0;
        for (const auto& segment : s.task.timeline->classes[s.task.node_class[n]]) {
          if (segment.kind == 0) done_s[n] += seconds(segment.duration);
          if (passed > 0) begins[passed] += 1.0 / n_node;
          passed += segment.duration;
        }
        REQUIRE(passed == d);
      }
      for (const auto& [tick, share] : begins) CHECK(share <= 1.0 / 32.0 + 1e-12);
      at += d;
    }
    const auto [least, most] = std::minmax_element(done_s.begin(), done_s.end());
    double sum = 0.0;
    for (const double x : done_s) sum += x;
    if (ends)
      CHECK((*least == Approx(20.0) && *most == Approx(20.0)));
    else
      CHECK((*least < 22.2 && *most > 29.8));
    CHECK(sum / n_node == Approx(ends ? 20.0 : 26.0).epsilon(1e-9));
    CHECK(s.task.kind_context[1] == (ends ? 1 : 0));
  }
  s.maker.set_hold(kind, ns_per_s, s.state, s.signals, s.task);
  CHECK(s.task.timeline->classes.size() == 1);  // all at once
}
