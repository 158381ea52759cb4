#include "kernel_case.hpp"

#include <algorithm>

#include "base/parallel.hpp"
#include "dvfs/operating_point_batch.hpp"
#include "tidewatt/base/reader.hpp"
#include "tidewatt/catalog/catalog.hpp"
#include "timing.hpp"

namespace TIDEWATT_NAMESPACE::bench::detail {
namespace {

template <class Params>
Params read(const Node& entry, const char* table, std::vector<Finding>& findings) {
  Params params{};
  TableReader r(*entry.find(table), table, findings);
  params.fields(r);
  r.finish();
  return params;
}

fleet::Fleet make_fleet(std::size_t n_gpu) {
  const catalog::Catalog catalog;
  const Node gpu = catalog.values("gpu", "h100_sxm_700W");
  const Node server = catalog.values("server", "grand_teton_h100");
  std::vector<Finding> findings;
  const auto power = read<power::GpuPowerParams>(gpu, "power", findings);
  const auto spread = read<power::SiliconSpreadParams>(gpu, "spread", findings);
  fleet::Fleet fleet;
  fleet.types.push_back(fleet::make_node_type(power, read<dvfs::GovernorParams>(gpu, "governor", findings),
                                              read<power::ServerPowerParams>(server, "power", findings),
                                              read<thermal::ServerAirParams>(server, "air", findings),
                                              read<thermal::PackageParams>(gpu, "package", findings), power.tdp_W,
                                              power.vf_clock_Hz.back()));
  if (!findings.empty()) throw InputError(findings);
  fleet.n_gpu_per_node = fleet::n_package_lane;
  const std::size_t n_node = n_gpu / fleet::n_package_lane;
  fleet.node_hall.assign(n_node, 0);
  fleet.node_row.assign(n_node, 0);
  fleet.node_rack.assign(n_node, 0);
  fleet.node_number.assign(n_node, 0);
  fleet.node_recirculation.assign(n_node, 0.0);
  for (std::size_t g = 0; g < n_node * fleet::n_package_lane; ++g) {
    fleet.chip.push_back(power::draw_chip(spread, 1, g));
    fleet.resistance_ratio.push_back(power::draw_resistance_ratio(spread, 1, g));
  }
  return fleet;
}

}  // namespace

double KernelCase::period_s() const {
  Tick sum = 0;
  for (const auto& s : segments) sum += s.duration;
  return seconds(sum);
}

fleet::NodesTask KernelCase::task(const fleet::BatchPlan& plan) const {
  fleet::NodesTask t;
  t.plan = &plan;
  t.kind_mix = kinds;
  t.window = window;
  t.reference_Hz = reference_Hz;
  t.inlet_K = inlet_K;
  t.air_J_per_m3_K = air_J_per_m3_K;
  return t;
}

KernelCase make_kernel_case(std::size_t n_gpu, int n_warm) {
  KernelCase c{make_fleet(n_gpu), {}, {}, {}, {}, {}, 1.83e9, {}};
  c.inlet_K.resize(c.fleet.n_node());
  for (std::size_t n = 0; n < c.inlet_K.size(); ++n) c.inlet_K[n] = 297.0 + 0.01 * static_cast<double>(n % 500);
  c.state = sim::idle_state(c.fleet, c.inlet_K);
  c.signals = sim::make_signals(c.fleet);
  // {matrix, memory, link, wait, active matrix, HBM, link at full rate}, s
  c.kinds = {{0.030, 0.004, 0.008, 0.0, 0.029, 0.012, 0.006},  // forward
             {0.060, 0.008, 0.014, 0.0, 0.058, 0.024, 0.010},  // backward
             {0.0, 0.0, 0.0, 0.02, 0.0, 0.0, 0.0},             // waiting for a neighbour
             {0.0, 0.05, 0.40, 0.0, 0.0, 0.05, 0.35},          // gradient synchronisation
             {0.0, 0.06, 0.0, 0.0, 0.0, 0.06, 0.0}};           // optimiser
  for (int i = 0; i < 32; ++i) {
    c.segments.push_back({(42 + i % 3) * ns_per_ms, 0});
    c.segments.push_back({(82 + i % 5) * ns_per_ms, 1});
    c.segments.push_back({(4 + 3 * (i % 4)) * ns_per_ms, 2});
  }
  c.segments.push_back({450 * ns_per_ms, 3});
  c.segments.push_back({60 * ns_per_ms, 4});
  c.segments.push_back({15 * ns_per_ms, 2});
  for (const auto& s : c.segments) {
    const auto& k = c.kinds[s.kind];
    c.window.matrix_s += k.matrix_s;
    c.window.memory_s += k.memory_s;
    c.window.link_s += k.link_s;
    c.window.wait_s += k.wait_s;
    c.window.active_matrix_s += k.active_matrix_s;
    c.window.hbm_s += k.hbm_s;
    c.window.full_link_s += k.full_link_s;
  }
  const auto plan = fleet::make_batch_plan(c.segments, {3600 * ns_per_s, 3600 * ns_per_s, 1});
  for (int i = 0; i < n_warm; ++i) fleet::advance_nodes(c.fleet, c.state, c.signals, c.task(plan), 0, c.fleet.n_node());
  return c;
}

KernelRate kernel_rate(KernelCase& c, const fleet::StepGrading& grading, std::size_t n_thread, double budget_s) {
  const auto plan = fleet::make_batch_plan(c.segments, grading);
  const auto task = c.task(plan);
  const auto once = [&] {
    parallel_ranges(c.fleet.n_node(), n_thread, [&](std::size_t begin, std::size_t end) {
      fleet::advance_nodes(c.fleet, c.state, c.signals, task, begin, end);
    });
  };
  const double s = n_thread == 1 ? best_s(thread_s, budget_s, once) : best_s(wall_s, budget_s, once);
  const auto n = static_cast<double>(c.fleet.n_gpu());
  return {n * static_cast<double>(plan.steps.size()) / s, n * c.period_s() / s};
}

PackageCase package_case(const KernelCase& c, std::size_t n_block) {
  const auto& type = c.fleet.types[0];
  PackageCase out{type.gpu.leakage(), {}, {}};
  const std::size_t n = fleet::n_package_lane, n_kind = c.kinds.size();
  std::vector<double> fixed_W(n_kind * n), leakage_W(n);
  for (std::size_t b = 0; b < n_block; ++b) {
    dvfs::phase_powers(type.gpu, std::span(c.fleet.chip).subspan(b * n, n), c.kinds, c.reference_Hz,
                       std::span<const double>(c.state.clock_Hz).subspan(b * n, n), 0.0, fixed_W, leakage_W);
    auto& block = out.blocks.emplace_back();
    block.modes = &type.modes[fleet::mode_step(type, c.state.fan_frac[b], 1.0)];
    for (std::size_t k = 0; k < n_kind; ++k) {
      auto& w = out.watts.emplace_back();
      std::copy_n(&fixed_W[k * n], n, w.fixed_W);
      std::copy(leakage_W.begin(), leakage_W.end(), w.leakage_W);
    }
    for (std::size_t g = 0; g < n; ++g) {
      block.store_K[0][g] = c.state.die_K[b * n + g];
      block.store_K[1][g] = c.state.base_K[b * n + g];
      block.store_K[2][g] = c.state.sink_K[b * n + g];
      block.air_K[g] = c.inlet_K[b] + (thermal::in_rear_row(g, n) ? 10.0 : 0.0);
      block.resistance_ratio[g] = c.fleet.resistance_ratio[b * n + g];
    }
  }
  return out;
}

std::vector<double> kernel_trace(const KernelCase& c, PackageCase packages, const fleet::StepGrading& grading) {
  std::vector<double> die_K;
  for (const auto& s : c.segments) {
    auto plan = fleet::make_batch_plan(std::span(&s, 1), grading);
    plan.n_kind = static_cast<std::uint32_t>(c.kinds.size());
    fleet::advance_packages(plan, packages.law, packages.watts, packages.blocks);
    for (const auto& b : packages.blocks) die_K.insert(die_K.end(), b.store_K[0], b.store_K[0] + fleet::n_package_lane);
  }
  return die_K;
}

}  // namespace TIDEWATT_NAMESPACE::bench::detail
