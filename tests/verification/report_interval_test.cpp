// Row 6, at the kernel: totals do not depend on how often one asks for them.
#include <cstring>

#include "figures.hpp"
#include "tidewatt/base/sum.hpp"

using namespace tidewatt;
using namespace tidewatt::fleet;

namespace {

struct Case {
  thermal::PackageModes modes;
  BatchPlan plan;
  std::vector<LaneWatts> watts{3};
  PackageBlock block{};

  explicit Case(std::uint64_t i) {
    Draws d(6, i);
    const auto p = random_package(d);
    modes = thermal::package_modes(p, d.between(0.3, 1.0));
    std::vector<workload::Segment> segments;
    for (std::uint32_t k = 0; k < 600; ++k) segments.push_back({static_cast<Tick>(d.log_between(1e6, 1e11)), k % 3});
    plan = make_batch_plan(segments, production_grading);
    block.modes = &modes;
    for (std::size_t g = 0; g < n_package_lane; ++g) {
      block.air_K[g] = d.between(290, 310);
      block.resistance_ratio[g] = d.between(0.9, 1.1);
      for (auto& s : block.store_K) s[g] = block.air_K[g];
      for (auto& w : watts) w.fixed_W[g] = d.between(60, 400), w.leakage_W[g] = d.between(10, 40);
    }
  }
};

struct Totals {
  CompensatedSum gpu_J[n_package_lane], air_J[n_package_lane];
  double peak_K[n_package_lane] = {};
};

// The same steps, asked for every `interval` of them.
Totals play(Case c, std::size_t interval) {
  Totals t;
  for (std::size_t first = 0; first < c.plan.steps.size(); first += interval) {
    BatchPlan part = c.plan;
    const auto begin = c.plan.steps.begin() + static_cast<std::ptrdiff_t>(first);
    part.steps.assign(begin, begin + static_cast<std::ptrdiff_t>(std::min(interval, c.plan.steps.size() - first)));
    advance_packages(part, {0.0115, 333.15}, c.watts, std::span(&c.block, 1));
    for (std::size_t g = 0; g < n_package_lane; ++g) {
      t.gpu_J[g].add(c.block.gpu_J[g]);
      t.air_J[g].add(c.block.air_J[g]);
      t.peak_K[g] = std::max(t.peak_K[g], c.block.die_peak_K[g]);
    }
  }
  return t;
}

}  // namespace

TEST_CASE("row 6: energies and peaks do not depend on the report interval") {
  double worst = 0.0, worst_peak = 0.0;
  for (std::uint64_t i = 0; i < 10; ++i) {
    const Totals whole = play(Case(i), SIZE_MAX / 2);
    for (const std::size_t interval : {1u, 7u, 100u, 1000u}) {
      const Totals t = play(Case(i), interval);
      for (std::size_t g = 0; g < n_package_lane; ++g) {
        worst = std::max(worst, std::abs(t.gpu_J[g].value() / whole.gpu_J[g].value() - 1.0));
        worst = std::max(worst, std::abs(t.air_J[g].value() / whole.air_J[g].value() - 1.0));
        worst_peak = std::max(worst_peak, std::abs(t.peak_K[g] / whole.peak_K[g] - 1.0));
      }
    }
  }
  figure(6, "totals against report interval, relative", worst, 1e-12, "");
  figure(6, "peaks against report interval, relative", worst_peak, 1e-12, "");
  CHECK(worst <= 1e-12);
  CHECK(worst_peak <= 1e-12);
}

TEST_CASE("row 6: recording changes no bit") {
  for (std::uint64_t i = 0; i < 10; ++i) {
    Case off(i), on(i);
    std::vector<double> lane_W(on.plan.steps.size() * n_package_lane);
    advance_packages(off.plan, {0.0115, 333.15}, off.watts, std::span(&off.block, 1));
    advance_packages(on.plan, {0.0115, 333.15}, on.watts, std::span(&on.block, 1),
                     {best_instruction_set(), {}, false, lane_W});
    CHECK(std::memcmp(&off.block, &on.block, offsetof(PackageBlock, modes)) == 0);
    for (std::size_t g = 0; g < n_package_lane; ++g) {
      CompensatedSum J;
      for (std::size_t s = 0; s < on.plan.steps.size(); ++s)
        J.add(lane_W[s * n_package_lane + g] * on.plan.length_s[on.plan.steps[s].length]);
      CHECK(J.value() == Approx(on.block.gpu_J[g]).epsilon(1e-12));
    }
  }
}
