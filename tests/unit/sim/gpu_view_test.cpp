#include "sim/gpu_view.hpp"

#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "sim/folded_power.hpp"
#include "tiny.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

namespace {

const std::vector<std::string> longer = {"run.duration_h=0.3", "hall.a.server=dgx_h100"};

struct Case {
  Scenario scenario = tiny("", longer);
  Result result = run(scenario);
};
const Case& usual() {
  static const Case c;
  return c;
}
/// Far up, the fast limit leaves the 1 s limit alone.
const Case& calm() {
  static const Case c{tiny("", {"run.duration_h=0.3", "hall.a.server=dgx_h100", "hall.a.gpu.sampling.peak_ratio=2"})};
  return c;
}

double mean(const std::vector<double>& x) {
  double sum = 0.0;
  for (const double v : x) sum += v;
  return sum / static_cast<double>(x.size());
}

}  // namespace

TEST_CASE("a run has what the sampled governor makes of a GPU", "[gpu_view]") {
  GpuChoice slowest;
  slowest.slowest = true;  // nobody is slower: it goes at its own pace
  for (const auto& choice : {GpuChoice{}, slowest})
    for (const auto* of : {&usual(), &calm()}) {
      const auto v = view_gpu(of->scenario, of->result, choice);
      CHECK(v.mean_Hz == Approx(v.point_Hz).epsilon(0.01));
      CHECK(v.mean_W == Approx(v.point_W).epsilon(0.01));
      CHECK(v.mean_die_K == Approx(v.point_die_K).margin(0.5));
      CHECK(mean(v.power_W) == Approx(v.mean_W).epsilon(0.01));  // of the last three iterations
      CHECK(static_cast<double>(v.time_s.size()) == Approx(3.0 * v.iteration_s * 1e3).epsilon(0.01));
    }
  // Without the fast limit the mean is at the cap less its margin.
  CHECK(view_gpu(calm().scenario, calm().result, slowest).mean_W == Approx(692.0).epsilon(2e-3));
}

TEST_CASE("so it is where iterations are longer than the limiter's window, a pace above all waiting too",
          "[gpu_view]") {
  LoadOptions o;
  o.set = {"hall.a.n_gpu=1024",  "job.main.plan.n_gpu=1024",         "job.main.plan.global_batch_sequences=128",
           "run.duration_h=0.3", "record.window.sample.start_s=600", "record.window.sample.duration_s=1"};
  const auto s = load_scenario(std::string(TIDEWATT_SOURCE_DIR) + "/scenarios/llama3_405b_day.toml", o);
  const auto result = run(s);
  for (const bool slowest : {false, true}) {
    GpuChoice choice;
    choice.slowest = slowest;
    const auto v = view_gpu(s, result, choice);
    CHECK(v.iteration_s > 3.0);
    CHECK(v.mean_Hz == Approx(v.point_Hz).epsilon(0.01));
    CHECK(v.mean_W == Approx(v.point_W).epsilon(0.01));
    CHECK(v.step_W == Approx(v.point_step_W).epsilon(0.1));  // of one chip; see the page for a scenario's own
  }
}

TEST_CASE("so it is where smoothing fills the waits: the limiter sees what it burns", "[gpu_view][long]") {
  LoadOptions o;
  o.set = {"run.duration_h=0.5"};
  const auto s = load_scenario(std::string(TIDEWATT_SOURCE_DIR) + "/scenarios/llama3_405b_smoothed.toml", o);
  const auto result = run(s);
  double step_W = 0.0, point_step_W = 0.0;
  for (const bool slowest : {false, true}) {
    GpuChoice choice;
    choice.slowest = slowest;
    const auto v = view_gpu(s, result, choice);
    CHECK(v.mean_Hz == Approx(v.point_Hz).epsilon(0.002));
    CHECK(v.mean_W == Approx(v.point_W).epsilon(0.002));
    CHECK(v.mean_W == Approx(692.0).epsilon(2e-3));  // burned power included, it is at the limit
    step_W += v.step_W, point_step_W += v.point_step_W;
    const auto [low_Hz, high_Hz] = std::minmax_element(v.clock_Hz.begin(), v.clock_Hz.end());
    CHECK(*high_Hz - *low_Hz > 40e6);  // within an iteration
  }
  // What smoothing leaves of a step of 630 W. Of a single GPU, where samples fall moves it by 4 W from one moment to another.
  for (const std::int64_t node : {100, 500, 900, 1300, 1700, 2000}) {
    GpuChoice choice;
    choice.node = node;
    const auto v = view_gpu(s, result, choice);
    step_W += v.step_W, point_step_W += v.point_step_W;
  }
  CHECK(step_W == Approx(point_step_W).epsilon(0.03));
}

TEST_CASE("run and replay are compared in one place", "[gpu_view]") {
  const auto v = view_gpu(usual().scenario, usual().result);
  const auto figures = compared(v);
  REQUIRE(figures.size() == 4);
  CHECK(figures[0].sampled == v.mean_Hz * 1e-6);
  CHECK(figures[0].run == v.point_Hz * 1e-6);
  CHECK(figures[1].sampled == v.mean_W);
  CHECK(figures[2].run == v.point_die_K - 273.15);
  CHECK(figures[3].run == v.point_step_W);
  for (const auto& f : figures) CHECK(gpu_view_text(v).find(f.title) != std::string::npos);
}

TEST_CASE("the fast limit takes power that the mean would allow, in the run too", "[gpu_view]") {
  const auto v = view_gpu(usual().scenario, usual().result), free = view_gpu(calm().scenario, calm().result);
  CHECK(v.held_frac[static_cast<std::size_t>(dvfs::Held::peak)] > 0.01);
  CHECK(free.held_frac[static_cast<std::size_t>(dvfs::Held::peak)] == 0.0);
  CHECK(v.mean_W < 0.99 * free.mean_W);
  CHECK(v.point_W < 0.99 * free.point_W);
  CHECK(v.point_Hz < 0.995 * free.point_Hz);
}

TEST_CASE("it shows what a mean hides: dithering between bins, phases, and sensors that smooth them", "[gpu_view]") {
  const auto v = view_gpu(usual().scenario, usual().result);
  const auto [low_W, high_W] = std::minmax_element(v.power_W.begin(), v.power_W.end());
  const auto [shown_low_W, shown_high_W] = std::minmax_element(v.shown_W.begin(), v.shown_W.end());
  CHECK(*high_W - *low_W > 50.0);
  CHECK(*shown_high_W - *shown_low_W < *high_W - *low_W);
  for (std::size_t i = 0; i < v.clock_Hz.size(); ++i)
    CHECK(std::abs(std::remainder(v.clock_Hz[i] - 210e6, 15e6)) < 1.0);
  for (const double d : v.shown_degC) CHECK(d == std::round(d));
  double all = 0.0;
  for (const double share : v.held_frac) all += share;
  CHECK(all == Approx(1.0));
}

TEST_CASE("a finer step changes nothing but the resolution; a named GPU is that one; what is not there is refused",
          "[gpu_view]") {
  const auto coarse = view_gpu(calm().scenario, calm().result);
  GpuChoice fine;
  fine.step_s = 2.5e-4;
  const auto v = view_gpu(calm().scenario, calm().result, fine);
  CHECK(v.mean_W == Approx(coarse.mean_W).epsilon(1e-3));
  GpuChoice named;
  named.node = 3, named.slot = 5;
  const auto n = view_gpu(usual().scenario, usual().result, named);
  CHECK((n.node == 3 && n.slot == 5));
  CHECK(n.point_die_K <= coarse.point_die_K);
  GpuChoice slowest;
  slowest.slowest = true;
  CHECK(view_gpu(usual().scenario, usual().result, slowest).point_Hz <= coarse.point_Hz);
  named.slot = 11;
  CHECK_THROWS_WITH(view_gpu(usual().scenario, usual().result, named),
                    Catch::Contains("no GPU in slot 11 of server 3"));
  const auto nothing = tiny("", {"run.duration_h=0.002"});
  CHECK_THROWS_WITH(view_gpu(nothing, run(nothing)), Catch::Contains("no picture of the fleet"));
}

TEST_CASE("a cap is held by the replay as by the run", "[gpu_view]") {
  const auto capped = tiny("", {"run.duration_h=0.3", "hall.a.cap_W=450", "hall.a.gpu.sampling.peak_ratio=2.5"});
  const auto v = view_gpu(capped, run(capped));
  CHECK(v.mean_W < 450.0);
  CHECK(v.mean_W == Approx(v.point_W).epsilon(0.015));
  CHECK(v.held_frac[static_cast<std::size_t>(dvfs::Held::power_cap)] > 0.3);
}

TEST_CASE("text, CSV and picture say the same", "[gpu_view]") {
  const auto v = view_gpu(usual().scenario, usual().result);
  CHECK(gpu_view_text(v).find("sampled") != std::string::npos);
  const auto csv = gpu_view_csv(v);
  CHECK(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')) == v.time_s.size() + 1);
  CHECK(gpu_view_svg(v).find("</svg>") != std::string::npos);
}

TEST_CASE("the step within a second does not depend on where pieces begin", "[gpu_view]") {
  // 20 ms of 200 W between 700 W, not on the grid of parts: a mean over 20 ms meets all but 2 ms of it.
  constexpr Tick ms = ns_per_ms, period = 2 * ns_per_s, from = 1007 * ms, to = 1027 * ms;
  for (const Tick piece : {ms / 10, ms, 4 * ms})
    for (const Tick first : {ms / 20, ms / 3, piece}) {
      FoldedPower folded(period);
      Tick at = 0;
      for (Tick next = first; at < period; at = next, next = at + piece) {
        for (const Tick edge : {from, to, period})
          if (at < edge) next = std::min(next, edge);
        folded.add(at, next, at >= from && at < to ? 200.0 : 700.0, seconds(next - at));
      }
      CHECK(folded.largest_step_W() == Approx(450.0).epsilon(1e-9));
    }
}

TEST_CASE("no GPU draws more than its board was measured at, in replay and run; without that bound it does",
          "[gpu_view]") {
  const auto highest_W = [](const std::vector<std::string>& more) {
    LoadOptions o;
    o.set = {"hall.a.n_gpu=1024",  "job.main.plan.n_gpu=1024",         "job.main.plan.global_batch_sequences=128",
             "run.duration_h=0.3", "record.window.sample.start_s=600", "record.window.sample.duration_s=1"};
    o.set.insert(o.set.end(), more.begin(), more.end());
    const auto s = load_scenario(std::string(TIDEWATT_SOURCE_DIR) + "/scenarios/llama3_405b_day.toml", o);
    GpuChoice choice;
    choice.slowest = true;
    const auto v = view_gpu(s, run(s), choice);
    CHECK(v.mean_Hz == Approx(v.point_Hz).epsilon(0.01));
    CHECK(v.mean_W == Approx(v.point_W).epsilon(0.01));
    return *std::max_element(v.power_W.begin(), v.power_W.end());
  };
  constexpr double measured_W = 1.345 * 700.0;
  CHECK(highest_W({}) < measured_W + 0.5);
  CHECK(highest_W({"hall.a.gpu.governor.edp_peak_ratio=0"}) > 1.05 * measured_W);
}
