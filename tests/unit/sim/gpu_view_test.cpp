#include "sim/gpu_view.hpp"

#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "tiny.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

namespace {

const std::vector<std::string> longer = {"run.duration_h=0.3"};

struct Case {
  Scenario scenario = tiny("", longer);
  Result result = run(scenario);
};
const Case& usual() {
  static const Case c;
  return c;
}

double mean(const std::vector<double>& x) {
  double sum = 0.0;
  for (const double v : x) sum += v;
  return sum / static_cast<double>(x.size());
}

}  // namespace

TEST_CASE("under the sampled governor the slowest GPU averages to the run's operating point", "[gpu_view]") {
  // The fast limit is not in a run's operating point: far up, it leaves the 1 s limit alone.
  auto calm = usual().scenario;
  for (auto& h : calm.halls) h.sampling.peak_ratio = 2.0;
  const auto v = view_gpu(calm, usual().result);
  // The hottest one waits for a slower one in the run and draws less; alone it goes up to its limit.
  CHECK(v.mean_W > v.point_W);
  CHECK(v.mean_W == Approx(692.0).epsilon(2e-3));
  CHECK(v.mean_Hz > v.point_Hz);
  CHECK(v.mean_die_K > v.point_die_K);
  GpuChoice slowest;
  slowest.slowest = true;  // nobody is slower: it goes at its own pace
  const auto s = view_gpu(calm, usual().result, slowest);
  CHECK(s.mean_W == Approx(s.point_W).epsilon(2e-3));
  CHECK(s.mean_Hz == Approx(s.point_Hz).epsilon(2e-3));
  CHECK(mean(v.power_W) == Approx(v.mean_W).epsilon(1e-3));  // the last step may be shorter
  CHECK(v.time_s.size() == static_cast<std::size_t>(std::ceil(3.0 * v.iteration_s * 1e3 - 1e-6)));
}

TEST_CASE("the fast limit takes power that the mean would allow: the replay says how much", "[gpu_view]") {
  auto calm = usual().scenario;
  for (auto& h : calm.halls) h.sampling.peak_ratio = 2.0;
  const auto v = view_gpu(usual().scenario, usual().result), free = view_gpu(calm, usual().result);
  CHECK(v.held_frac[static_cast<std::size_t>(dvfs::Held::peak)] > 0.01);
  CHECK(free.held_frac[static_cast<std::size_t>(dvfs::Held::peak)] == 0.0);
  CHECK(v.mean_W < free.mean_W);
  CHECK(v.mean_W == Approx(v.point_W).epsilon(0.05));
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
  auto calm = usual().scenario;
  for (auto& h : calm.halls) h.sampling.peak_ratio = 2.0;
  const auto coarse = view_gpu(calm, usual().result);
  GpuChoice fine;
  fine.step_s = 2.5e-4;
  const auto v = view_gpu(calm, usual().result, fine);
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
