#include "evidence_kernels.hpp"

#include "silicon.hpp"
#include "tidewatt/workload/plan.hpp"
#include "training_runs.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

constexpr double result_B = 2.0;  // products add up and return in 16 bits

/// A device whose bf16 is another format: a service has one rate for all linear layers. Attention keeps its own.
workload::ComputeParams in_format(workload::ComputeParams gpu, workload::Precision format) {
  const double bf16_FLOP_per_s = gpu.matrix_FLOP_per_s;
  gpu.matrix_efficiency_frac = workload::efficiency_frac(gpu, format, workload::KernelClass::dense);
  gpu.matrix_FLOP_per_s = workload::peak_FLOP_per_s(gpu, format);
  gpu.attention_efficiency_frac *= bf16_FLOP_per_s / gpu.matrix_FLOP_per_s;
  return gpu;
}

Served served_in(const workload::ModelShape& shape, ServedLoad load, const std::string& precision) {
  const auto format = precision_named(precision);
  GpuCase gpu = gpu_case(load.gpu);
  gpu.compute = in_format(gpu.compute, format);
  load.service.weight_bytes = static_cast<std::int64_t>(workload::element_B(format));
  return served(shape, load, gpu);
}

/// @param brief whether the run is over before a limiter acts
double rate_FLOP_per_s(const GpuCase& gpu, workload::Precision format, const ProductShape& shape, bool brief) {
  const ProductAlone product(gpu, format, shape);
  return product.FLOP_per_s(brief ? product.brief_Hz(air_die_K) : product.limited_Hz(air_die_K));
}

}  // namespace

workload::Precision precision_named(const std::string& word) {
  workload::ParallelPlan plan;
  plan.precision = word;
  return plan.linear_precision();
}

ProductAlone::ProductAlone(const GpuCase& gpu, workload::Precision format, const ProductShape& s)
    : model_(gpu.power),
      limit_W_(dvfs::limit_W(gpu.power.tdp_W, gpu.governor)),
      peak_W_(edp_peak_W(gpu)),
      reference_Hz_(gpu.compute.reference_clock_Hz),
      flop_(2.0 * s.rows * s.columns * s.inner) {
  const double operands_B = workload::element_B(format) * s.inner * (s.rows + s.columns),
               bytes = operands_B + result_B * s.rows * s.columns;
  work_ = workload::gemm_work(gpu.compute, s.rows, s.columns, s.inner, bytes, format, workload::KernelClass::alone);
  mix_ = mix_of(workload::make_kind("product", work_, gpu.compute, 0.0));
}

double ProductAlone::clock_under(double limit_W, double die_K) const {
  return dvfs::operating_point(model_, {}, mix_, reference_Hz_, 0.0, model_.leakage_temperature_factor(die_K), limit_W,
                               highest_Hz(), highest_Hz())
      .clock_Hz;
}

double ProductAlone::limited_Hz(double die_K) const { return clock_under(limit_W_, die_K); }

double ProductAlone::brief_Hz(double die_K) const { return clock_under(peak_W_, die_K); }

double ProductAlone::seconds_at(double clock_Hz) const {
  return work_.gemm_s * reference_Hz_ / clock_Hz + work_.memory_s;
}

double product_FLOP_per_s(const std::string& gpu, const std::string& precision, const ProductShape& shape) {
  return rate_FLOP_per_s(gpu_case(gpu), precision_named(precision), shape, false);
}

double brief_product_FLOP_per_s(const std::string& gpu, const std::string& precision, const ProductShape& shape) {
  return rate_FLOP_per_s(gpu_case(gpu), precision_named(precision), shape, true);
}

double exact_product_efficiency(const std::string& gpu_name, const std::string& precision, const ProductShape& shape,
                                double expected_FLOP_per_s) {
  GpuCase gpu = gpu_case(gpu_name);
  const auto format = precision_named(precision);
  double efficiency = workload::efficiency_frac(gpu.compute, format, workload::KernelClass::alone);
  for (int i = 0; i < 6; ++i) {
    gpu.compute.product_efficiency_frac = gpu.compute.fp8_product_efficiency_frac = efficiency;
    efficiency *= expected_FLOP_per_s / rate_FLOP_per_s(gpu, format, shape, true);
  }
  return efficiency;
}

double memory_B_per_s(const std::string& gpu) {
  const auto compute = gpu_case(gpu).compute;
  return 1.0 / workload::memory_work(compute, 1.0).memory_s;
}

double all_reduce_bus_B_per_s(const std::string& network, std::int64_t n_gpu, double bytes) {
  const auto n = static_cast<double>(n_gpu);
  return 2.0 * (n - 1.0) / n * bytes / workload::group_all_reduce_s(network_entry(network), {n_gpu, 1}, bytes);
}

double service_tokens_per_s(const workload::ModelShape& shape, const ServedLoad& load, const std::string& precision) {
  const auto hour = served_in(shape, load, precision).hour;
  return hour.served_per_s * static_cast<double>(load.service.output_tokens) / static_cast<double>(load.service.tp);
}

double prompt_s(const workload::ModelShape& shape, const ServedLoad& load, const std::string& precision) {
  const Served s = served_in(shape, load, precision);
  return s.service.prefill_s(s.pace);
}

}  // namespace TIDEWATT_NAMESPACE::validate
