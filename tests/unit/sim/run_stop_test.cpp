// How a synchronous job stops after a failure: one replica at once, the others at the exchange that waits for it.
#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "tiny.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

namespace {

std::string failure_at(double at_s) {
  return "\n[[event]]\nname = \"host\"\nkind = \"failure\"\njob = \"main\"\nat_s = " + std::to_string(at_s) + "\n";
}

/// Mean power at the connection in the 50 ms that begin at a time of the recorded window.
double mean_W(const Result& r, double at_s) {
  const auto &t = reals(r, "/waveform_sample/time"), &pcc = reals(r, "/waveform_sample/pcc_W");
  const auto first = static_cast<std::size_t>(std::ranges::lower_bound(t, at_s) - t.begin());
  double sum = 0.0;
  for (std::size_t i = first; i < first + 50; ++i) sum += pcc.at(i);
  return sum / 50.0;
}

double state_s(const Result& r, const std::string& name) {
  for (const auto& a : r.arrays) {
    if (a.path != "/jobs/state_name") continue;
    const auto& names = std::get<std::vector<std::string>>(a.values);
    return reals(r, "/jobs/state_s").at(static_cast<std::size_t>(std::ranges::find(names, name) - names.begin()));
  }
  return std::nan("");
}

const std::vector<std::string> plain_halls = {"run.spread=false", "hall.a.server=dgx_h100",
                                              "job.main.life.tear_down_s=3", "job.main.life.detect_s=8"};

}  // namespace

TEST_CASE("a failed host stops its replica; the others run to the exchange and spin there until detection", "[stop]") {
  const auto calm = run(tiny("", plain_halls));
  const double iteration_s = figure(calm, "iteration_s");
  int n_seen = 0;  // failures that leave the others something to run
  for (const double at_s : {50.2, 50.3, 50.5}) {
    const auto r = run(tiny(failure_at(at_s), plain_halls));
    INFO(at_s);
    CHECK(figure(r, "energy_closure") <= 1e-11);
    CHECK(figure(r, "input_energy_error") <= 1e-12);
    // Never longer than to the next iteration's exchange, and all of it before detection.
    const double ran_s = state_s(r, "run_out"), spun_s = state_s(r, "detect");
    CHECK(ran_s > 0.0);
    CHECK(ran_s < 2.0 * iteration_s);
    CHECK(ran_s + spun_s == Approx(8.0).epsilon(1e-9));
    CHECK(state_s(r, "tear_down") == Approx(3.0).epsilon(1e-9));
    // Three of four replicas still work behind the failure; without the others' run to the exchange all would stand still.
    const double spinning_W = mean_W(r, at_s + ran_s + 1.0), idle_W = mean_W(r, at_s + 8.0 + 3.0 + 1.0);
    CHECK(spinning_W > 1.1 * idle_W);
    double highest_W = 0.0;
    for (double t = at_s; t < at_s + ran_s - 0.05; t += 0.01) highest_W = std::max(highest_W, mean_W(r, t));
    if (ran_s > 0.1) {
      CHECK(highest_W > 1.25 * spinning_W);
      ++n_seen;
    }
    // Hosts end one after another: the fall to idle takes three stages.
    const double first_W = mean_W(r, at_s + 8.0 + 0.5), last_W = mean_W(r, at_s + 8.0 + 2.5);
    CHECK(first_W < 0.98 * spinning_W);
    CHECK(last_W < first_W);
    CHECK(idle_W < last_W);
  }
  CHECK(n_seen >= 2);
}

TEST_CASE("chips without leakage, and waits that switch nothing, have clocks and powers too", "[clocks]") {
  for (const char* none : {"hall.a.gpu.power.leakage_W=0", "hall.a.gpu.power.wait_activity_ratio=0"}) {
    const auto r = run(tiny("", {none}));
    INFO(none);
    CHECK(figure(r, "it_mean_MW") > 0.05);
    CHECK(figure(r, "energy_closure") <= 1e-11);
  }
}

TEST_CASE("power lost while others still run ends all processes at once", "[stop]") {
  const auto r = run(tiny(failure_at(50.3) + "\n[[event]]\nname = \"dark\"\nkind = \"utility_loss\"\nat_s = 50.4\n"
                                             "duration_s = 20\n",
                          plain_halls));
  CHECK(state_s(r, "run_out") == Approx(0.1).epsilon(1e-6));
  CHECK(state_s(r, "tear_down") == 0.0);
  CHECK(figure(r, "energy_closure") <= 1e-11);
}
