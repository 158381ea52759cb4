// A job's life as scenarios ask for it: stops, ramps, evaluations, placement.
#include <algorithm>
#include <numeric>

#include "catch.hpp"
#include "tiny.hpp"
#include "workload/job_state.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

namespace {

template <class T>
const std::vector<T>& values(const Result& r, const std::string& path) {
  for (const auto& a : r.arrays)
    if (a.path == path) return std::get<std::vector<T>>(a.values);
  throw std::runtime_error("no array " + path);
}

std::int64_t n_event(const Result& r, const std::string& kind) {
  const auto& kinds = values<std::string>(r, "/events/kind");
  return std::count(kinds.begin(), kinds.end(), kind);
}

double state_s(const Result& r, workload::JobState state) {
  return values<double>(r, "/jobs/state_s")[static_cast<std::size_t>(state)];
}

/// Mean connection power from `from_s` to `to_s` of the run, inside the window that begins at 30 s, W.
double mean_W(const Result& r, double from_s, double to_s) {
  const auto& wave = values<double>(r, "/waveform_sample/pcc_W");
  const auto from = wave.begin() + std::lround((from_s - 30.0) * 1e3),
             to = wave.begin() + std::lround((to_s - 30.0) * 1e3);
  return std::accumulate(from, to, 0.0) / static_cast<double>(to - from);
}

const char* stop = R"(
[[event]]
name = "maintenance"
kind = "planned_stop"
job = "main"
at_s = 60.3
)";

}  // namespace

TEST_CASE("a drained stop ends its iteration, saves and loses nothing; one at once loses what was not saved") {
  const std::vector<std::string> saves = {"job.main.life.checkpoint_interval_s=300", "job.main.life.planned_stop_s=15"};
  const auto drained = run(tiny(stop, saves));
  auto set = saves;
  set.push_back("job.main.life.planned_stop=\"at_once\"");
  const auto cut = run(tiny(stop, set));
  for (const auto* r : {&drained, &cut}) {
    CHECK(figure(*r, "n_interruptions_planned") == 1);
    CHECK(figure(*r, "n_interruptions_unexpected") == 0);
    CHECK(state_s(*r, workload::JobState::maintenance) == Approx(15.0).epsilon(1e-9));
    CHECK(figure(*r, "energy_closure") <= 1e-11);
    CHECK(figure(*r, "input_energy_error") <= 1e-12);
  }
  CHECK(values<std::int64_t>(drained, "/jobs/n_iterations_lost")[0] == 0);
  CHECK(values<std::int64_t>(drained, "/jobs/n_checkpoints")[0] == 1);
  CHECK(values<std::int64_t>(cut, "/jobs/n_iterations_lost")[0] > 0);
  CHECK(values<std::int64_t>(cut, "/jobs/n_checkpoints")[0] == 0);
  CHECK(figure(drained, "effective_time_percent") > figure(cut, "effective_time_percent") + 10.0);
  // During maintenance the servers idle.
  CHECK(mean_W(drained, 66.0, 72.0) < 0.55 * mean_W(drained, 40.0, 55.0));
}

TEST_CASE("stops are listed by cause: a kill falls less over its spread than in one instant, and its range is named",
          "[sim][stops]") {
  using List = std::vector<std::pair<std::string, double>>;
  const auto list = [](const Result& r, const std::string& key) -> const Value& {
    return std::find_if(r.summary.begin(), r.summary.end(), [&](const auto& x) { return x.first == key; })->second;
  };
  const auto of_kill = [&](const Result& r, const std::string& word) {
    const auto& kill = std::get<List>(list(r, "stops_kill"));
    return std::find_if(kill.begin(), kill.end(), [&](const auto& x) { return x.first == word; })->second;
  };
  std::vector<double> fall_MW_per_s;
  for (const char* spread_s : {"0", "3"}) {
    const std::string life = "job.main.life.";
    auto scenario =
        tiny(stop, {life + "planned_stop=\"at_once\"", life + "planned_stop_s=15", life + "tear_down_s=" + spread_s});
    scenario.assumed.push_back({"job.main.life.tear_down_s", 1.0, 0.04, 30.0, "[K]"});  // as of the catalog's jobs
    const auto r = run(scenario);
    CHECK(n_event(r, "kill") == 1);
    CHECK(of_kill(r, "n") == 1);
    CHECK(of_kill(r, "spread_s") == std::stod(spread_s));
    CHECK(of_kill(r, "spread_low_s") == 0.04);
    CHECK(of_kill(r, "spread_high_s") == 30.0);
    CHECK(std::holds_alternative<std::monostate>(list(r, "stops_failure")));
    CHECK(std::holds_alternative<std::monostate>(list(r, "stops_power_loss")));
    CHECK(state_s(r, workload::JobState::tear_down) == Approx(std::stod(spread_s)).margin(1e-9));
    CHECK(state_s(r, workload::JobState::maintenance) == Approx(15.0).epsilon(1e-9));
    CHECK(figure(r, "n_interruptions_planned") == 1);
    fall_MW_per_s.push_back(of_kill(r, "ramp_down_max_MW_per_s"));
  }
  CHECK(fall_MW_per_s[0] > 0.0);
  CHECK(fall_MW_per_s[1] < 0.95 * fall_MW_per_s[0]);
}

TEST_CASE("a soft start by replicas puts one share after the other to work") {
  const auto r = run(
      tiny("", {"job.main.life.soft_start_s=30", "job.main.life.soft_stages=3", "job.main.life.soft_style=\"replicas\"",
                "job.main.life.soft_burn_activity=0.8", "job.main.life.start_s=20"}));
  const double begin_s = 20.0 + 2.0 + 2e-3 * 128 + 0.0;  // initialise; then load and warm-up
  const double ramp_s = begin_s + state_s(r, workload::JobState::load) + 2.0;
  CHECK(state_s(r, workload::JobState::ramp_up) == Approx(30.0).epsilon(1e-9));
  double before_W = 0.0, first_rise_W = 0.0;
  for (int k = 0; k < 3; ++k) {
    const double from_s = std::max(30.5, ramp_s + 10.0 * k + 0.5), to_s = ramp_s + 10.0 * (k + 1) - 0.5;
    const double W = mean_W(r, from_s, to_s);
    if (k == 1) first_rise_W = W - before_W;
    // Four replicas: each stage sets one more to work, and the fourth waits for the first iteration.
    if (k > 1) CHECK(W - before_W == Approx(first_rise_W).epsilon(0.25));
    CHECK(W > before_W);
    before_W = W;
  }
  CHECK(figure(r, "energy_closure") <= 1e-11);
  CHECK(figure(r, "input_energy_error") <= 1e-12);
}

TEST_CASE("a soft start by clock works more slowly at first") {
  const auto hard = run(tiny()),
             soft = run(tiny("", {"job.main.life.soft_start_s=60", "job.main.life.soft_stages=3",
                                  "job.main.life.soft_style=\"clock\"", "job.main.life.soft_clock_frac=0.5"}));
  CHECK(figure(soft, "clock_slowest_MHz") < 0.7 * figure(hard, "clock_slowest_MHz"));
  CHECK(figure(soft, "iteration_s") > 1.1 * figure(hard, "iteration_s"));
  CHECK(mean_W(soft, 30.0, 35.0) < 0.9 * mean_W(hard, 30.0, 35.0));
}

TEST_CASE("evaluations come every so many iterations, and take no tokens") {
  const auto none = run(tiny()), r = run(tiny("", {"job.main.life.evaluation_interval_iterations=5",
                                                   "job.main.life.evaluation_batches=2"}));
  const auto n = values<std::int64_t>(r, "/jobs/n_iterations")[0];
  // That of an iteration that ends with the run does not begin.
  CHECK(n_event(r, "evaluation") == (n - 1) / 5);
  CHECK(state_s(r, workload::JobState::evaluate) > 0.0);
  CHECK(n < values<std::int64_t>(none, "/jobs/n_iterations")[0]);
  CHECK(values<double>(r, "/jobs/tokens")[0] == Approx(64.0 * 8192.0 * static_cast<double>(n)).epsilon(1e-12));
}

TEST_CASE("a job placed elsewhere has other chips, and the report's map shows where") {
  const std::vector<std::string> half = {"hall.a.n_gpu=256"};
  auto set = half;
  set.push_back("job.main.placement.first_rack=8");
  const auto here = run(tiny("", half)), there = run(tiny("", set));
  CHECK(figure(there, "energy_closure") <= 1e-11);
  CHECK(figure(here, "iteration_s") != figure(there, "iteration_s"));
  CHECK(figure(here, "iteration_s") == Approx(figure(there, "iteration_s")).epsilon(0.05));
}

TEST_CASE("hosts arrive one after another: no millisecond has more than a host's part of the rise", "[sim][start]") {
  const auto started = [](const std::string& arrive_s) {
    return run(tiny("", {"job.main.life.start_s=32", "job.main.life.initialise_base_s=10", "job.main.life.warm_up_s=2",
                         "job.main.life.storage_GB_per_s=50", "job.main.life.arrive_s=" + arrive_s}));
  };
  const auto spread = started("8"), at_once = started("0");
  const auto largest_W = [](const Result& r, double from_s, double to_s) {
    const auto& wave = values<double>(r, "/waveform_sample/pcc_W");
    double out = 0.0;
    for (auto i = std::lround((from_s - 30.0) * 1e3) + 1; i < std::lround((to_s - 30.0) * 1e3); ++i)
      out = std::max(out, std::abs(wave[static_cast<std::size_t>(i)] - wave[static_cast<std::size_t>(i - 1)]));
    return out;
  };
  const double rise_W = mean_W(at_once, 32.5, 33.0) - mean_W(at_once, 31.0, 31.9);
  REQUIRE(rise_W > 3e3);  // contexts of 128 GPUs
  CHECK(largest_W(at_once, 31.0, 33.0) > 0.9 * rise_W);
  CHECK(largest_W(spread, 31.0, 41.9) < 1.1 * rise_W / 16.0);  // of 16 hosts
  CHECK(mean_W(spread, 40.5, 41.5) == Approx(mean_W(at_once, 40.5, 41.5)).epsilon(0.01));
  CHECK(mean_W(spread, 35.9, 36.1) - mean_W(spread, 31.0, 31.9) == Approx(0.5 * rise_W).epsilon(0.15));
  for (const auto* r : {&spread, &at_once}) {
    CHECK(figure(*r, "energy_closure") <= 1e-11);
    CHECK(figure(*r, "input_energy_error") <= 1e-12);
  }
  // Processes start within the base: the job iterates at the same time, as often.
  CHECK(state_s(spread, workload::JobState::initialise) ==
        Approx(state_s(at_once, workload::JobState::initialise)).epsilon(1e-9));
  CHECK(values<std::int64_t>(spread, "/jobs/n_iterations")[0] ==
        values<std::int64_t>(at_once, "/jobs/n_iterations")[0]);
}

TEST_CASE("hosts arrive one after another after a failure as well", "[sim][start]") {
  const char* failure = R"(
[[event]]
name = "host"
kind = "failure"
job = "main"
at_s = 40.0
)";
  const auto steps_W = [&](const char* arrive_s) {
    const auto r = run(tiny(failure, {"job.main.life.detect_s=1", "job.main.life.replace_s=2",
                                      std::string("job.main.life.arrive_s=") + arrive_s}));
    const auto& wave = values<double>(r, "/waveform_sample/pcc_W");
    double out = 0.0;  // from its replacement at 43 s on
    for (std::size_t i = 12'500; i < 17'000; ++i) out = std::max(out, wave[i] - wave[i - 1]);
    CHECK(figure(r, "energy_closure") <= 1e-11);
    return out;
  };
  CHECK(steps_W("6") < 0.2 * steps_W("0"));
}
