// Row 9 of the reliability scorecard: whole runs in jumps of many iterations against every edge resolved.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "catch.hpp"
#include "tidewatt/sim/run.hpp"
#include "tiny.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

namespace {

Scenario llama(std::vector<std::string> more) {
  LoadOptions o;
  o.set = {"hall.a.n_gpu=1024", "job.main.plan.n_gpu=1024", "job.main.plan.global_batch_sequences=128",
           "record.window.sample.start_s=600", "record.window.sample.duration_s=1"};
  o.set.insert(o.set.end(), more.begin(), more.end());
  return load_scenario(std::string(TIDEWATT_SOURCE_DIR) + "/scenarios/llama3_405b_day.toml", o);
}

/// ∫ of a figure of the day over time, up to an end.
double integral(const Result &r, const std::string &figure_of_day, double from_s, double to_s) {
  const auto &t = reals(r, "/day/time"), &x = reals(r, figure_of_day);
  double out = 0.0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    const double next_s = i + 1 < t.size() ? t[i + 1] : figure(r, "simulated_s");
    out += x[i] * std::max(0.0, std::min(next_s, to_s) - std::max(t[i], from_s));
  }
  return out;
}

/// Throughput of a run in jumps over that of one with every edge resolved, less one, in percent.
double excess_percent(const Scenario &s) {
  const auto jumps = run(s), edges = run(reference_of(s));
  return 100.0 * (figure(jumps, "tokens_per_s_mean") / figure(edges, "tokens_per_s_mean") - 1.0);
}

}  // namespace

TEST_CASE("row 9: a run in jumps is the run with every edge resolved, the hottest die too") {
  const bool steps =
      GENERATE(false, true);  // fans in steps: at an instant they may be at another one, see fan_report_test
  // In steps: the hottest die of an instant may be in a server whose fans cycle, which jumps carry at the mean of the cycle.
  auto scenario =
      steps ? llama({"run.duration_h=0.5", "hall.a.gpu.compute.host_gap_s=0"}) : llama({"run.duration_h=0.5"});
  if (!steps) scenario.halls.front().fans.reset();
  // Air at which no server's fans cycle while dies are at their warmest: there an instant may be 0.5 K above the cycle's mean.
  scenario.halls.front().outside_air.supply_low_K = 291.65;
  const auto jumps = run(scenario), edges = run(reference_of(scenario));
  double die_K = 0.0, hottest_K = 0.0;
  const auto &a = reals(jumps, "/fleet/die_K"), &b = reals(edges, "/fleet/die_K");
  for (std::size_t g = 0; g < a.size(); ++g) die_K = std::max(die_K, std::abs(a[g] - b[g]));
  // The hottest die while the job iterates, over each of the jumps.
  const auto &t = reals(jumps, "/day/time"), &x = reals(jumps, "/day/die_max_K"), &u = reals(edges, "/day/time"),
             &y = reals(edges, "/day/die_max_K");
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (t[i] < 600.0) continue;  // the start from cold is in die_max_degC
    const double end_s = i + 1 < t.size() ? t[i + 1] : 1e9;
    double most_K = 0.0;
    for (std::size_t k = 0; k < u.size(); ++k)
      if (u[k] >= t[i] - 1e-6 && u[k] < end_s - 1e-6) most_K = std::max(most_K, y[k]);
    if (most_K > 0.0) hottest_K = std::max(hottest_K, std::abs(x[i] - most_K));
  }
  const double start_K = figure(jumps, "die_max_degC") - figure(edges, "die_max_degC");
  const double throughput =
      100.0 * std::abs(figure(jumps, "tokens_per_s_mean") / figure(edges, "tokens_per_s_mean") - 1.0);
  fmt::print(
      "scorecard 9: 1,024 GPUs, half an hour, fans {}: hottest die {:.3f} K apart once warm ({:+.3f} K at the start "
      "from cold), "
      "each die {:.3f} K, throughput {:.4f} %\n",
      steps ? "in steps" : "on a line", hottest_K, start_K, die_K, throughput);
  CHECK(hottest_K <= (steps ? 0.3 : 0.05));
  CHECK(std::abs(start_K) <= 0.05);
  if (!steps) CHECK(die_K <= 0.05);
  CHECK(throughput <= 0.02);
}

TEST_CASE("a run that ends inside an iteration leaves dies as the reference does: clocks fall from its begin on") {
  // At its kinds' means over the whole iteration, or with the course inside a kind left out, the hottest die ends 0.3 to 0.5 K too warm.
  for (const char *hours : {"run.duration_h=0.2996", "run.duration_h=0.3"}) {
    auto scenario = llama({hours});
    scenario.halls.front().fans.reset();
    const auto jumps = run(scenario), edges = run(reference_of(scenario));
    const auto &u = reals(edges, "/day/time"), &y = reals(edges, "/day/die_max_K");
    double most_K = 0.0;
    for (std::size_t k = 0; k < u.size(); ++k)
      if (u[k] >= reals(jumps, "/day/time").back() - 1e-6) most_K = std::max(most_K, y[k]);
    CHECK(reals(jumps, "/day/die_max_K").back() == Approx(most_K).margin(0.05));
  }
}

TEST_CASE("the largest step and ramps are those of the first start, from cold, and the reference's") {
  // With clocks within a kind of a chip as cold as its die, which the table's end clips, the step is 1 % and the ramps 0.6 % too small.
  const auto scenario = llama({"run.duration_h=0.04", "record.window.sample.start_s=100"});
  const auto jumps = run(scenario), edges = run(reference_of(scenario));
  for (const auto *key : {"pcc_step_1s_max_MW", "pcc_ramp_up_max_MW_per_s", "pcc_ramp_down_max_MW_per_s"}) {
    INFO(key);
    CHECK(figure(jumps, key) == Approx(figure(edges, key)).epsilon(1e-3));
  }
}

TEST_CASE("predictions agree with what comes out: a warm morning's throughput is the reference's") {
  // Fans answer every pass of the prediction; after two of them alone it is 0.1 K off, 0.008 % of throughput. With the air's density of the
  // macro step's begin it is 0.005 % off, with the powers of the step before 0.003 %.
  const double percent =
      excess_percent(llama({"run.start=2024-07-20T08:00:00", "run.duration_h=2", "hall.a.server=dgx_h100"}));
  fmt::print("a warm morning in jumps: throughput {:+.4f} %\n", percent);
  CHECK(std::abs(percent) <= 0.0025);
}

TEST_CASE("clocks follow the work between pauses: checkpoints every three minutes cost what they cost the reference") {
  // At the mean of work and pauses dies seem 0.6 K colder. Fans are on a line: in steps they are up to 0.005 % apart themselves.
  auto scenario =
      llama({"run.duration_h=0.5", "job.main.life.checkpoint_interval_s=180", "job.main.life.checkpoint_async=true"});
  scenario.halls.front().fans.reset();
  const double percent = excess_percent(scenario);
  fmt::print("checkpoints every three minutes in jumps: throughput {:+.4f} %\n", percent);
  CHECK(std::abs(percent) <= 0.008);
}

TEST_CASE("a pause is not jumped through with less work than it takes to know that work's temperatures") {
  // One iteration and a pause of 9 s in one jump: dies at work were what is left of the jump's mean, 13 K off, and beyond the cap.
  // Fans are on a line: in steps the hottest die is up to 0.32 K apart itself.
  auto s = llama({"run.duration_h=0.3", "run.macro_step_s=16", "run.macro_step_max_s=16",
                  "job.main.life.checkpoint_async=true", "job.main.life.checkpoint_interval_s=120",
                  "job.main.life.checkpoint_base_s=9"});
  s.halls.front().fans.reset();
  const auto jumps = run(s), edges = run(reference_of(s));
  const double hottest_K = figure(jumps, "die_max_degC") - figure(edges, "die_max_degC"),
               throughput = 100.0 * (figure(jumps, "tokens_per_s_mean") / figure(edges, "tokens_per_s_mean") - 1.0);
  fmt::print("pauses of 9 s every two minutes, steps of 16 s: hottest die {:+.3f} K, throughput {:+.4f} %\n", hottest_K,
             throughput);
  CHECK(std::abs(hottest_K) <= 0.05);
  CHECK(std::abs(throughput) <= 0.02);
}

TEST_CASE("a row of /day that ends with an iteration holds whole iterations") {
  // A job that iterates alone extends the row to the end of its next iteration, which belongs to the row: until then the last one was
  // counted in the next row, and while dies warmed up rows were 0.1 K off.
  constexpr double tokens_per_iteration = 128.0 * 8192.0;
  const auto r = run(llama({"run.duration_h=0.4"}));
  const auto &t = reals(r, "/day/time"), &rate = reals(r, "/day/throughput_tokens_per_s");
  int n_row = 0;
  for (std::size_t i = 3; i + 2 < t.size(); ++i) {  // the first rows have the start, the last is cut
    const double iterations = rate[i] * (t[i + 1] - t[i]) / tokens_per_iteration;
    CHECK(iterations == Approx(std::round(iterations)).margin(1e-3));
    ++n_row;
  }
  CHECK(n_row >= 3);
}

TEST_CASE("a macro step ends where a job is to stop or has done its last iteration") {
  // Plants drew the mean of before and after: 1 % of the site's power too little for minutes before the stop, too much after it.
  const char *end = GENERATE("event=[{name=\"stop\",kind=\"planned_stop\",job=\"main\",at_s=1310}]",
                             "job.main.life.total_iterations=160");
  const auto scenario = llama({"run.duration_h=0.4", end});
  const auto jumps = run(scenario), edges = run(reference_of(scenario));
  const auto &t = reals(jumps, "/day/time"), &W = reals(edges, "/day/it_W"), &u = reals(edges, "/day/time");
  double stops_s = 0.0;  // the first time after the start at which the reference's GPUs draw less than half
  for (std::size_t i = 0; i < u.size() && stops_s == 0.0; ++i)
    if (u[i] > 600.0 && W[i] < 6e5) stops_s = u[i];
  REQUIRE(stops_s > 900.0);
  for (const auto &[from_s, to_s] :
       {std::pair(600.0, stops_s - 90.0), std::pair(stops_s + 120.0, figure(jumps, "simulated_s"))}) {
    INFO(from_s);
    const double a = integral(jumps, "/day/pcc_mean_W", from_s, to_s),
                 b = integral(edges, "/day/pcc_mean_W", from_s, to_s);
    CHECK(a == Approx(b).epsilon(2e-3));
  }
  double longest_s = 0.0;
  for (std::size_t i = 0; i + 1 < t.size(); ++i)
    if (t[i] < stops_s && t[i + 1] > stops_s) longest_s = std::max(longest_s, t[i + 1] - t[i]);
  CHECK(longest_s <= 90.0);
}

TEST_CASE("dies, fans and power after a stop are the reference's, in each state that the job waits in") {
  // As the same hold that the reference resolves, and as one step of a minute, the mean die was 0.7 K and the power 5 % off.
  auto scenario = llama({"run.duration_h=0.28", "hall.a.server=dgx_h100",
                         "event=[{name=\"host\",kind=\"failure\",job=\"main\",at_s=600}]"});
  const auto jumps = run(scenario), edges = run(reference_of(scenario));
  const auto &t = reals(jumps, "/day/time");
  std::size_t seen = 0;
  for (std::size_t i = 0; i + 1 < t.size(); ++i) {
    if (t[i] < 599.0 || t[i + 1] > 860.0) continue;
    ++seen;
    INFO(t[i]);
    const auto off = [&](const char *key) {
      return (integral(jumps, key, t[i], t[i + 1]) - integral(edges, key, t[i], t[i + 1])) / (t[i + 1] - t[i]);
    };
    CHECK(std::abs(off("/day/die_mean_K")) <= 0.05);
    CHECK(std::abs(off("/day/it_W")) <= 2e-3 * integral(edges, "/day/it_W", t[i], t[i + 1]) / (t[i + 1] - t[i]));
  }
  CHECK(seen >= 4);
}
