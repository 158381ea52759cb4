#pragma once
#include <string_view>

#include "iteration.hpp"
#include "tidewatt/base/version.hpp"
#include "tidewatt/workload/compute.hpp"

namespace TIDEWATT_NAMESPACE::workload {

/// A job's arithmetic per GPU against the dense peak of one format, the same for every job: whatever its linear layers use, attention,
/// output head and gradients stay in it.
struct Utilisation {
  static constexpr std::string_view precision = "bf16";
  static constexpr std::string_view mfu_attention = "causal", hfu_attention = "full";
  double peak_TF = 0.0;         ///< dense bf16 peak of a GPU at its reference clock, TFLOP/s
  double tflops_per_gpu = 0.0;  ///< model FLOPs: causal attention, nothing computed again
  double mfu_percent = 0.0;     ///< these against the peak
  /// As Megatron-LM counts (arXiv 2104.04473): attention as a full square, recomputation included; against the same peak.
  double hfu_percent = 0.0;
};
/// @param tokens_per_s of the whole job
Utilisation utilisation(const IterationModel& model, const ComputeParams& gpu, double tokens_per_s);

}  // namespace TIDEWATT_NAMESPACE::workload
