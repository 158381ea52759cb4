#include "dvfs/phase_law.hpp"

#include "catch.hpp"
#include "h100.hpp"

using namespace tidewatt;

namespace {
const fleet::NodeType& node() {
  static const auto type = h100_node_type();
  return type;
}
dvfs::PhaseMix work() { return {0.6, 0.2, 0.15, 0.1, 0.5, 0.3, 0.1}; }
}  // namespace

TEST_CASE("the limit is the cap less the governor's margin, and its inverse the cap") {
  const auto& governor = node().governor;
  CHECK(dvfs::limit_W(700.0, governor) == 700.0 - governor.cap_margin_W);
  CHECK(dvfs::cap_for_limit_W(dvfs::limit_W(650.0, governor), governor) == Approx(650.0));
  CHECK(dvfs::cap_in_force_W(0.0, 700.0) == 700.0);
  CHECK(dvfs::cap_in_force_W(500.0, 700.0) == 500.0);
}

TEST_CASE("switching power is one law in three roundings, and its slope is theirs") {
  const auto law = node().gpu.switching();
  for (const double f : {0.3e9, 1.2e9, 1.9e9}) {
    const double V = node().gpu.voltage(f).V, V_per_Hz = 2e-10, step_Hz = 1e3;
    CHECK(law.multiplied_W(V, f) == Approx(law.at_W(V, f)).epsilon(1e-14));
    CHECK(law.factored_W(V, f) == Approx(law.at_W(V, f)).epsilon(1e-14));
    const double W_per_Hz = (law.at_W(V + V_per_Hz * step_Hz, f + step_Hz) - law.at_W(V, f)) / step_Hz;
    CHECK(power::SwitchingLaw::slope_W_per_Hz(law.at_W(V, f), V, V_per_Hz, f) == Approx(W_per_Hz).epsilon(1e-4));
    CHECK(law.factored_slope_W_per_Hz(V, V_per_Hz, f) == Approx(W_per_Hz).epsilon(1e-4));
  }
}

TEST_CASE("leakage's slopes and its binary logarithm are those of its factors") {
  const auto law = node().gpu.leakage();
  const double die_K = 341.0, step_K = 1e-4;
  CHECK(std::exp2(law.log2_factor(die_K)) == Approx(law.temperature_factor(die_K)).epsilon(1e-13));
  CHECK(law.temperature_factor(die_K) * law.rise_factor(3.0) == Approx(law.temperature_factor(die_K + 3.0)));
  const double W = law.ref_W * law.temperature_factor(die_K),
               next_W = law.ref_W * law.temperature_factor(die_K + step_K);
  CHECK(law.slope_W_per_K(W) == Approx((next_W - W) / step_K).epsilon(1e-5));
}

TEST_CASE("lines in the stretch are a phase's times, alone and behind a slower rank") {
  const dvfs::ActivityLaw activity(node().gpu.params());
  const auto alone = dvfs::PhaseLine::of(activity, work());
  const auto behind = alone.gated(activity, work().matrix_s * 1.4);
  for (const double stretch : {0.9, 1.0, 1.3}) {
    const auto t = dvfs::phase_times(activity, work(), stretch, 0.0);
    CHECK(alone.duration_s(stretch) == Approx(t.duration_s).epsilon(1e-14));
    CHECK(alone.equivalent_s(stretch) == Approx(t.equivalent_s).epsilon(1e-14));
    const auto gated = dvfs::phase_times(activity, work(), stretch, 1.4);
    const double slack_s = work().matrix_s * (1.4 - stretch);
    CHECK(behind.duration_s(stretch) == Approx(gated.duration_s).epsilon(1e-14));
    CHECK(behind.equivalent_s(stretch) == Approx(gated.equivalent_s).epsilon(1e-14));
    CHECK(alone.equivalent_s(stretch, activity, slack_s) == Approx(gated.equivalent_s).epsilon(1e-14));
  }
}

TEST_CASE("a state's power gives back the activity, and a phase of one state draws it") {
  const auto& gpu = node().gpu;
  const double f = 1.4e9, V = gpu.voltage(f).V, die_K = 335.0;
  CHECK(gpu.activity_at(gpu.state_W(V, f, die_K, 0.37, 0.0), V, f, die_K) == Approx(0.37).epsilon(1e-12));
  const dvfs::PhaseMix mix{1.0, 0.0, 0.0, 0.0, 0.37, 0.25, 0.0};
  const auto p = dvfs::phase_power(gpu, {}, mix, f, f, 0.0);
  CHECK(p.at_W(gpu.leakage_temperature_factor(die_K)) == Approx(gpu.state_W(V, f, die_K, 0.37, 0.25)).epsilon(1e-12));
}
