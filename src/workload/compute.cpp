#include "tidewatt/workload/compute.hpp"

#include <algorithm>
#include <cmath>

namespace TIDEWATT_NAMESPACE::workload {

void ComputeParams::fields(FieldVisitor& v) {
  v.number("reference_clock_MHz", reference_clock_Hz, {100, 10000}, "clock at which the peak holds");
  v.integer("multiprocessors", multiprocessors, {1, 10000}, "streaming multiprocessors");
  v.number("matrix_TF", matrix_FLOP_per_s, {1, 1e6}, "dense bf16 peak per second at the reference clock");
  v.number("fp8_TF", fp8_FLOP_per_s, {0, 1e6}, "dense fp8 peak per second at the reference clock, 0 = none",
           Need::optional);
  v.number("nvfp4_TF", nvfp4_FLOP_per_s, {0, 1e6}, "dense four-bit peak per second at the reference clock, 0 = none",
           Need::optional);
  v.number("matrix_efficiency_frac", matrix_efficiency_frac, {0.05, 1},
           "fraction of the bf16 peak in large matrix products in training");
  v.number("fp8_efficiency_frac", fp8_efficiency_frac, {0, 1}, "fraction of the fp8 peak in these; 0 = as bf16",
           Need::optional);
  v.number("mxfp8_efficiency_frac", mxfp8_efficiency_frac, {0, 1},
           "fraction of the fp8 peak with block scales; 0 = as fp8 ", Need::optional);
  v.number("nvfp4_efficiency_frac", nvfp4_efficiency_frac, {0, 1}, "fraction of the four-bit peak; 0 = as fp8",
           Need::optional);
  v.number("product_efficiency_frac", product_efficiency_frac, {0, 1},
           "fraction of the bf16 peak in a large product alone; 0 = as in training", Need::optional);
  v.number("fp8_product_efficiency_frac", fp8_product_efficiency_frac, {0, 1},
           "fraction of the fp8 peak in a large product alone; 0 = as in training", Need::optional);
  v.number("grouped_efficiency_ratio", grouped_efficiency_ratio, {0.05, 1.5},
           "efficiency of grouped (expert) products over dense ones", Need::optional);
  v.number("small_tile_ratio", small_tile_ratio, {0.1, 1}, "efficiency of 128 x 128 tiles over 256 x 128 tiles");
  v.number("gemm_overhead_us", gemm_overhead_s, {0, 1000}, "start and last-wave cost per matrix product");
  v.number("attention_efficiency_frac", attention_efficiency_frac, {0.02, 1}, "fraction of peak in fused attention");
  v.integer("attention_half_tokens", attention_half_tokens, {0, 1e5},
            "sequence length at which attention reaches half of this fraction", Need::optional);
  v.number("hbm_TB_per_s", hbm_B_per_s, {0.1, 100}, "peak memory bandwidth");
  v.number("hbm_efficiency_frac", hbm_efficiency_frac, {0.1, 1}, "fraction of peak bandwidth in memory-bound kernels");
  v.number("hbm_capacity_GiB", hbm_capacity_B, {1, 10000}, "memory per GPU");
  v.number("hbm_reserved_GiB", hbm_reserved_B, {0, 100}, "memory used by context, buffers and fragmentation");
  v.number("overlap_tax_frac", overlap_tax_frac, {0, 1}, "compute time lost per second of hidden communication");
  v.number("gemm_activity_ratio", gemm_activity, {0, 2}, "matrix-unit activity in matrix products");
  v.number("attention_activity_ratio", attention_activity, {0, 2}, "matrix-unit activity in attention");
  v.number("gemm_hbm_frac", gemm_hbm_frac, {0, 1}, "fraction of peak memory bandwidth in matrix products");
  v.number("attention_hbm_frac", attention_hbm_frac, {0, 1}, "fraction of peak memory bandwidth in attention");
  v.number("host_gap_s", host_gap_s, {0, 100}, "time per iteration in which all GPUs wait for the host, in every plan",
           Need::optional);
}

double element_B(Precision precision) {
  switch (precision) {
    case Precision::bf16:
      return 2.0;
    case Precision::fp8:
      return 1.0;
    case Precision::mxfp8:
      return 1.0 + 1.0 / 32.0;
    case Precision::nvfp4:
      return 0.5 + 1.0 / 16.0;
  }
  return 2.0;
}

double peak_FLOP_per_s(const ComputeParams& gpu, Precision precision) {
  if (precision == Precision::bf16) return gpu.matrix_FLOP_per_s;
  return precision == Precision::nvfp4 ? gpu.nvfp4_FLOP_per_s : gpu.fp8_FLOP_per_s;
}

double efficiency_frac(const ComputeParams& gpu, Precision precision, KernelClass kernel) {
  if (kernel == KernelClass::attention) return gpu.attention_efficiency_frac;
  const auto given = [](double own, double otherwise) { return own > 0.0 ? own : otherwise; };
  double dense = gpu.matrix_efficiency_frac;
  if (precision != Precision::bf16) dense = given(gpu.fp8_efficiency_frac, dense);
  if (precision == Precision::mxfp8) dense = given(gpu.mxfp8_efficiency_frac, dense);
  if (precision == Precision::nvfp4) dense = given(gpu.nvfp4_efficiency_frac, dense);
  if (kernel == KernelClass::alone && precision == Precision::bf16) return given(gpu.product_efficiency_frac, dense);
  if (kernel == KernelClass::alone && precision == Precision::fp8) return given(gpu.fp8_product_efficiency_frac, dense);
  return kernel == KernelClass::grouped ? dense * gpu.grouped_efficiency_ratio : dense;
}

Work& Work::operator+=(const Work& o) { return add(o, 1.0); }

Work& Work::add(const Work& o, double times) {
  gemm_s += times * o.gemm_s;
  attention_s += times * o.attention_s;
  memory_s += times * o.memory_s;
  link_s += times * o.link_s;
  return *this;
}

double wave_efficiency(const ComputeParams& gpu, double rows, double columns) {
  const double sm = static_cast<double>(gpu.multiprocessors);
  const auto used = [&](double tile_rows, double tile_columns) {
    const double tiles = std::ceil(rows / tile_rows) * std::ceil(columns / tile_columns);
    const double filled = rows * columns / (tile_rows * tile_columns);
    return filled / (sm * std::ceil(tiles / sm));
  };
  return std::max({used(256.0, 128.0), used(128.0, 256.0), gpu.small_tile_ratio * used(128.0, 128.0)});
}

Work gemm_work(const ComputeParams& gpu, double rows, double columns, double inner, double bytes, Precision precision,
               KernelClass kernel) {
  const double rate =
      efficiency_frac(gpu, precision, kernel) * wave_efficiency(gpu, rows, columns) * peak_FLOP_per_s(gpu, precision);
  const double matrix_s = 2.0 * rows * columns * inner / rate + gpu.gemm_overhead_s;
  const double memory_s = bytes / (gpu.hbm_efficiency_frac * gpu.hbm_B_per_s);
  Work w;
  (matrix_s >= memory_s ? w.gemm_s : w.memory_s) = std::max(matrix_s, memory_s);
  return w;
}

Work attention_work(const ComputeParams& gpu, double flops, double sequence_tokens) {
  const double reach = sequence_tokens / (sequence_tokens + static_cast<double>(gpu.attention_half_tokens));
  Work w;
  const double efficiency = efficiency_frac(gpu, Precision::bf16, KernelClass::attention);
  w.attention_s = flops / (efficiency * reach * gpu.matrix_FLOP_per_s) + gpu.gemm_overhead_s;
  return w;
}

Work memory_work(const ComputeParams& gpu, double bytes) {
  Work w;
  w.memory_s = bytes / (gpu.hbm_efficiency_frac * gpu.hbm_B_per_s);
  return w;
}

PhaseKind make_kind(const char* name, const Work& work, const ComputeParams& gpu, double link_frac) {
  PhaseKind kind;
  kind.name = name;
  kind.matrix_s = work.gemm_s + work.attention_s;
  kind.memory_s = work.memory_s;
  kind.link_s = work.link_s;
  if (kind.matrix_s > 0.0) {
    const double gemm_share = work.gemm_s / kind.matrix_s;
    kind.matrix_activity = gemm_share * gpu.gemm_activity + (1.0 - gemm_share) * gpu.attention_activity;
    kind.hbm_frac_matrix = gemm_share * gpu.gemm_hbm_frac + (1.0 - gemm_share) * gpu.attention_hbm_frac;
  }
  if (kind.memory_s > 0.0) kind.hbm_frac_memory = gpu.hbm_efficiency_frac;
  if (kind.link_s > 0.0) kind.link_frac = link_frac;
  return kind;
}

}  // namespace TIDEWATT_NAMESPACE::workload
