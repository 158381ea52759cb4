#pragma once
// The package equations for an adaptive solver. Private to bench.
#include <string>
#include <vector>

#include "kernel_case.hpp"

namespace TIDEWATT_NAMESPACE::bench::detail {

/// How SUNDIALS CVODE is set: variable-order BDF with Newton and a sparse direct solver (KLU), or Adams with fixed-point
/// iteration; it stops and restarts at every edge, because power jumps there.
struct CvodeSettings {
  bool adams;
  double tolerance_K;   ///< absolute, on every temperature
  double first_step_s;  ///< after an edge; 0: CVODE's own guess
  std::size_t n_block;  ///< blocks of 8 packages in one system
};

struct CvodeRun {
  double cpu_s;
  long steps;                 ///< of the system
  std::vector<double> die_K;  ///< [segment][block][lane]
};

/// One iteration of the case's segments. @throws SolverError
CvodeRun cvode_run(const KernelCase& c, const PackageCase& packages, const CvodeSettings& settings);

/// The fastest settings of a grid whose die temperatures stay within `error_K` of `reference`.
struct CvodeBest {
  CvodeSettings settings;
  double error_K, gpu_steps_per_s, gpu_s_per_s;
};
CvodeBest tune_cvode(const KernelCase& c, const fleet::StepGrading& reference, double error_K, bool quick);

double largest_difference(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace TIDEWATT_NAMESPACE::bench::detail
