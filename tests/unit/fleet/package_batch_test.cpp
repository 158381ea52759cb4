#include "fleet/package_batch.hpp"

#include <cstddef>
#include <cstring>

#include "base/random.hpp"
#include "catch.hpp"
#include "h100.hpp"

using namespace tidewatt;
using namespace tidewatt::fleet;

namespace {

double u(std::uint64_t entity, std::uint64_t index) {
  return random::uniform(11, random::Purpose::jitter, entity, index);
}

struct Case {
  NodeType type = h100_node_type();
  BatchPlan plan;
  std::vector<LaneWatts> watts;
  std::vector<PackageBlock> blocks;
  LeakageLaw law{0.0115, 333.15};

  explicit Case(std::size_t n_block, StepGrading grading = production_grading, double leakage_W = 80.0) {
    std::vector<workload::Segment> segments;
    for (std::uint32_t i = 0; i < 60; ++i) segments.push_back({(5 + (i * 37) % 400) * ns_per_ms, i * 7 % 4});
    plan = make_batch_plan(segments, grading);
    for (std::size_t b = 0; b < n_block; ++b) {
      for (std::size_t k = 0; k < 4; ++k) {
        auto& w = watts.emplace_back();
        for (std::size_t g = 0; g < n_package_lane; ++g) {
          w.fixed_W[g] = 80.0 + 150.0 * static_cast<double>(k) + 40.0 * u(b * 8 + g, k);
          w.leakage_W[g] = leakage_W * (0.7 + 0.6 * u(b * 8 + g, 9));
        }
      }
      auto& p = blocks.emplace_back();
      p.modes = &type.modes[1800 + 300 * (b % 7)];
      for (std::size_t g = 0; g < n_package_lane; ++g) {
        p.air_K[g] = 295.0 + 20.0 * u(b * 8 + g, 10);
        p.resistance_ratio[g] = 0.9 + 0.2 * u(b * 8 + g, 11);
        for (std::size_t i = 0; i < thermal::n_mode; ++i)
          p.store_K[i][g] = p.air_K[g] + 10.0 * static_cast<double>(3 - i);
      }
    }
  }
  void advance(const BatchOptions& o = {}) { advance_packages(plan, law, watts, blocks, o); }
};

bool same(const std::vector<PackageBlock>& a, const std::vector<PackageBlock>& b) {
  // All but the pointer to the modes, which is the last member.
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::memcmp(&a[i], &b[i], offsetof(PackageBlock, modes)) != 0) return false;
  return a.size() == b.size();
}

double stored_J(const NodeType& t, const PackageBlock& before, const PackageBlock& after, std::size_t g) {
  const auto& p = t.package;
  return (p.die_J_per_K * (after.store_K[0][g] - before.store_K[0][g]) +
          p.base_J_per_K * (after.store_K[1][g] - before.store_K[1][g]) +
          p.sink_J_per_K * (after.store_K[2][g] - before.store_K[2][g])) /
         before.resistance_ratio[g];
}

}  // namespace

TEST_CASE("every instruction set gives the same bits, with and without recording, bounds and inner peaks") {
  CHECK(instruction_sets().front() == InstructionSet::sse2);
  const std::vector<WattBounds> bounds = {{0, 1e9}, {250, 1e9}, {0, 400}, {300, 600}};
  for (int variant = 0; variant < 8; ++variant) {
    std::vector<PackageBlock> first;
    std::vector<double> first_W;
    for (const auto set : instruction_sets()) {
      Case c(7);
      std::vector<double> lane_W(variant & 1 ? 7 * c.plan.steps.size() * n_package_lane : 0);
      c.advance({set, variant & 2 ? std::span<const WattBounds>(bounds) : std::span<const WattBounds>(),
                 (variant & 4) != 0, lane_W});
      if (set == InstructionSet::sse2) {
        first = c.blocks;
        first_W = lane_W;
      }
      CHECK(same(c.blocks, first));
      CHECK(lane_W == first_W);
    }
  }
}

TEST_CASE("a block's result does not depend on its neighbours") {
  Case all(11);
  auto alone = all.blocks;
  all.advance();
  for (std::size_t b = 0; b < alone.size(); ++b) {
    const auto watts = std::span<const LaneWatts>(all.watts).subspan(b * 4, 4);
    advance_packages(all.plan, all.law, watts, std::span(alone).subspan(b, 1));
  }
  CHECK(same(all.blocks, alone));
}

TEST_CASE("heat given to the air and heat stored are the energy taken") {
  Case c(4);
  const auto before = c.blocks;
  c.advance();
  for (std::size_t b = 0; b < 4; ++b)
    for (std::size_t g = 0; g < n_package_lane; ++g) {
      const auto& p = c.blocks[b];
      CHECK(p.gpu_J[g] == Approx(p.air_J[g] + stored_J(c.type, before[b], p, g)).epsilon(1e-12));
      CHECK(p.die_peak_K[g] >= std::max(p.store_K[0][g], p.die_mean_K[g]));
    }
}

TEST_CASE("without leakage the steps do not matter") {
  Case coarse(2, {3600 * ns_per_s, 3600 * ns_per_s, 1}, 0.0), fine(2, {ns_per_ms, 2 * ns_per_ms, 1}, 0.0);
  coarse.advance({best_instruction_set(), {}, true, {}});
  fine.advance();
  for (std::size_t b = 0; b < 2; ++b)
    for (std::size_t g = 0; g < n_package_lane; ++g) {
      CHECK(coarse.blocks[b].store_K[0][g] == Approx(fine.blocks[b].store_K[0][g]).epsilon(1e-13));
      CHECK(coarse.blocks[b].die_mean_K[g] == Approx(fine.blocks[b].die_mean_K[g]).epsilon(1e-13));
      CHECK(coarse.blocks[b].gpu_J[g] == Approx(fine.blocks[b].gpu_J[g]).epsilon(1e-12));
      CHECK(coarse.blocks[b].die_peak_K[g] >= fine.blocks[b].die_peak_K[g] - 1e-9);
      CHECK(coarse.blocks[b].die_peak_K[g] <= fine.blocks[b].die_peak_K[g] + 1e-3);
    }
}

TEST_CASE("smoothing bounds hold the mean power of every step") {
  Case c(1);
  const std::vector<WattBounds> bounds = {{250, 1e9}, {250, 1e9}, {250, 500}, {250, 500}};
  std::vector<double> lane_W(c.plan.steps.size() * n_package_lane);
  c.advance({best_instruction_set(), bounds, false, lane_W});
  for (const double W : lane_W) CHECK((W >= 250.0 && W <= 560.0));
}

TEST_CASE("plans keep every nanosecond, grade after each change of kind and refuse nonsense") {
  const std::vector<workload::Segment> segments = {
      {1'000'000'007, 0}, {123, 1}, {50 * ns_per_ms, 1}, {4 * ns_per_ms, 0}};
  const auto plan = make_batch_plan(segments, production_grading);
  double total_s = 0.0;
  for (const auto& s : plan.steps) total_s += plan.length_s[s.length];
  CHECK(total_s == Approx(1.054000130).epsilon(1e-15));
  CHECK(plan.length_s[plan.steps[0].length] == 0.01);
  CHECK(plan.length_s[plan.steps[1].length] == 0.02);
  CHECK(plan.n_kind == 2);
  CHECK_THROWS_AS(make_batch_plan(segments, {0, 1, 1}), InputError);
  Case c(1);
  c.watts.pop_back();
  CHECK_THROWS_AS(c.advance(), InputError);
}

TEST_CASE("nodes: the cap holds, waiting GPUs clock higher than they would alone, fans follow") {
  Fleet fleet;
  fleet.types.push_back(h100_node_type());
  for (std::size_t n = 0; n < 6; ++n) {
    fleet.node_hall.push_back(0);
    for (std::size_t g = 0; g < 8; ++g) {
      fleet.chip.push_back(power::draw_chip({0.2, 0.008, -0.5, 0.06, 2.0}, 1, n * 8 + g));
      fleet.resistance_ratio.push_back(1.0);
    }
  }
  const std::vector<double> inlet_K(6, 300.0);
  FleetState s;
  for (auto* v : {&s.die_K, &s.base_K, &s.sink_K, &s.die_mean_K, &s.die_peak_K}) v->assign(48, 300.0);
  s.fan_frac.assign(6, 0.4);
  s.controls = {fleet.types[0].usual};
  s.clock_Hz.assign(48, 1.98e9);
  s.front_W.assign(6, 0.0);
  FleetSignals signals;
  signals.limiter.assign(48, dvfs::Limiter::none);
  signals.gpu_J.assign(48, 0.0);
  signals.hottest_K.assign(48, 0.0);
  const std::vector<workload::Segment> second = {{ns_per_s, 0}};
  const auto plan = make_batch_plan(second, production_grading);
  const std::vector<dvfs::PhaseMix> gemm = {{1.0, 0.05, 0.2, 0.0, 1.0, 0.25, 0.1}};
  NodesTask task{&plan, gemm, gemm[0], 1.83e9, 0.0, inlet_K, 1200.0, {}};
  for (int i = 0; i < 300; ++i) advance_nodes(fleet, s, signals, task, 0, 6);
  for (std::size_t g = 0; g < 48; ++g) {
    CHECK(signals.limiter[g] == dvfs::Limiter::power);
    CHECK(signals.gpu_J[g] == Approx(692.0).epsilon(1e-4));
  }
  CHECK(s.fan_frac[0] > 0.41);
  CHECK(s.die_K[7] > s.die_K[0] + 3.0);  // the rear row breathes preheated air
  const auto alone_Hz = s.clock_Hz;
  task.gate_Hz = 1.2e9;
  advance_nodes(fleet, s, signals, task, 0, 6);
  for (std::size_t g = 0; g < 48; ++g) CHECK(s.clock_Hz[g] > alone_Hz[g]);
}
