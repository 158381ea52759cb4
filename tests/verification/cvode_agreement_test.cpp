// Row 8: the kernel with its governor against CVODE at rtol 1e-12, the governor's decisions replayed.
#include <algorithm>

#include "bench/cvode.hpp"
#include "dvfs/operating_point_batch.hpp"
#include "kernel_fleet.hpp"

using namespace tidewatt;
using namespace tidewatt::fleet;
using namespace tidewatt::sim;

namespace {

constexpr int n_period = 4, n_scenario = 50;

struct Governed {
  thermal::PackageParams package;
  thermal::PackageModes modes;
  LeakageLaw law;
  std::vector<workload::Segment> segments;
  std::vector<PackageBlock> block{1};
  std::vector<std::vector<LaneWatts>> watts;  ///< [period][kind]: what the governor decided
};

// Random package, chips, limits and segments; the clocks follow the die from period to period.
Governed decided(std::uint64_t i, const NodeType& type) {
  Draws d(8, i);
  Governed s;
  const KernelFleet f(1);
  const auto& p = type.gpu.params();
  s.package = random_package(d);
  s.modes = thermal::package_modes(s.package, d.between(0.4, 1.0));
  s.law = {p.leakage_per_K, p.leakage_ref_K};
  s.segments = random_segments(d, 6, 0.005, 0.3);
  std::vector<power::Chip> chip;
  std::vector<double> die_K, limit_W, clock_Hz(n_package_lane, 1.98e9), fixed_W(3 * n_package_lane),
      leakage_W(n_package_lane);
  for (std::size_t g = 0; g < n_package_lane; ++g) {
    chip.push_back(power::draw_chip({0.25, 0.012, -0.5, 0.06, 2.5}, 8, i * n_package_lane + g));
    limit_W.push_back(d.between(300, 692));
    auto& b = s.block[0];
    b.air_K[g] = d.between(290, 310);
    b.resistance_ratio[g] = d.between(0.9, 1.1);
    for (auto& store : b.store_K) store[g] = b.air_K[g] + d.between(5, 25);
    die_K.push_back(b.store_K[0][g]);
  }
  std::vector<dvfs::Limiter> limiter(n_package_lane);
  auto block = s.block;
  block[0].modes = &s.modes;
  const auto plan = make_batch_plan(s.segments, production_grading);
  for (int k = 0; k < n_period; ++k) {
    dvfs::operating_points(type.gpu, f.window, 1.83e9, 0.0, 1.98e9, {chip, die_K, limit_W, clock_Hz, limiter});
    dvfs::phase_powers(type.gpu, chip, f.kinds, 1.83e9, clock_Hz, 0.0, fixed_W, leakage_W);
    auto& w = s.watts.emplace_back(3);
    for (std::size_t kind = 0; kind < 3; ++kind)
      for (std::size_t g = 0; g < n_package_lane; ++g)
        w[kind].fixed_W[g] = fixed_W[kind * n_package_lane + g], w[kind].leakage_W[g] = leakage_W[g];
    advance_packages(plan, s.law, w, block);
    for (std::size_t g = 0; g < n_package_lane; ++g) die_K[g] = block[0].die_mean_K[g];
  }
  return s;
}

/// Die temperature of a lane at the end of every segment.
using Trace = std::vector<double>;

std::vector<Trace> by_kernel(const Governed& s, const StepGrading& grading) {
  auto block = s.block;
  block[0].modes = &s.modes;
  std::vector<Trace> out(n_package_lane);
  for (const auto& watts : s.watts)
    for (const auto& segment : s.segments) {
      auto plan = make_batch_plan(std::span(&segment, 1), grading);
      plan.n_kind = 3;
      advance_packages(plan, s.law, watts, block);
      for (std::size_t g = 0; g < n_package_lane; ++g) out[g].push_back(block[0].store_K[0][g]);
    }
  return out;
}

double worst(const std::vector<Trace>& a, const std::vector<Trace>& b) {
  double out = 0.0;
  for (std::size_t g = 0; g < n_package_lane; ++g)
    for (std::size_t i = 0; i < a[g].size() && i < b[g].size(); ++i) out = std::max(out, std::abs(a[g][i] - b[g][i]));
  return out;
}

/// The chain as heat flows between its stores, which the kernel never writes down.
struct Chain : numerics::OdeSystem {
  const Governed& s;
  std::size_t lane;
  const LaneWatts* watts = nullptr;
  Chain(const Governed& scenario, std::size_t g) : s(scenario), lane(g) {}
  void rhs(double, std::span<const double> y, std::span<double> dydt) const override {
    const auto& p = s.package;
    const double r = s.block[0].resistance_ratio[lane], air_K = s.block[0].air_K[lane];
    const double W =
        watts->fixed_W[lane] + watts->leakage_W[lane] * std::exp(s.law.per_K * (air_K + y[0] - s.law.ref_K));
    const double q01 = (y[0] - y[1]) / (r * p.die_base_K_per_W), q12 = (y[1] - y[2]) / (r * p.base_sink_K_per_W);
    dydt[0] = (W - q01) / (p.die_J_per_K / r);
    dydt[1] = (q01 - q12) / (p.base_J_per_K / r);
    dydt[2] = (q12 - s.modes.sink_air_W_per_K / r * y[2]) / (p.sink_J_per_K / r);
  }
};

Trace by_cvode(const Governed& s, std::size_t g) {
  bench::Cvode solver({{"die", "base", "sink"}, {30, 30, 30}, 3, 1e-12, 1'000'000});
  Chain chain(s, g);
  const double air_K = s.block[0].air_K[g];
  std::vector<double> y = {s.block[0].store_K[0][g] - air_K, s.block[0].store_K[1][g] - air_K,
                           s.block[0].store_K[2][g] - air_K};
  Trace out;
  for (const auto& watts : s.watts)
    for (const auto& segment : s.segments) {
      chain.watts = &watts[segment.kind];
      solver.advance(chain, y, seconds(segment.duration), 0.0);
      out.push_back(air_K + y[0]);
    }
  return out;
}

}  // namespace

TEST_CASE("row 8: 50 random scenarios with DVFS and leakage against CVODE at rtol 1e-12") {
  const auto type = h100_node_type();
  double refined_K = 0.0, production_K = 0.0;
  for (std::uint64_t i = 0; i < n_scenario; ++i) {
    const Governed s = decided(i, type);
    const auto production = by_kernel(s, production_grading);
    // Halve until nothing changes any more.
    Tick step = 800'000;
    auto fine = by_kernel(s, {step, step, 1});
    for (double change = 1.0; change > 2e-8 && step > 10'000;) {
      step /= 2;
      auto finer = by_kernel(s, {step, step, 1});
      change = worst(fine, finer);
      fine = std::move(finer);
    }
    for (const std::size_t g : {std::size_t{1}, std::size_t{6}}) {
      const Trace exact = by_cvode(s, g);
      for (std::size_t k = 0; k < exact.size(); ++k) {
        refined_K = std::max(refined_K, std::abs(fine[g][k] - exact[k]));
        production_K = std::max(production_K, std::abs(production[g][k] - exact[k]));
      }
    }
  }
  figure(8, "refined steps against CVODE", refined_K, 1e-7, "K");
  figure(8, "production steps against CVODE", production_K, 0.05, "K");
  CHECK(refined_K <= 1e-7);
  CHECK(production_K <= 0.05);
}
