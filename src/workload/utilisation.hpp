#pragma once
#include <string>
#include <string_view>

#include "iteration.hpp"
#include "tidewatt/base/version.hpp"
#include "tidewatt/workload/compute.hpp"

namespace TIDEWATT_NAMESPACE::workload {

/// A job's arithmetic per GPU against the dense peak of the format that its linear layers use. Attention, output head and gradients stay
/// in bf16, so a job in a narrower format cannot reach 100 %. `mfu_bf16_percent` is the same arithmetic against the bf16 peak, as many
/// publications count whatever the format; it may exceed 100 %.
struct Utilisation {
  static constexpr std::string_view mfu_attention = "causal", hfu_attention = "full";
  std::string precision;        ///< format of the linear layers: bf16 | fp8 | mxfp8 | nvfp4
  double peak_TF = 0.0;         ///< dense peak of a GPU in that format at its reference clock, TFLOP/s
  double bf16_peak_TF = 0.0;    ///< the same in bf16
  double tflops_per_gpu = 0.0;  ///< model FLOPs: causal attention, nothing computed again
  /// Arithmetic that the hardware does, TFLOP/s, as Megatron-LM counts (arXiv 2104.04473): attention as a full square, recomputation
  /// included.
  double hardware_tflops_per_gpu = 0.0;
  /// Model FLOPs over the peak, percent.
  double mfu_percent() const { return 100.0 * tflops_per_gpu / peak_TF; }
  /// The hardware's over the same peak, percent.
  double hfu_percent() const { return 100.0 * hardware_tflops_per_gpu / peak_TF; }
  /// Model FLOPs over the bf16 peak, percent.
  double mfu_bf16_percent() const { return 100.0 * tflops_per_gpu / bf16_peak_TF; }
};
/// @param tokens_per_s of the whole job
Utilisation utilisation(const IterationModel& model, const ComputeParams& gpu, double tokens_per_s);

}  // namespace TIDEWATT_NAMESPACE::workload
