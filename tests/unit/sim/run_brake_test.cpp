// The facility's power brake as an event: clocks, watts, tokens, and the moment at which they change.
#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "tiny.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

namespace {

std::string brake(double at_s, double duration_s, const std::string& more = "") {
  return "\n[[event]]\nname = \"brake\"\nkind = \"power_brake\"\nat_s = " + std::to_string(at_s) +
         "\nduration_s = " + std::to_string(duration_s) + "\n" + more;
}

/// Mean of a column over the macro steps that begin within the interval.
double mean(const Result& r, const std::string& column, double from_s, double to_s) {
  const auto& t = reals(r, "/day/time");
  const auto& x = reals(r, "/day/" + column);
  double sum = 0.0;
  int n = 0;
  for (std::size_t i = 0; i < t.size(); ++i)
    if (t[i] >= from_s && t[i] < to_s && !std::isnan(x[i])) sum += x[i], ++n;
  return sum / n;
}

const std::vector<std::string> longer = {"run.duration_h=0.1", "run.macro_step_s=10", "run.macro_step_max_s=10"};

}  // namespace

TEST_CASE("a brake halves the clock for as long as it is pulled, and is named as what held it", "[brake]") {
  const auto free = run(tiny("", longer)), r = run(tiny(brake(150, 100), longer));
  CHECK(mean(r, "limiter_brake_frac", 170, 240) == Approx(1.0));
  CHECK(mean(r, "limiter_brake_frac", 60, 140) == 0.0);
  CHECK(mean(r, "limiter_brake_frac", 270, 350) == 0.0);
  CHECK(mean(r, "clock_mean_Hz", 170, 240) == Approx(990e6).epsilon(1e-9));  // half of 1,980 MHz
  CHECK(mean(r, "clock_mean_Hz", 270, 350) == Approx(mean(free, "clock_mean_Hz", 270, 350)).epsilon(3e-3));
  CHECK(mean(r, "it_W", 170, 240) < 0.75 * mean(r, "it_W", 60, 140));
  CHECK(mean(r, "throughput_tokens_per_s", 170, 240) < 0.75 * mean(r, "throughput_tokens_per_s", 60, 140));
  CHECK(figure(r, "energy_closure") < 1e-12);
  CHECK(figure(r, "input_energy_error") < 1e-12);
  CHECK(figure(free, "n_interruptions_unexpected") == 0);
  CHECK(figure(r, "n_interruptions_unexpected") == 0);
}

TEST_CASE("the brake falls within an iteration, one sample after the wire, and the iteration goes on", "[brake]") {
  const auto r = run(tiny(brake(150.123, 30), longer));
  std::vector<double> at_s;
  const auto& t = reals(r, "/events/time");
  for (const auto& a : r.arrays)
    if (a.path == "/events/kind") {
      const auto& kind = std::get<std::vector<std::string>>(a.values);
      for (std::size_t i = 0; i < kind.size(); ++i)
        if (kind[i] == "power_brake") at_s.push_back(t[i]);
    }
  REQUIRE(at_s.size() == 2);
  CHECK(at_s[0] == Approx(150.143).margin(1e-9));  // the governor samples every 20 ms
  CHECK(at_s[1] == Approx(180.143).margin(1e-9));
  // Nothing of an iteration is lost or done twice: tokens are those of the iterations that the job counts, up to the one that the end cuts.
  const auto& job = r.jobs.front();
  double tokens = 0.0, iterations = 0.0;
  for (const auto& [k, v] : job) {
    if (k == "tokens") tokens = std::get<double>(v);
    if (k == "n_iterations") iterations = static_cast<double>(std::get<std::int64_t>(v));
  }
  CHECK(tokens / (64.0 * 8192.0) == Approx(iterations).epsilon(1e-9));
}

TEST_CASE("the waveform steps down in the millisecond in which the governors see the wire", "[brake]") {
  // In the middle of an iteration's compute; the sample 20 ms later is the first that the brake holds.
  const auto r = run(tiny(brake(60.46, 0)));
  const auto& t = reals(r, "/waveform_sample/time");
  const auto& W = reals(r, "/waveform_sample/pcc_W");
  const auto at = [&](double s) { return W[static_cast<std::size_t>(std::llround((s - t.front()) * 1e3))]; };
  CHECK(at(60.480) < 0.75 * at(60.479));
  CHECK(at(60.479) == Approx(at(60.465)).epsilon(0.10));
  double highest_W = 0.0;
  for (double s = 60.480; s < 80.0; s += 1e-3) highest_W = std::max(highest_W, at(s));
  CHECK(highest_W < 0.85 * at(60.479));
}

TEST_CASE("jumps and resolved iterations meet the brake alike", "[brake]") {
  auto scenario = tiny(brake(150.123, 100), longer);
  scenario.halls.front().fans.reset();  // their steps come at other times
  const auto fast = run(scenario), slow = run(reference_of(scenario));
  CHECK(figure(fast, "tokens_per_s_mean") == Approx(figure(slow, "tokens_per_s_mean")).epsilon(5e-4));
  CHECK(figure(fast, "it_mean_MW") == Approx(figure(slow, "it_mean_MW")).epsilon(5e-4));
}

TEST_CASE("one of two halls is braked: half of the GPUs hold back the job, the others wait", "[brake]") {
  const std::string second =
      "\n[[hall]]\nname = \"b\"\nn_gpu = 64\ngpu = \"h100_sxm_700W\"\nserver = \"grand_teton_h100\"\nplant = "
      "\"outside_air_evaporative\"\n";
  auto set = longer;
  set.push_back("hall.a.n_gpu=64");
  const auto r = run(tiny(second + brake(150, 100, "hall = \"b\"\n"), set));
  CHECK(mean(r, "limiter_brake_frac", 170, 240) == Approx(0.5));
  CHECK(mean(r, "clock_slowest_Hz", 170, 240) == Approx(990e6).epsilon(1e-9));
  CHECK(mean(r, "clock_mean_Hz", 170, 240) > 1.2e9);
  CHECK(mean(r, "throughput_tokens_per_s", 170, 240) < 0.75 * mean(r, "throughput_tokens_per_s", 60, 140));
  CHECK(figure(r, "energy_closure") < 1e-12);
}

TEST_CASE("a stronger brake is an input, and wrong ones are refused", "[brake]") {
  auto set = longer;
  set.push_back("hall.a.gpu.sampling.brake_clock_ratio=0.3");
  const auto r = run(tiny(brake(150, 0), set));
  CHECK(mean(r, "clock_mean_Hz", 170, 350) == Approx(594e6).epsilon(1e-9));  // not released before the end
  CHECK_THROWS_WITH(tiny(brake(150, 10, "hall = \"b\"\n")), Catch::Contains("no hall named 'b'"));
  CHECK_THROWS_WITH(tiny("", {"hall.a.gpu.sampling.brake_clock_ratio=1.3"}), Catch::Contains("brake_clock_ratio"));
  const auto s = tiny(brake(150, 10, "hall = \"a\"\n"));
  const auto plain = tiny();
  const auto named = [](const auto& a) { return a.key == "hall.a.gpu.sampling.brake_clock_ratio"; };
  CHECK(std::any_of(s.assumed.begin(), s.assumed.end(), named));
  CHECK(std::none_of(plain.assumed.begin(), plain.assumed.end(), named));
}

TEST_CASE("a lock below the brake's clock stays what holds", "[brake]") {
  auto set = longer;
  set.push_back("hall.a.clock_lock_MHz=900");
  const auto r = run(tiny(brake(150, 100), set));
  CHECK(mean(r, "limiter_clock_frac", 170, 240) == Approx(1.0));
  CHECK(mean(r, "limiter_brake_frac", 170, 240) == 0.0);
}
