#include "sim/iteration_view.hpp"

#include <algorithm>

#include "catch.hpp"
#include "tiny.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

TEST_CASE("the view's classes fill the iteration, hold every GPU once and agree with a run") {
  const auto scenario = tiny();
  const auto view = view_iteration(scenario, scenario.jobs.front());
  REQUIRE(view.n_stage == 4);
  std::int64_t n = 0;
  for (std::size_t c = 0; c < view.timeline.classes.size(); ++c) {
    Tick sum = 0;
    for (const auto& s : view.timeline.classes[c]) sum += s.duration;
    CHECK(sum == view.timeline.period);
    n += view.class_gpus[c];
  }
  CHECK(n == 128);
  // Clocks differ only by how warm the dies are.
  CHECK(seconds(view.timeline.period) == Approx(figure(run(scenario), "iteration_s")).epsilon(0.02));
  const auto text = view_text(view);
  CHECK(text.find("job main: 128 GPUs") == 0);
  CHECK(text.find("stage   3 |") != std::string::npos);
  CHECK(text.find("group 1") == std::string::npos);
}

TEST_CASE("with leakage that knows no temperature, each replica's slowest clock is the run's, rear rows included") {
  auto scenario = tiny("", {"run.duration_h=0.1"});
  for (auto& h : scenario.halls) h.gpu.leakage_per_K = 0.0;
  const auto r = run(scenario);
  const auto array = [&](const char* path) -> const auto& {
    return std::find_if(r.arrays.begin(), r.arrays.end(), [&](const NamedArray& a) { return a.path == path; })->values;
  };
  const auto& own_Hz = std::get<std::vector<double>>(array("/fleet/own_Hz"));
  const auto& replica = std::get<std::vector<std::int64_t>>(array("/fleet/replica"));
  std::vector<double> slowest(4, 1e12);
  for (std::size_t g = 0; g < own_Hz.size(); ++g) {
    auto& s = slowest[static_cast<std::size_t>(replica[g])];
    s = std::min(s, own_Hz[g]);
  }
  std::sort(slowest.begin(), slowest.end());
  const auto view = view_iteration(scenario, scenario.jobs.front());
  REQUIRE(view.group_Hz.size() == slowest.size());
  for (std::size_t i = 0; i < slowest.size(); ++i) CHECK(view.group_Hz[i] == Approx(slowest[i]).epsilon(1e-6));
}

TEST_CASE("the view follows the power cap: less clock, longer iteration, less power") {
  const auto free = tiny(), capped = tiny("", {"hall.a.cap_W=500"});
  const auto a = view_iteration(free, free.jobs.front()), b = view_iteration(capped, capped.jobs.front());
  CHECK(b.group_Hz.front() < 0.97 * a.group_Hz.front());
  CHECK(b.timeline.period > a.timeline.period);
  for (std::size_t k = 0; k < a.gpu_W.size(); ++k) CHECK(b.gpu_W[k] <= a.gpu_W[k]);
}

TEST_CASE("the view has a run's slow hosts and its beat") {
  const auto slow = tiny("", {"job.main.life.slow_host_frac=0.5", "job.main.life.slow_host_slowdown_frac=0.3"});
  const double plain_s = seconds(view_iteration(tiny(), tiny().jobs.front()).timeline.period),
               slow_s = seconds(view_iteration(slow, slow.jobs.front()).timeline.period);
  CHECK(slow_s > 1.1 * plain_s);
  CHECK(slow_s == Approx(figure(run(slow), "iteration_s")).epsilon(0.005));
  const auto on_beat = tiny(
      "[[mitigation]]\nname = \"beat\"\nkind = \"iteration_beat\"\njob = \"main\"\nperiod_s = 1.0\nphase_s = 0.3\n");
  CHECK(seconds(view_iteration(on_beat, on_beat.jobs.front()).timeline.period) == 1.0);
  // The same work in a longer time: as much energy but for the waiting.
  const auto w = job_watts(on_beat, on_beat.jobs.front()), free = job_watts(tiny(), tiny().jobs.front());
  CHECK(w.period_s == 1.0);
  CHECK(w.mean_W * w.period_s ==
        Approx(free.mean_W * free.period_s + w.waiting_W * (1.0 - free.period_s)).epsilon(0.01));
  // Scatter makes the mean iteration longer, in the view as in the run.
  const auto scatters = tiny("", {"job.main.life.jitter_sigma_frac=0.05"});
  const double mean_s = seconds(view_iteration(scatters, scatters.jobs.front()).timeline.period);
  CHECK(mean_s > 1.02 * plain_s);
  CHECK(mean_s == Approx(figure(run(scatters), "iteration_s")).epsilon(0.01));
}

TEST_CASE("a job's watts before a run are a run's: mean, waits and start, fans at full speed") {
  const auto scenario = tiny("", {"hall.a.server=dgx_h100", "hall.a.server.air.fan_min_frac=1"});
  const auto w = job_watts(scenario, scenario.jobs.front());
  const auto r = run(scenario);
  CHECK(w.n_gpu == 128);
  CHECK(w.period_s == Approx(figure(r, "iteration_s")).epsilon(0.02));
  // Dies of the run are not at the view's temperature, and its chips not nominal.
  CHECK(w.mean_W == Approx(reals(r, "/day/it_W").back()).epsilon(0.02));
  CHECK(w.idle_W < w.waiting_W);
  CHECK(w.waiting_W < w.mean_W);
  double J = 0.0;
  for (std::size_t i = 0; i + 1 < w.iteration_W.size(); ++i) J += w.iteration_W[i] * 1e-3;
  J += w.iteration_W.back() * (w.period_s - 1e-3 * static_cast<double>(w.iteration_W.size() - 1));
  CHECK(J / w.period_s == Approx(w.mean_W).epsilon(1e-9));
  CHECK(w.detect_s == 10.0);
}
