#pragma once
#include <cstdint>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/version.hpp"
#include "tidewatt/workload/network.hpp"
#include "tidewatt/workload/timeline.hpp"

namespace TIDEWATT_NAMESPACE::workload {

/// Number format of a matrix product: fp8 with one scale per tensor, mxfp8 with one per 32 values, nvfp4 with one per 16.
enum class Precision { bf16, fp8, mxfp8, nvfp4 };
/// Operands of a kernel: two matrices inside a training step, a batch of matrices of several experts, scores and values of
/// attention, or two matrices alone, of which nothing but the same product runs.
enum class KernelClass { dense, grouped, attention, alone };

/// Bytes of one value, including its share of the block's scale: bf16 2, fp8 1, mxfp8 1 + 1/32, nvfp4 1/2 + 1/16.
TIDEWATT_API double element_B(Precision precision);

/// Speed of one GPU at its reference clock, and the activity of its parts. Each device has one set for all models and plans.
struct TIDEWATT_API ComputeParams {
  double reference_clock_Hz = 0.0;       ///< clock at which the peak holds
  std::int64_t multiprocessors = 0;      ///< streaming multiprocessors
  double matrix_FLOP_per_s = 0.0;        ///< dense bf16 peak at the reference clock
  double fp8_FLOP_per_s = 0.0;           ///< dense fp8 and mxfp8 peak at the reference clock; 0: the device has none
  double nvfp4_FLOP_per_s = 0.0;         ///< dense four-bit peak at the reference clock; 0: the device has none
  double matrix_efficiency_frac = 0.0;   ///< of peak, reached by large bf16 matrix products inside a training step
  double fp8_efficiency_frac = 0.0;      ///< the same of the fp8 peak; 0: as bf16
  double mxfp8_efficiency_frac = 0.0;    ///< the same with block scales; 0: as fp8
  double nvfp4_efficiency_frac = 0.0;    ///< the same of the four-bit peak; 0: as fp8
  double product_efficiency_frac = 0.0;  ///< of the bf16 peak, reached by a large product alone; 0: as inside a step
  double fp8_product_efficiency_frac = 0.0;  ///< the same of the fp8 peak
  double grouped_efficiency_ratio = 1.0;     ///< grouped products of experts over dense ones, of every precision
  double small_tile_ratio = 0.0;             ///< efficiency of 128 × 128 output tiles over 256 × 128 ones
  double gemm_overhead_s = 0.0;              ///< start and end of each matrix product; slows down small products
  /// Of peak, reached by fused attention (forward and backward) on long sequences.
  double attention_efficiency_frac = 0.0;
  std::int64_t attention_half_tokens = 0;  ///< sequence length at which attention reaches half of its efficiency
  double hbm_B_per_s = 0.0;                ///< peak memory bandwidth
  double hbm_efficiency_frac = 0.0;        ///< of peak, reached by memory-bound kernels
  double hbm_capacity_B = 0.0;             ///< memory per GPU
  double hbm_reserved_B = 0.0;             ///< context, communication buffers, fragmentation
  double overlap_tax_frac = 0.0;           ///< compute time lost per second of communication hidden behind it
  double gemm_activity = 0.0;              ///< matrix-unit switching activity, 1 = dense bf16 on random data
  double attention_activity = 0.0;         ///< matrix-unit activity in attention
  double gemm_hbm_frac = 0.0;              ///< share of peak memory bandwidth during matrix products
  double attention_hbm_frac = 0.0;         ///< fraction of peak memory bandwidth in attention
  double host_gap_s = 0.0;  ///< per iteration: all GPUs wait for the host (data, loss, logging, next launch)

  void fields(FieldVisitor& v);
};

/// Peak rate of a format at the reference clock; 0 where the device has none. @returns FLOP/s
TIDEWATT_API double peak_FLOP_per_s(const ComputeParams& gpu, Precision precision);
/// Share of the peak that large products reach. Dense kernels have one value per device and precision; grouped kernels have this
/// value times the ratio of grouped to dense. Attention has its own share of the bf16 peak, whatever the linear layers' format. A
/// product alone has its own share where one is known: the share inside a step holds what a step loses beside its products.
TIDEWATT_API double efficiency_frac(const ComputeParams& gpu, Precision precision, KernelClass kernel);

/// Seconds at the reference clock, by limiting resource.
struct TIDEWATT_API Work {
  double gemm_s = 0.0;
  double attention_s = 0.0;
  double memory_s = 0.0;
  double link_s = 0.0;
  /// Sum of all four.
  double total_s() const { return gemm_s + attention_s + memory_s + link_s; }
  Work& operator+=(const Work& o);
  /// Adds `times` as much of `o`. @param times dimensionless
  Work& add(const Work& o, double times);
};

/// Share of the multiprocessors' time that a rows × columns product uses. Output tiles are computed in whole waves, so n tiles
/// use n/(SM ⌈n/SM⌉). The better of 256 × 128 and 128 × 128 tiles counts.
/// @param rows, columns count; @returns share, 0 to 1
TIDEWATT_API double wave_efficiency(const ComputeParams& gpu, double rows, double columns);

/// Time of a (rows × inner)·(inner × columns) product that moves `bytes` at least: the slower of
/// flops/(ε·wave·peak) + overhead (matrix-bound) and bytes/(η·HBM) (memory-bound), with peak and ε of the format and of
/// the kernel's class (dense, grouped or alone).
/// @param rows, columns, inner count  @param bytes in B
TIDEWATT_API Work gemm_work(const ComputeParams& gpu, double rows, double columns, double inner, double bytes,
                            Precision precision = Precision::bf16, KernelClass kernel = KernelClass::dense);
/// Fused attention over a sequence of s tokens: flops/(ε_a·s/(s + s_half)·peak) + overhead.
TIDEWATT_API Work attention_work(const ComputeParams& gpu, double flops, double sequence_tokens);
/// Memory-bound kernels: bytes/(η·HBM).
/// @param bytes in B
TIDEWATT_API Work memory_work(const ComputeParams& gpu, double bytes);

/// A phase from its work. @param link_frac  share of peak NVLink bandwidth during `link_s`
TIDEWATT_API PhaseKind make_kind(const char* name, const Work& work, const ComputeParams& gpu, double link_frac);

}  // namespace TIDEWATT_NAMESPACE::workload
