#pragma once
// The load that the kernel and its references are timed on. Private to bench.
#include <vector>

#include "fleet/package_batch.hpp"
#include "sim/build_fleet.hpp"

namespace TIDEWATT_NAMESPACE::bench::detail {

/// H100 servers of the catalog under an iteration of a large pipelined job: micro-batches of forward and backward
/// compute, waits and collectives between them, then gradient synchronisation and optimiser. 4.9 s, 100 edges.
struct KernelCase {
  fleet::Fleet fleet;
  fleet::FleetState state;
  fleet::FleetSignals signals;
  std::vector<dvfs::PhaseMix> kinds;
  std::vector<workload::Segment> segments;
  dvfs::PhaseMix window;
  double reference_Hz;
  std::vector<double> inlet_K;

  fleet::NodesTask task(const fleet::BatchPlan& plan) const;
  double period_s() const;
};

/// A fleet warmed up by iterations of that load. @param n_gpu a multiple of 8
KernelCase make_kernel_case(std::size_t n_gpu, int n_warm = 40);

inline constexpr double air_J_per_m3_K = thermal::reference_air_J_per_m3_K;

/// Kernel at a grading: GPU-steps and simulated GPU-seconds per second on `n_thread` threads.
struct KernelRate {
  double gpu_steps_per_s, gpu_s_per_s;
};
KernelRate kernel_rate(KernelCase& c, const fleet::StepGrading& grading, std::size_t n_thread, double budget_s);

/// Floating-point operations of one GPU-step, counted in the kernel's source: two exponentials of 22 (9 multiply-adds, 3
/// sums, 1 product each) and 37 for the rest. Integer operations, maxima and loads are not counted.
inline constexpr double flop_per_gpu_step = 2 * 22 + 37;

/// Packages of the first `n_block` nodes with their powers at the present clocks: what the references integrate.
struct PackageCase {
  fleet::LeakageLaw law;
  std::vector<fleet::LaneWatts> watts;  ///< [block × kind]
  std::vector<fleet::PackageBlock> blocks;
};
PackageCase package_case(const KernelCase& c, std::size_t n_block);

/// Die temperatures at the end of every segment: [segment][block][lane], K.
std::vector<double> kernel_trace(const KernelCase& c, PackageCase packages, const fleet::StepGrading& grading);

}  // namespace TIDEWATT_NAMESPACE::bench::detail
