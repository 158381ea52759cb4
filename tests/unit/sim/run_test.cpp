#include "tidewatt/sim/run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/text.hpp"
#include "catch.hpp"
#include "tidewatt/io/payload_hash.hpp"
#include "tidewatt/sim/scenario.hpp"
#include "tiny.hpp"
#include "workload/job_state.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

namespace {

constexpr double tokens_per_iteration = 64.0 * 8192.0;

const char* smoothing = R"(
[[mitigation]]
name = "smoothing"
kind = "gpu_smoothing"
floor_ratio = 0.6
ramp_up_W_per_s = 1000
ramp_down_W_per_s = 1000
hysteresis_s = 1
)";

const char* failure = R"(
[[event]]
name = "host"
kind = "failure"
job = "main"
at_s = 60.3
)";

template <class T>
const std::vector<T>& values(const Result& r, const std::string& path) {
  for (const auto& a : r.arrays)
    if (a.path == path) return std::get<std::vector<T>>(a.values);
  throw std::runtime_error("no array " + path);
}

double sum(const std::vector<double>& x) {
  CompensatedSum s;
  for (const double v : x) s.add(v);
  return s.value();
}

/// Σ over hours of rate × time spent iterating.
double tokens(const Result& r) {
  const auto &rate = reals(r, "/hourly/throughput_tokens_per_s"), &s = reals(r, "/hourly/iterating_s");
  double out = 0.0;
  for (std::size_t i = 0; i < s.size(); ++i)
    if (s[i] > 0.0) out += rate[i] * s[i];
  return out;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double out = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) out = std::max(out, std::abs(a[i] - b[i]));
  return out;
}

}  // namespace

TEST_CASE("all books close, whatever stands between the GPUs and the grid") {
  const std::vector<std::pair<std::string, Scenario>> cases = {
      {"plain", tiny()},
      {"reference", reference_of(tiny("", {"run.duration_h=0.01"}))},
      {"prescribed inlet", tiny("", {"hall.a.plant.catalog=prescribed_llama3_day"})},
      {"battery", tiny(tiny_battery)},
      {"smoothing", tiny(smoothing)},
      {"both", tiny(std::string(tiny_battery) + smoothing)},
      {"failure", tiny(failure)},
      {"failure, both, reference",
       reference_of(tiny(std::string(failure) + tiny_battery + smoothing, {"run.duration_h=0.02"}))},
      {"two rows of nodes idle", tiny("", {"job.main.plan.n_gpu=64"})}};
  for (const auto& [name, scenario] : cases) {
    INFO(name);
    const auto r = run(scenario);
    const auto &closure = reals(r, "/energy/closure"), &in = reals(r, "/energy/in_J"), &out = reals(r, "/energy/out_J"),
               &stored = reals(r, "/energy/stored_J");
    // What a battery stores is the difference of two energies: where it charged by some joules, their last bit is more than 1e-11 of that.
    const double rounding_J = std::numeric_limits<double>::epsilon() * *std::max_element(in.begin(), in.end());
    for (std::size_t i = 0; i < closure.size(); ++i) {
      INFO(values<std::string>(r, "/energy/level")[i]);
      CHECK(closure[i] <= 1e-11);
      CHECK(std::abs(in[i] - out[i] - stored[i]) <= 1e-11 * std::abs(in[i]) + rounding_J);
      CHECK(in[i] >= 0.0);
    }
    CHECK(figure(r, "input_energy_error") <= 1e-12);
    CHECK(figure(r, "energy_closure") == *std::max_element(closure.begin(), closure.end()));
  }
}

TEST_CASE("mitigations do what they are for") {
  const auto plain = run(tiny()), with_battery = run(tiny(tiny_battery)), smoothed = run(tiny(smoothing));
  // The line of the iteration in the spectrum, W. What is much faster than the battery's delay and lag it cannot reach.
  const auto line_W = [](const Result& r) {
    const auto &f = reals(r, "/spectrum/frequency_Hz"), &amplitude = reals(r, "/spectrum/pcc_amplitude_W");
    double out = 0.0;
    for (std::size_t i = 0; i < f.size(); ++i)
      if (std::abs(f[i] * figure(r, "iteration_s") - 1.0) < 0.1) out = std::max(out, amplitude[i]);
    return out;
  };
  CHECK(line_W(with_battery) < 0.65 * line_W(plain));
  CHECK(line_W(smoothed) < 0.9 * line_W(plain));
  // The battery loses energy and the jobs do not notice; smoothing burns energy in the GPUs and costs time.
  CHECK(figure(with_battery, "pcc_mean_MW") != figure(plain, "pcc_mean_MW"));
  CHECK(figure(with_battery, "iteration_s") == Approx(figure(plain, "iteration_s")).epsilon(1e-12));
  CHECK(figure(smoothed, "iteration_s") >= figure(plain, "iteration_s"));
  CHECK(figure(smoothed, "it_mean_MW") > figure(plain, "it_mean_MW"));
}

TEST_CASE("a fast run equals one that resolves every iteration") {
  // Fans on a line: where they cycle, fan_report_test compares means.
  const std::vector<std::string> common = {"run.duration_h=0.5", "hall.a.plant.catalog=prescribed_llama3_day",
                                           "run.start=\"2024-07-20T09:00:00\"", "hall.a.server=dgx_h100"};
  const auto fast = run(tiny("", common)), slow = run(reference_of(tiny("", common)));
  const auto &a = reals(fast, "/hourly/throughput_tokens_per_s"), &b = reals(slow, "/hourly/throughput_tokens_per_s");
  REQUIRE(a.size() == 1);
  CHECK(a[0] == Approx(b[0]).epsilon(2e-4));
  CHECK(figure(fast, "it_mean_MW") == Approx(figure(slow, "it_mean_MW")).epsilon(2e-4));
  CHECK(largest_difference(reals(fast, "/fleet/die_K"), reals(slow, "/fleet/die_K")) <= 0.05);
  // The fast run's macro steps grow while nothing happens; each holds some of the other's, whole or in part.
  const auto &mean_fast = reals(fast, "/day/die_mean_K"), &mean_slow = reals(slow, "/day/die_mean_K");
  const auto &time_fast = reals(fast, "/day/time"), &time_slow = reals(slow, "/day/time");
  CHECK(time_fast.size() < time_slow.size());
  const auto end_of = [](const std::vector<double>& begin, std::size_t i) {
    return i + 1 < begin.size() ? begin[i + 1] : 1800.0;
  };
  for (std::size_t i = 0; i < mean_fast.size(); ++i) {
    double sum_Ks = 0.0, sum_s = 0.0;
    for (std::size_t k = 0; k < time_slow.size(); ++k) {
      const double s = std::min(end_of(time_fast, i), end_of(time_slow, k)) - std::max(time_fast[i], time_slow[k]);
      if (s > 0.0) sum_Ks += mean_slow[k] * s, sum_s += s;
    }
    INFO(i);
    CHECK(std::abs(mean_fast[i] - sum_Ks / sum_s) <= 0.05);
  }
}

TEST_CASE("threads do not change a bit, the seed does") {
  const auto scenario = tiny(failure);
  const auto one = io::payload_sha256(run(scenario, {1, {}}));
  CHECK(io::payload_sha256(run(scenario, {2, {}})) == one);
  CHECK(io::payload_sha256(run(scenario, {5, {}})) == one);
  CHECK(io::payload_sha256(run(tiny(failure, {"run.seed=2"}), {1, {}})) != one);
}

TEST_CASE("tokens come in whole iterations and fill the time spent iterating") {
  for (const char* more : {"", failure}) {
    const auto r = run(tiny(more));
    const double iterations = tokens(r) / tokens_per_iteration;
    INFO(iterations);
    CHECK(iterations > 50);
    CHECK(std::abs(iterations - std::round(iterations)) < 1e-6);
    const double iterating_s = sum(reals(r, "/hourly/iterating_s"));
    CHECK(iterations * figure(r, "iteration_s") == Approx(iterating_s).epsilon(2e-3));
    CHECK(figure(r, "tokens_per_s_mean") == Approx(tokens(r) / iterating_s).epsilon(1e-12));
  }
}

TEST_CASE("a failure in the middle of an iteration stops the load within two iterations and is counted") {
  const auto r = run(tiny(failure));
  CHECK(figure(r, "n_interruptions_unexpected") == 1);
  CHECK(figure(r, "n_interruptions_planned") == 0);
  const auto& pcc = reals(r, "/waveform_sample/pcc_W");  // from 30 s on
  const auto at = [&](double s) { return pcc[static_cast<std::size_t>(std::lround((s - 30.0) * 1000.0))]; };
  const double before = *std::max_element(pcc.begin() + 29'000, pcc.begin() + 30'300);
  CHECK(at(62.0) < 0.75 * before);
  CHECK(at(62.5) == Approx(at(62.0)).epsilon(0.02));
  const auto plain = run(tiny());
  CHECK(tokens(r) < tokens(plain) - 10 * tokens_per_iteration);
  CHECK(figure(r, "effective_time_percent") < figure(plain, "effective_time_percent"));
}

TEST_CASE("hours, macro steps and the waveform's pyramids add up to the totals") {
  const auto r = run(tiny("", {"run.duration_h=1.05", "run.macro_step_s=300"}));
  const double s = figure(r, "simulated_s");
  CHECK(reals(r, "/hourly/it_J").size() == 2);
  CHECK(sum(reals(r, "/hourly/it_J")) == Approx(figure(r, "it_mean_MW") * 1e6 * s).epsilon(1e-12));
  // Hours are cut to the nanosecond, the connection's power comes in whole milliseconds.
  CHECK(sum(reals(r, "/hourly/pcc_J")) == Approx(figure(r, "pcc_mean_MW") * 1e6 * s).epsilon(1e-7));
  const auto &mean_W = reals(r, "/pyramid_1s/pcc_mean_W"), &lo = reals(r, "/pyramid_1s/pcc_min_W"),
             &hi = reals(r, "/pyramid_1s/pcc_max_W");
  CHECK(sum(mean_W) == Approx(figure(r, "pcc_mean_MW") * 1e6 * s).epsilon(1e-9));
  CHECK(*std::max_element(hi.begin(), hi.end()) <= figure(r, "pcc_max_MW") * 1e6 * (1 + 1e-9));
  CHECK(*std::min_element(lo.begin(), lo.end()) >= figure(r, "pcc_min_MW") * 1e6 * (1 - 1e-9));
  CHECK(figure(r, "pue") == Approx(figure(r, "pcc_mean_MW") / figure(r, "it_mean_MW")).epsilon(1e-12));
  CHECK(sum(reals(r, "/hourly/water_kg")) ==
        Approx(figure(r, "wue_L_per_kWh") * figure(r, "it_mean_MW") * s / 3.6).epsilon(1e-6));
}

TEST_CASE("equal chips at equal places behave equally, unequal ones do not") {
  const auto widest_Hz = [](const Result& r) {
    std::map<std::pair<std::int64_t, bool>, std::pair<double, double>> range;  // (stage, rear) → lowest, highest
    const auto& own = reals(r, "/fleet/own_Hz");
    for (std::size_t g = 0; g < own.size(); ++g) {
      const std::pair key{values<std::int64_t>(r, "/fleet/stage")[g], values<std::int64_t>(r, "/fleet/slot")[g] >= 4};
      auto [it, first] = range.try_emplace(key, own[g], own[g]);
      it->second = {std::min(it->second.first, own[g]), std::max(it->second.second, own[g])};
    }
    double out = 0.0;
    for (const auto& [key, lo_hi] : range) out = std::max(out, lo_hi.second - lo_hi.first);
    return out;
  };
  const auto equal = run(tiny("", {"run.spread=false", "hall.a.recirculation_sigma_ratio=0"}));
  for (const double x : reals(equal, "/fleet/leakage_ratio")) REQUIRE(x == 1.0);
  for (const double x : reals(equal, "/fleet/resistance_ratio")) REQUIRE(x == 1.0);
  CHECK(widest_Hz(equal) < 1.0);
  const auto unequal = run(tiny("", {"hall.a.recirculation_sigma_ratio=0"}));
  CHECK(widest_Hz(unequal) > 1e7);
  CHECK(figure(unequal, "iteration_s") > figure(equal, "iteration_s"));
}

TEST_CASE("waiting for the slowest costs time") {
  const auto waits = run(tiny()), mean = run(tiny("", {"run.gating=false"}));
  CHECK(figure(mean, "iteration_s") < figure(waits, "iteration_s"));
}

TEST_CASE("warmer inlets leave less clock under the same power limit") {
  const auto at = [](const char* degC) {
    const std::string p = "hall.a.plant.";
    return run(tiny("", {p + "catalog=prescribed_llama3_day", p + "min_degC=" + degC, p + "max_degC=" + degC}));
  };
  const auto cool = at("18"), warm = at("30");
  CHECK(figure(warm, "clock_mean_MHz") < figure(cool, "clock_mean_MHz"));
  CHECK(figure(warm, "die_mean_degC") > figure(cool, "die_mean_degC"));
  CHECK(figure(warm, "tokens_per_s_mean") < figure(cool, "tokens_per_s_mean"));
}

TEST_CASE("progress can stop a run, and a stopped run leaves nothing") {
  int n = 0;
  const auto r = run(tiny("", {"run.macro_step_s=1"}), {1, [&](double done) { return done >= 0.0 && ++n < 3; }});
  CHECK(n == 3);
  CHECK(r.arrays.empty());
  CHECK(r.summary.empty());
}

TEST_CASE("two jobs on one fleet keep clocks of their own and share the site's books") {
  const std::string folder = std::string(TIDEWATT_SOURCE_DIR) + "/tests/scenarios";
  LoadOptions o;
  o.set = {"hall.a.n_gpu=224"};  // jobs of 128 and 64, four idle nodes
  const auto both = run(load_scenario(folder + "/two_jobs.toml", o));
  o.set = {"hall.a.n_gpu=224"};
  const auto one = run(load_scenario(folder + "/tiny.toml", o));
  CHECK(figure(both, "energy_closure") <= 1e-11);
  CHECK(figure(both, "input_energy_error") <= 1e-12);
  CHECK(figure(both, "it_mean_MW") > 1.2 * figure(one, "it_mean_MW"));
  // Each job has figures of its own: two stages on half the GPUs take longer for as many tokens.
  REQUIRE(both.jobs.size() == 2);
  REQUIRE(one.jobs.size() == 1);
  const auto of = [](const Result& r, std::size_t job, const std::string& key) {
    for (const auto& [k, v] : r.jobs[job])
      if (k == key)
        return std::holds_alternative<double>(v) ? std::get<double>(v) : static_cast<double>(std::get<std::int64_t>(v));
    throw std::runtime_error("no figure " + key);
  };
  CHECK(of(both, 0, "n_gpu") == 128);
  CHECK(of(both, 1, "n_gpu") == 64);
  // The first job's figures are those it has alone, but for the warmer hall.
  CHECK(of(both, 0, "iteration_s") == Approx(figure(one, "iteration_s")).epsilon(0.005));
  CHECK(of(both, 1, "iteration_s") > 1.5 * of(both, 0, "iteration_s"));
  CHECK(of(both, 1, "n_iterations") < of(both, 0, "n_iterations"));
  for (const std::size_t j : {0u, 1u}) {
    const double peak_TF = 989.4, s = of(both, j, "iterating_s");
    CHECK(of(both, j, "tokens") == Approx(tokens_per_iteration * of(both, j, "n_iterations")).epsilon(1e-12));
    CHECK(of(both, j, "tokens_per_s_mean") == Approx(of(both, j, "tokens") / s).epsilon(1e-12));
    CHECK(of(both, j, "mfu_percent") == Approx(100.0 * of(both, j, "tflops_per_gpu") / peak_TF).epsilon(1e-3));
    CHECK(of(both, j, "effective_time_percent") > 50.0);
  }
  // Throughput and arithmetic of the site are those of both; other figures lie between theirs, the slowest clock is the lower one.
  CHECK(figure(both, "tokens_per_s_mean") ==
        Approx(of(both, 0, "tokens_per_s_mean") + of(both, 1, "tokens_per_s_mean")).epsilon(1e-12));
  CHECK(192.0 * figure(both, "tflops_per_gpu") ==
        Approx(128.0 * of(both, 0, "tflops_per_gpu") + 64.0 * of(both, 1, "tflops_per_gpu")).epsilon(1e-12));
  for (const char* key : {"iteration_s", "mfu_percent", "mfu_bf16_percent", "hfu_percent", "clock_mean_MHz",
                          "clock_alone_MHz", "slowest_behind_percent", "straggler_loss_percent", "die_mean_degC"}) {
    INFO(key);
    const auto [low, high] = std::minmax({of(both, 0, key), of(both, 1, key)});
    CHECK(low < high);
    CHECK(figure(both, key) > low);
    CHECK(figure(both, key) < high);
  }
  CHECK(figure(both, "clock_slowest_MHz") ==
        std::min(of(both, 0, "clock_slowest_MHz"), of(both, 1, "clock_slowest_MHz")));
  const auto &site = reals(both, "/day/throughput_tokens_per_s"),
             &main = reals(both, "/job/main/throughput_tokens_per_s"),
             &other = reals(both, "/job/other/throughput_tokens_per_s");
  CHECK(site.back() == Approx(main.back() + other.back()).epsilon(1e-12));
  CHECK(reals(both, "/hourly/throughput_tokens_per_s").back() ==
        Approx(figure(both, "tokens_per_s_mean")).epsilon(1e-3));
  // One job's figures are the site's.
  for (const char* key : {"iteration_s", "tokens_per_s_mean", "mfu_percent", "clock_mean_MHz", "clock_slowest_MHz",
                          "clock_alone_MHz", "straggler_loss_percent", "effective_time_percent"})
    CHECK(figure(one, key) == of(one, 0, key));
  // Jobs and the idle nodes make up the whole.
  CHECK(of(both, 0, "it_mean_MW") + of(both, 1, "it_mean_MW") < figure(both, "it_mean_MW"));
  CHECK(values<std::string>(both, "/jobs/name") == std::vector<std::string>{"main", "other"});
  CHECK(reals(both, "/jobs/state_s").size() == 2 * workload::n_job_state);
  CHECK(sum(reals(both, "/jobs/state_s")) == Approx(2 * 112.5).epsilon(1e-12));
}

TEST_CASE("an interruption is the interrupted job's own") {
  const std::string folder = std::string(TIDEWATT_SOURCE_DIR) + "/tests/scenarios";
  LoadOptions o;
  o.set = {"hall.a.n_gpu=192"};
  const auto text = read_file(folder + "/two_jobs.toml", 1u << 20) +
                    "\n[[event]]\nname = \"e\"\nkind = \"failure\"\njob = \"other\"\nat_s = 60.3\n";
  const auto r = run(read_scenario(parse_toml(text, "two_jobs.toml"), folder, o));
  CHECK(values<std::int64_t>(r, "/jobs/n_interruptions_unexpected") == std::vector<std::int64_t>{0, 1});
  CHECK(values<std::int64_t>(r, "/jobs/n_iterations_lost")[0] == 0);
  CHECK(values<std::int64_t>(r, "/jobs/n_iterations_lost")[1] > 0);
  const auto& useful = reals(r, "/jobs/effective_time_percent");
  CHECK(useful[1] < useful[0]);
  CHECK(figure(r, "n_interruptions_unexpected") == 1.0);
  CHECK(figure(r, "effective_time_percent") < useful[0]);
  CHECK(figure(r, "effective_time_percent") > useful[1]);
}

TEST_CASE("the tokens that waiting for the slowest costs are those that a run without waiting gains") {
  const auto waits = run(tiny()), mean = run(tiny("", {"run.gating=false"}));
  const double gained = 100.0 * (1.0 - figure(waits, "tokens_per_s_mean") / figure(mean, "tokens_per_s_mean"));
  REQUIRE(gained > 2.0);
  CHECK(figure(waits, "straggler_loss_percent") == Approx(gained).epsilon(0.02));
  CHECK(figure(mean, "straggler_loss_percent") == 0.0);
  // Alone, all run at the mean of their own clocks; who waits saves watts and runs faster.
  CHECK(figure(waits, "clock_alone_MHz") == Approx(figure(mean, "clock_mean_MHz")).epsilon(2e-3));
  CHECK(figure(waits, "clock_mean_MHz") > 1.01 * figure(waits, "clock_alone_MHz"));
  CHECK(figure(waits, "slowest_behind_percent") > figure(waits, "straggler_loss_percent"));
}

TEST_CASE("a chip that gates itself off at rest saves leakage while nobody uses it, and nothing while it works",
          "[rest]") {
  const std::vector<std::string> idle = {"run.duration_h=0.001", "job.main.life.start_s=100"};
  const auto with = [](std::vector<std::string> set, const char* ratio = "0.5") {
    set.push_back(std::string("hall.a.gpu.power.rest_leakage_ratio=") + ratio);
    return run(tiny("", set));
  };
  const double whole_MW = figure(with(idle, "1"), "it_mean_MW"), half_MW = figure(with(idle), "it_mean_MW");
  // About 11 W of leakage each, half of which is left: 128 GPUs save 0.5 to 1.2 kW.
  CHECK(whole_MW - half_MW > 0.0005);
  CHECK(whole_MW - half_MW < 0.0012);
  const auto busy = with({"run.duration_h=0.05", "job.main.life.start_s=0"}),
             usual = run(tiny("", {"run.duration_h=0.05", "job.main.life.start_s=0"}));
  CHECK(figure(busy, "tokens_per_s_mean") ==
        Approx(figure(usual, "tokens_per_s_mean")).epsilon(1e-3));  // it starts a little cooler
  CHECK(figure(busy, "input_energy_error") < 1e-12);
}
