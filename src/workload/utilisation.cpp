#include "utilisation.hpp"

namespace TIDEWATT_NAMESPACE::workload {

Utilisation utilisation(const IterationModel& model, const ComputeParams& gpu, double tokens_per_s) {
  const double gpus_per_TF = static_cast<double>(model.n_gpu()) * 1e12;
  const double per_flop = tokens_per_s / model.tokens_per_iteration() / gpus_per_TF;
  Utilisation out;
  out.precision = model.plan().precision;
  out.peak_TF = peak_FLOP_per_s(gpu, model.plan().linear_precision()) * 1e-12;
  out.bf16_peak_TF = peak_FLOP_per_s(gpu, Precision::bf16) * 1e-12;
  out.tflops_per_gpu = model.model_flops_per_iteration() * per_flop;
  out.hardware_tflops_per_gpu = model.hardware_flops_per_iteration() * per_flop;
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::workload
