// Remedies that act on GPUs and jobs, inside runs.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/mitigation/beat.hpp"
#include "tiny.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

namespace {

std::string smoothing(double floor, double ramp) {
  return "\n[[mitigation]]\nname = \"smoothing\"\nkind = \"gpu_smoothing\"\nfloor_ratio = " + std::to_string(floor) +
         "\nramp_up_W_per_s = " + std::to_string(ramp) + "\nramp_down_W_per_s = " + std::to_string(ramp) +
         "\nhysteresis_s = 10\n";
}

const char* ballast = R"(
[[mitigation]]
name = "ballast"
kind = "ballast"
catalog = "ballast_firefly"
level_ratio = 0.85
)";

/// Lowest mean over `n` bins of the recorded window.
double lowest_W(const Result& r, std::size_t n) {
  const auto& pcc = reals(r, "/waveform_sample/pcc_W");
  double out = 1e300;
  for (std::size_t i = 0; i + n <= pcc.size(); i += n) {
    double sum = 0.0;
    for (std::size_t k = 0; k < n; ++k) sum += pcc[i + k];
    out = std::min(out, sum / static_cast<double>(n));
  }
  return out;
}

double line_W(const Result& r, double f_Hz) {
  const auto &f = reals(r, "/spectrum/frequency_Hz"), &amplitude = reals(r, "/spectrum/pcc_amplitude_W");
  double out = 0.0;
  for (std::size_t i = 0; i < f.size(); ++i)
    if (std::abs(f[i] - f_Hz) < 0.04) out = std::max(out, amplitude[i]);
  return out;
}

}  // namespace

TEST_CASE("slow smoothing: no edge between iterations is steeper than its ramp") {
  const double ramp = 100.0, n_gpu = 128.0;
  const auto r = run(tiny(smoothing(0.65, ramp), {"job.main.life.jitter_sigma_frac=0.003", "run.spread=false"}));
  // Watts of one GPU at the connection: losses of board supplies, PSU and feeders. A second holds several iterations.
  const auto& pcc = reals(r, "/waveform_sample/pcc_W");
  double steepest_W_per_s = 0.0;
  for (std::size_t i = 1000; i + 1000 <= pcc.size(); i += 250) {
    double before = 0.0, after = 0.0;
    for (std::size_t k = 0; k < 250; ++k) before += pcc[i + k - 250], after += pcc[i + k];
    steepest_W_per_s = std::max(steepest_W_per_s, std::abs(after - before) / 250.0 / 0.25);
  }
  CHECK(steepest_W_per_s < 1.5 * n_gpu * ramp);
  CHECK(figure(r, "energy_closure") <= 1e-11);
}

TEST_CASE("iterations that alternate under slow ramps are played in pairs, and come out as one by one") {
  LoadOptions o;
  o.set = {"hall.a.n_gpu=1024",
           "hall.a.cap_W=585",
           "hall.a.server=dgx_h100",  // fans on a line: their steps come at other times of the pairs
           "job.main.plan.n_gpu=1024",
           "job.main.plan.global_batch_sequences=128",
           "run.duration_h=0.3",
           "mitigation=[{name='s',kind='gpu_smoothing',floor_ratio=0.35,ramp_up_W_per_s=100,ramp_down_W_per_s=850,"
           "hysteresis_s=0.5}]"};
  const auto scenario = load_scenario(std::string(TIDEWATT_SOURCE_DIR) + "/scenarios/llama3_405b_day.toml", o);
  const auto pairs = run(scenario), single = run(reference_of(scenario));
  CHECK(figure(pairs, "tokens_per_s_mean") == Approx(figure(single, "tokens_per_s_mean")).epsilon(2e-4));
  CHECK(figure(pairs, "pcc_mean_MW") == Approx(figure(single, "pcc_mean_MW")).epsilon(2e-4));
  // How far two successive peaks lie apart is left over from the start and hardly decays: the higher one burns what is left, the lower
  // one is the work's own.
  const auto peak_W = [](const Result& r) {
    const auto& of_10s = reals(r, "/pyramid_10s/pcc_max_W");
    const auto settled = std::span(of_10s).subspan(of_10s.size() / 2);
    double sum_W = 0.0;
    for (std::size_t i = 1; i < settled.size(); ++i) sum_W += std::min(settled[i - 1], settled[i]);
    return sum_W / static_cast<double>(settled.size() - 1);
  };
  CHECK(peak_W(pairs) == Approx(peak_W(single)).epsilon(2e-4));
  CHECK(figure(pairs, "energy_closure") < 1e-11);
  const auto jumps = [](const Result& r) {
    const auto at = std::ranges::find(r.provenance, "steps", &std::pair<std::string, std::string>::first);
    return std::stoi(at->second);
  };
  CHECK(jumps(pairs) < 40);  // of a hundred iterations; the reference has no jumps
}

TEST_CASE("under smoothing, GPUs that wait long for a slow host draw no more than their limit") {
  double before_s = 0.0;
  for (const char* slower : {"0.3", "0.8"}) {
    LoadOptions o;
    o.set = {"hall.a.n_gpu=1024",
             "job.main.plan.n_gpu=1024",
             "job.main.plan.global_batch_sequences=128",
             "run.duration_h=0.1",
             "job.main.life.slow_host_frac=0.05",
             std::string("job.main.life.slow_host_slowdown_frac=") + slower};
    const auto smoothed =
        run(load_scenario(std::string(TIDEWATT_SOURCE_DIR) + "/scenarios/llama3_405b_smoothed.toml", o));
    o.set.push_back("mitigation=[]");
    const auto plain = run(load_scenario(std::string(TIDEWATT_SOURCE_DIR) + "/scenarios/llama3_405b_smoothed.toml", o));
    CAPTURE(slower);
    // Burning through long waits, they were at 1.4 times the limit and their dies at 112 degC before.
    CHECK(figure(smoothed, "die_max_degC") < 87.0);
    CHECK(figure(smoothed, "iteration_s") < 1.06 * figure(plain, "iteration_s"));
    CHECK(figure(smoothed, "iteration_s") > before_s);
    before_s = figure(smoothed, "iteration_s");
  }
}

TEST_CASE("ballast fills the waits: burned watts heat dies and hall, work behind it is slower, books close") {
  const auto plain = run(tiny()), filled = run(tiny(ballast));
  CHECK(lowest_W(filled, 10) > 1.1 * lowest_W(plain, 10));
  CHECK(figure(filled, "smoothing_burn_MWh") > 0.0);
  CHECK(std::isnan(figure(plain, "smoothing_burn_MWh")));  // nothing holds power there
  CHECK(figure(filled, "iteration_s") > figure(plain, "iteration_s"));
  CHECK(figure(filled, "die_mean_degC") > figure(plain, "die_mean_degC") + 0.5);
  CHECK(figure(filled, "it_mean_MW") > figure(plain, "it_mean_MW"));
  CHECK(figure(filled, "energy_closure") <= 1e-11);
  CHECK(figure(filled, "input_energy_error") <= 1e-12);
  // Its term removed: a level of 0 leaves the waveform as it was, but for the monitor's share.
  const auto empty = run(tiny(ballast, {"mitigation.ballast.level_ratio=0", "mitigation.ballast.monitor_cost_frac=0"}));
  CHECK(figure(empty, "it_mean_MW") == Approx(figure(plain, "it_mean_MW")).epsilon(1e-3));
  CHECK(figure(empty, "smoothing_burn_MWh") == 0.0);
}

TEST_CASE(
    "after a failure ballast stands in and then ramps down: the stop is no step any more, wherever in an iteration it "
    "comes") {
  for (const char* at_s : {"60.0", "60.15", "60.3", "60.45", "60.6"}) {
    INFO(at_s);
    const std::string failure =
        std::string("\n[[event]]\nname = \"host\"\nkind = \"failure\"\njob = \"main\"\nat_s = ") + at_s + "\n";
    const auto plain = run(tiny(failure)),
               filled = run(tiny(failure + ballast,
                                 {"mitigation.ballast.hold_s=2", "mitigation.ballast.ramp_down_W_per_s=100"}));
    const auto fall = [](const Result& r) {
      for (const auto& [k, v] : r.summary)
        if (k == "ramp_down_MW_per_s")
          for (const auto& [window, x] : std::get<std::vector<std::pair<std::string, double>>>(v))
            if (window == "1s") return x;
      return std::nan("");
    };
    // No steeper than an ordinary iteration's edge: from what work draws to the ballast's level. Without it, to waiting.
    const auto& pcc_W = reals(filled, "/waveform_sample/pcc_W");  // from 30 s on; the first stop is at 60 s
    double low_W = 1e300, high_W = 0.0;
    for (std::size_t i = 0; i + 10 <= 29000; i += 10) {
      const double mean_W = std::accumulate(&pcc_W[i], &pcc_W[i] + 10, 0.0) / 10.0;
      low_W = std::min(low_W, mean_W), high_W = std::max(high_W, mean_W);
    }
    CHECK(fall(filled) * 1e6 < 1.1 * (high_W - low_W));
    CHECK(fall(plain) * 1e6 > 2.0 * (high_W - low_W));
  }
}

TEST_CASE("a beat moves the iteration's line to the wanted frequency and costs the time that it waits") {
  const auto plain = run(tiny());
  const double period_s = 1.25 * figure(plain, "iteration_s");
  const auto beat =
      run(tiny("\n[[mitigation]]\nname = \"beat\"\nkind = \"iteration_beat\"\njob = \"main\"\nperiod_s = " +
                   std::to_string(period_s) + "\n",
               {"job.main.life.jitter_sigma_frac=0.003"}));
  // The first iteration begins between two beats, and may be late by less than half of one; the second catches up.
  CHECK(reals(beat, "/day/iteration_s").back() == Approx(period_s).epsilon(1e-4));
  CHECK(figure(beat, "iteration_s") == Approx(period_s).epsilon(0.5 * period_s / 100.0));
  CHECK(figure(beat, "tokens_per_s_mean") == Approx(figure(plain, "tokens_per_s_mean") / 1.25).epsilon(5e-3));
  CHECK(line_W(beat, 1.0 / period_s) > 2.0 * line_W(beat, 1.0 / figure(plain, "iteration_s")));
  CHECK(figure(beat, "energy_closure") <= 1e-11);
  const auto too_short =
      run(tiny("\n[[mitigation]]\nname = \"beat\"\nkind = \"iteration_beat\"\njob = \"main\"\nperiod_s = 0.01\n"));
  const auto& kind = std::get<std::vector<std::string>>(
      std::find_if(too_short.arrays.begin(), too_short.arrays.end(), [](const NamedArray& a) {
        return a.path == "/events/kind";
      })->values);
  CHECK(std::count(kind.begin(), kind.end(), "beat_missed") == 1);
}

TEST_CASE("a failure exactly on a beat, where one iteration ends and the next begins, stops the job there") {
  // A step of no length ended the program.
  const auto r = run(tiny(R"(
[[mitigation]]
name = "beat"
kind = "iteration_beat"
job = "main"
period_s = 20.0
[[event]]
name = "host"
kind = "failure"
job = "main"
at_s = 440.0
)",
                          {"run.duration_h=0.2"}));
  CHECK(figure(r, "n_interruptions_unexpected") == 1);
  CHECK(figure(r, "energy_closure") <= 1e-11);
}

TEST_CASE("two jobs half a beat apart: their fundamentals cancel, side by side they add") {
  const std::string second = R"(
[[job]]
name = "other"
model = "llama3_8b"
network = "llama3_roce"
[job.plan]
n_gpu = 64
tp = 8
pp = 4
virtual_stages = 2
micro_batch_sequences = 1
global_batch_sequences = 32
sequence_tokens = 8192
gradient_bytes = 4
sequence_parallel = true
fused_attention = true
dp_overlap = true
pp_overlap = true
tp_overlap_frac = 0.0
recompute = "none"
sharding = "fsdp"
rank_order = "tp-cp-pp-dp"
[job.life]
start_s = 5
initialise_base_s = 2
arrive_s = 0
load_per_gpu_GB_per_s = 2
storage_GB_per_s = 2000
warm_up_s = 2
checkpoint_interval_s = 0
checkpoint_base_s = 1
checkpoint_per_gpu_GB_per_s = 2
copy_link_frac = 0.02
detect_s = 10
replace_s = 10
planned_stop_s = 60
)";
  const std::vector<std::string> half = {"job.main.plan.n_gpu=64", "job.main.plan.global_batch_sequences=32"};
  const double period_s = 1.2 * figure(run(tiny(second, half)), "iteration_s");
  const auto beats = [&](const char* kind, double apart) {
    std::string text = second;
    if (std::string(kind) == "job_stagger")
      return run(tiny(text + "\n[[mitigation]]\nname = \"s\"\nkind = \"job_stagger\"\nperiod_s = " +
                          std::to_string(period_s) + "\n",
                      half));
    double k = 0.0;
    for (const char* job : {"main", "other"})
      text += std::string("\n[[mitigation]]\nname = \"") + job + "\"\nkind = \"iteration_beat\"\njob = \"" + job +
              "\"\nperiod_s = " + std::to_string(period_s) + "\nphase_s = " + std::to_string(apart * k++) + "\n";
    return run(tiny(text, half));
  };
  const double together_W = line_W(beats("iteration_beat", 0.0), 1.0 / period_s);
  const double apart_W = line_W(beats("job_stagger", 0.0), 1.0 / period_s);
  CHECK(apart_W < 0.2 * together_W);
}

TEST_CASE("wear follows from the charge that the run leaves behind") {
  const std::string wear = std::string(tiny_battery) + "wear = \"wear_lithium_iron_phosphate\"\n";
  const auto r = run(tiny(wear)), plain = run(tiny(tiny_battery));
  CHECK(figure(r, "battery_charged_MWh") == Approx(figure(plain, "battery_charged_MWh")).epsilon(1e-12));
  // 0.05 MWh in the store; what goes in and out moves the charge by as much.
  const double moved = 0.94 * figure(r, "battery_charged_MWh") + figure(r, "battery_discharged_MWh") / 0.93;
  CHECK(figure(r, "battery_full_cycles") == Approx(0.5 * moved / 0.05).epsilon(0.1));
}

TEST_CASE("mistakes in mitigations are named") {
  const auto says = [](const std::string& more, const std::string& what) {
    try {
      tiny(more);
    } catch (const InputError& e) {
      INFO(e.what());
      return std::string(e.what()).find(what) != std::string::npos;
    }
    return false;
  };
  CHECK(says("\n[[mitigation]]\nname = \"b\"\nkind = \"iteration_beat\"\njob = \"mian\"\nperiod_s = 2\n",
             "no job named 'mian'"));
  CHECK(says("\n[[mitigation]]\nname = \"b\"\nkind = \"iteration_beat\"\njob = \"main\"\nperiod_s = 0\n", "period_s"));
  CHECK(
      says("\n[[mitigation]]\nname = \"b\"\nkind = \"job_stagger\"\nperiod_s = 2\n[[mitigation]]\nname = \"c\"\nkind = "
           "\"job_stagger\"\nperiod_s = 2\n",
           "has a beat already"));
  CHECK(says("\n[[mitigation]]\nname = \"b\"\nkind = \"ballast\"\ncatalog = \"ballast_firefly\"\nlevel_ratio = 1.5\n",
             "level_ratio"));
}

TEST_CASE("smoothing that names nothing has the default profile's values, and each key beside it wins") {
  const std::string head = "\n[[mitigation]]\nname = \"s\"\nkind = \"gpu_smoothing\"\n";
  const auto usual = *tiny(head).gpu_smoothing;
  const auto named = *tiny(head + "catalog = \"default_profile\"\n").gpu_smoothing;
  const auto own = *tiny(head + "floor_ratio = 0.6\n").gpu_smoothing;
  CHECK(usual.floor_ratio == named.floor_ratio);
  CHECK(usual.floor_ratio > 0.6);
  CHECK(usual.hysteresis_s > 0.0);
  CHECK(own.floor_ratio == 0.6);
  CHECK(own.ramp_up_W_per_s == usual.ramp_up_W_per_s);
}
