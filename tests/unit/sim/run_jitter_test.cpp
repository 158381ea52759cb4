// Iterations of unequal length in the fleet.
#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "tidewatt/io/payload_hash.hpp"
#include "tidewatt/workload/jitter.hpp"
#include "tiny.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

namespace {

constexpr double sigma = 0.02;
const std::vector<std::string> quarter_hour = {"run.duration_h=0.25", "record.window.sample.duration_s=60",
                                               "job.main.life.checkpoint_interval_s=0"};

std::vector<std::string> jittery(std::vector<std::string> more = {}) {
  auto set = quarter_hour;
  set.push_back("job.main.life.jitter_sigma_frac=0.02");
  set.insert(set.end(), more.begin(), more.end());
  return set;
}

std::int64_t n_iteration(const Result& r) {
  for (const auto& [k, v] : r.jobs.front())
    if (k == "n_iterations") return std::get<std::int64_t>(v);
  return 0;
}

/// Mean excess of the first n iterations of the tiny job's four replicas.
double mean_excess(std::int64_t n) {
  const workload::Jitter j({sigma, 0, 0}, 1, 0, 4);
  double sum = 0.0;
  for (std::int64_t i = 0; i < n; ++i) sum += j.excess_frac(i);
  return sum / static_cast<double>(n);
}

/// Share of the power within 5 % of a frequency that stands in its three highest bins: a sharp line has nearly all.
double sharpness(const Result& r, double f_Hz) {
  const auto &f = reals(r, "/spectrum/frequency_Hz"), &a = reals(r, "/spectrum/pcc_amplitude_W");
  std::vector<double> squared;
  for (std::size_t i = 0; i < f.size(); ++i)
    if (std::abs(f[i] / f_Hz - 1.0) < 0.05) squared.push_back(a[i] * a[i]);
  std::sort(squared.rbegin(), squared.rend());
  double all = 0.0;
  for (const double x : squared) all += x;
  return (squared[0] + squared[1] + squared[2]) / all;
}

}  // namespace

TEST_CASE("iterations last longer by the mean excess of the slowest replica, and the books stay closed") {
  const auto calm = run(tiny("", quarter_hour)), r = run(tiny("", jittery()));
  CHECK(figure(r, "energy_closure") <= 1e-11);
  CHECK(figure(r, "input_energy_error") <= 1e-12);
  const double longer = figure(r, "iteration_s") / figure(calm, "iteration_s") - 1.0;
  CHECK(longer == Approx(mean_excess(n_iteration(r))).epsilon(0.05));
  CHECK(figure(r, "tokens_per_s_mean") < figure(calm, "tokens_per_s_mean"));
}

TEST_CASE("jumps over many iterations and each by itself agree: same draws, same time, same energy") {
  auto scenario = tiny("", jittery());
  scenario.halls.front().fans.reset();  // on a line: in steps they are 1e-4 apart themselves
  const auto jumps = run(scenario), each = run(reference_of(scenario));
  CHECK(std::abs(n_iteration(jumps) - n_iteration(each)) <= 1);
  CHECK(figure(jumps, "iteration_s") == Approx(figure(each, "iteration_s")).epsilon(2e-4));
  CHECK(figure(jumps, "it_mean_MW") == Approx(figure(each, "it_mean_MW")).epsilon(2e-3));
  CHECK(figure(each, "energy_closure") <= 1e-11);
}

TEST_CASE("the site's lines broaden, the higher the more") {
  // Each interval has its own excess, so the phase of harmonic k walks by 2 pi k times its scatter per iteration.
  // Clocks that drift while the hall warms broaden lines too: leakage keeps its value here, and no die meets its limit.
  const std::vector<std::string> steady = {"hall.a.gpu.power.leakage_frac_per_K=0",
                                           "hall.a.plant=prescribed_llama3_day", "hall.a.plant.min_degC=22",
                                           "hall.a.plant.max_degC=22"};
  auto set = quarter_hour;
  set.insert(set.end(), steady.begin(), steady.end());
  const auto calm = run(tiny("", set)), r = run(tiny("", jittery(steady)));
  const double f_Hz = 1.0 / figure(calm, "iteration_s"), slower_Hz = 1.0 / figure(r, "iteration_s");
  // The largest of four half-normals scatters by about 0.01 T, hence lines of width 2 pi (0.01 k)^2 / T: 0.8 mHz at the
  // fundamental, well inside a bin of 15 mHz, and 53 mHz at the eighth harmonic.
  CHECK(sharpness(calm, f_Hz) > 0.9);
  CHECK(sharpness(r, slower_Hz) > 0.9);
  CHECK(sharpness(calm, 8.0 * f_Hz) > 0.9);
  CHECK(sharpness(r, 8.0 * slower_Hz) < 0.6 * sharpness(calm, 8.0 * f_Hz));
  CHECK(sharpness(r, 8.0 * slower_Hz) < sharpness(r, 4.0 * slower_Hz));
}

TEST_CASE("single iterations have the limiter's course of their mean, so spectrum and windows are the reference's") {
  // Each kind at its mean power, they were flat where the limiter makes up for a long wait: the dominant line was 33 % too high, at
  // another harmonic.
  LoadOptions o;
  o.set = {"run.duration_h=0.25", "job.main.life.jitter_sigma_frac=0.002", "record.window.sample.start_s=600",
           "record.window.sample.duration_s=60"};
  const auto scenario = load_scenario(std::string(TIDEWATT_SOURCE_DIR) + "/scenarios/gb200_nvl72_row.toml", o);
  const auto jumps = run(scenario), each = run(reference_of(scenario));
  CHECK(figure(jumps, "pcc_dominant_Hz") == Approx(figure(each, "pcc_dominant_Hz")).epsilon(0.01));
  CHECK(figure(jumps, "pcc_dominant_MW") == Approx(figure(each, "pcc_dominant_MW")).epsilon(0.03));
  const auto &a = reals(jumps, "/waveform_sample/pcc_W"), &b = reals(each, "/waveform_sample/pcc_W");
  CHECK(*std::max_element(a.begin(), a.end()) == Approx(*std::max_element(b.begin(), b.end())).epsilon(0.01));
}

TEST_CASE("draws follow the seed and nothing else") {
  const auto hash = [](const Scenario& s, std::size_t threads) { return io::payload_sha256(run(s, {threads, {}})); };
  CHECK(hash(tiny("", jittery()), 1) == hash(tiny("", jittery()), 3));
  CHECK(hash(tiny("", jittery()), 1) != hash(tiny("", jittery({"run.seed=2"})), 1));
}

TEST_CASE("smoothed GPUs follow every iteration's own length") {
  const char* smoothing =
      "\n[[mitigation]]\nname = \"smoothing\"\nkind = \"gpu_smoothing\"\nfloor_ratio = 0.6\nramp_up_W_per_s = "
      "1000\nramp_down_W_per_s = 1000\nhysteresis_s = 1\n";
  const auto r = run(tiny(smoothing, {"job.main.life.jitter_sigma_frac=0.02"}));
  CHECK(figure(r, "energy_closure") <= 1e-11);
  CHECK(figure(r, "input_energy_error") <= 1e-12);
}
