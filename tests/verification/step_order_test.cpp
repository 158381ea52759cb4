// Row 7, at the kernel: orders of convergence, also after a restart.
#include "kernel_fleet.hpp"

using namespace tidewatt;
using namespace tidewatt::fleet;
using namespace tidewatt::sim;

namespace {

// Observed order from three successive halvings of the step, against a much finer one.
struct Order {
  double smallest = 99.0, largest = -99.0;
  void add(double coarse, double fine) {
    const double p = std::log2(coarse / fine);
    smallest = std::min(smallest, p);
    largest = std::max(largest, p);
  }
  void judge(const char* what, double nominal) const {
    figure(7, fmt::format("{}, smallest order", what).c_str(), smallest, nominal, "");
    figure(7, fmt::format("{}, largest order", what).c_str(), largest, nominal, "");
    CHECK(smallest >= nominal - 0.05);
    CHECK(largest <= nominal + 0.2);
  }
};

struct Packages {
  thermal::PackageModes modes;
  std::vector<LaneWatts> watts{3};
  std::vector<PackageBlock> block{1};
};

Packages leaky(std::uint64_t i) {
  Draws d(7, i);
  Packages p;
  p.modes = thermal::package_modes({1.5, 50, 900, 0.012, 0.018, 0.022, 0.8}, d.between(0.5, 1.0));
  for (std::size_t g = 0; g < n_package_lane; ++g) {
    auto& b = p.block[0];
    b.air_K[g] = d.between(295, 310);
    b.resistance_ratio[g] = d.between(0.9, 1.1);
    for (auto& s : b.store_K) s[g] = b.air_K[g] + 20.0;
    p.watts[0].fixed_W[g] = d.between(550, 650);
    p.watts[1].fixed_W[g] = d.between(60, 100);
    p.watts[2].fixed_W[g] = d.between(250, 350);
    for (auto& w : p.watts) w.leakage_W[g] = d.between(60, 120);
  }
  return p;
}

std::vector<PackageBlock> played(Packages p, Tick step, bool restart) {
  const std::vector<workload::Segment> segments = {
      {1024 * ns_per_ms, 0}, {512 * ns_per_ms, 1}, {2048 * ns_per_ms, 2}, {256 * ns_per_ms, 0}};
  p.block[0].modes = &p.modes;
  auto plan = make_batch_plan(segments, {step, step, 1});
  if (!restart) {
    advance_packages(plan, {0.0115, 333.15}, p.watts, p.block);
    return p.block;
  }
  // Stopped in the middle of everything and started again from a copy of the state alone.
  auto rest = plan;
  const auto middle = plan.steps.begin() + static_cast<std::ptrdiff_t>(plan.steps.size() / 3);
  plan.steps.assign(plan.steps.begin(), middle);
  rest.steps.erase(rest.steps.begin(), rest.steps.begin() + static_cast<std::ptrdiff_t>(plan.steps.size()));
  advance_packages(plan, {0.0115, 333.15}, p.watts, p.block);
  const auto copy = p.block;
  advance_packages(rest, {0.0115, 333.15}, p.watts, std::span(p.block = copy));
  return p.block;
}

}  // namespace

TEST_CASE("row 7: the kernel is of second order in its step, also after a restart") {
  for (const bool restart : {false, true}) {
    Order order;
    for (std::uint64_t i = 0; i < 10; ++i) {
      const auto exact = played(leaky(i), ns_per_ms / 16, restart);
      double last = 0.0;
      for (const Tick step : {4, 2, 1}) {
        const double error = worst_die_difference(played(leaky(i), step * ns_per_ms, restart), exact);
        if (last > 0.0) order.add(last, error);
        last = error;
      }
    }
    order.judge(restart ? "package step with leakage, after a restart" : "package step with leakage", 2.0);
  }
}

TEST_CASE("row 7: clocks and fans that follow the period before are of first order in the period") {
  const auto run = [](Tick period) {
    KernelFleet f(2);
    const std::vector<workload::Segment> work = {{period, 0}};
    auto plan = make_batch_plan(work, {10 * ns_per_ms, 10 * ns_per_ms, 1});
    plan.n_kind = 3;
    for (Tick t = 0; t < 64 * ns_per_s; t += period) advance_nodes(f.fleet, f.state, f.signals, f.task(plan), 0, 2);
    return f.state;
  };
  const FleetState exact = run(ns_per_s / 64);
  double last = 0.0;
  Order order;
  for (const Tick period : {4 * ns_per_s, 2 * ns_per_s, ns_per_s}) {
    const FleetState s = run(period);
    double error = 0.0;
    for (std::size_t g = 0; g < 16; ++g) error = std::max(error, std::abs(s.die_K[g] - exact.die_K[g]));
    if (last > 0.0) order.add(last, error);
    last = error;
  }
  order.judge("coupling of clocks, fans and preheated air", 1.0);
}
