#include "fleet/nominal_power.hpp"

#include <algorithm>

#include "catch.hpp"
#include "fleet/stage_courses.hpp"
#include "fleet/step_lengths.hpp"
#include "fleet/task.hpp"
#include "llama_case.hpp"

using namespace tidewatt;
using namespace tidewatt::fleet;

namespace {

constexpr double gate_Hz = 1.5e9;

/// An iteration of every stage, all gated at one clock.
struct Gated : LlamaCase {
  StageCourses courses;
  workload::Timeline timeline;
  FleetTask task;
  Gated() {
    courses.set_limits(model, type(), 700.0, type().gpu.clock_max_Hz());
    const double pace[] = {gate_Hz / model.reference_clock_Hz()};
    timeline = model.iteration(pace);
    split_after_waits(timeline);
    set_kinds(task, timeline, type(), model.reference_clock_Hz());
    courses.add(model, type(), gate_Hz, gate_Hz, task.class_course, task.class_lead);
    task.class_gate_Hz.assign(task.class_course.size(), gate_Hz);
    for (const auto& course : task.class_course) task.class_window.push_back(course.all());
  }
  NominalPowers at(double die_K, std::size_t cls = 0) const {
    return nominal_powers(task, type(), type().usual, cls, die_K);
  }
};

}  // namespace

TEST_CASE("what segments draw beyond their kinds' means adds no energy to any kind", "[fleet]") {
  const Gated g;
  for (std::size_t c = 0; c < g.timeline.classes.size(); c += 5) {
    const auto powers = g.at(nominal_die_K, c);
    REQUIRE(powers.more_W.size() == g.timeline.classes[c].size());
    std::vector<double> J(g.timeline.kinds.size(), 0.0), all_J = J;
    for (std::size_t i = 0; i < powers.more_W.size(); ++i) {
      const auto& s = g.timeline.classes[c][i];
      J[s.kind] += powers.more_W[i] * seconds(s.duration);
      all_J[s.kind] += powers.kind_W[s.kind] * seconds(s.duration);
    }
    for (std::size_t k = 0; k < J.size(); ++k) CHECK(J[k] == Approx(0.0).margin(1e-9 * (1.0 + all_J[k])));
    CHECK(*std::max_element(powers.more_W.begin(), powers.more_W.end()) > 20.0);  // after the waits
  }
}

TEST_CASE("leakage is the part of a power that follows the die", "[fleet]") {
  const Gated g;
  FleetTask task = g.task;
  Controls locked = g.type().usual;
  locked.lock_Hz = 1.2e9;  // far below what the limit lets through: the clock does not follow the die
  std::fill(task.class_gate_Hz.begin(), task.class_gate_Hz.end(), 1.2e9);
  const auto at = [&](double die_K) { return nominal_powers(task, g.type(), locked, 0, die_K); };
  const auto cold = at(nominal_die_K - 0.5), warm = at(nominal_die_K + 0.5), here = at(nominal_die_K);
  const auto wait = wait_kind_of(g.timeline);
  const double per_K = g.type().gpu.params().leakage_per_K;
  for (const auto& s : g.timeline.classes[0])
    CHECK(warm.kind_W[s.kind] - cold.kind_W[s.kind] == Approx(per_K * here.leakage_W[s.kind]).epsilon(1e-3));
  FleetTask held = g.task;
  held.kind_low_W.assign(held.kind_mix.size(), 650.0), held.kind_high_W.assign(held.kind_mix.size(), 650.0);
  const auto bound = nominal_powers(held, g.type(), g.type().usual, 0, nominal_die_K);
  CHECK(bound.kind_W[wait] == 650.0);
  CHECK(bound.leakage_W[wait] == 0.0);
}

TEST_CASE("clocks that the limit lets through fall with voltage, leakage, heat and the cap", "[fleet]") {
  const Gated g;
  const auto clock_Hz = [&](const power::Chip& chip, double die_K, double cap_W) {
    Controls controls = g.type().usual;
    controls.cap_W = cap_W;
    return gated_clock_Hz(g.task, g.type(), controls, 0, chip, die_K);
  };
  const double nominal_Hz = clock_Hz({}, nominal_die_K, 700.0);
  CHECK(clock_Hz({1.0, 0.03}, nominal_die_K, 700.0) < nominal_Hz);
  CHECK(clock_Hz({1.5, 0.0}, nominal_die_K, 700.0) < nominal_Hz);
  CHECK(clock_Hz({}, nominal_die_K + 10.0, 700.0) < nominal_Hz);
  CHECK(clock_Hz({}, nominal_die_K, 690.0) < nominal_Hz);
}

TEST_CASE("no segment of a class draws more than the board's peak; without one those behind waits do", "[fleet]") {
  const auto most_W = [](const Gated& g) {
    double out = 0.0;
    for (std::size_t c = 0; c < g.timeline.classes.size(); c += 5) {
      const auto powers = g.at(nominal_die_K, c);
      for (std::size_t i = 0; i < powers.more_W.size(); ++i)
        out = std::max(out, powers.kind_W[g.timeline.classes[c][i].kind] + powers.more_W[i]);
    }
    return out;
  };
  const double peak_W = dvfs::peak_W(Gated().type().governor, Gated().type().gpu.params());
  REQUIRE(peak_W < 1000.0);
  CHECK(most_W(Gated()) < 1.005 * peak_W);
}
