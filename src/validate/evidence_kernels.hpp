#pragma once
// What the evidence rows compute of single kernels, collectives and services: the parts that a training step or a service is made of.
#include <cstdint>
#include <string>

#include "evidence_levels.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// A (rows × inner)·(inner × columns) product, counts.
struct ProductShape {
  double rows = 0.0, columns = 0.0, inner = 0.0;
};

/// A product of which nothing else runs on a nominal chip.
class ProductAlone {
 public:
  /// @param shape counts
  ProductAlone(const GpuCase& gpu, workload::Precision format, const ProductShape& shape);
  /// Clock of the table's end, Hz.
  double highest_Hz() const { return model_.clock_max_Hz(); }
  /// Clock that the power limit leaves to it, the die at `die_K`. @returns Hz
  double limited_Hz(double die_K) const;
  /// Clock at which it runs for some milliseconds: the table's end, or less where the board's electrical design peak stretches the clock.
  /// @returns Hz
  double brief_Hz(double die_K) const;
  /// Time of one product at a clock. @returns s
  double seconds_at(double clock_Hz) const;
  /// @returns FLOP/s
  double FLOP_per_s(double clock_Hz) const { return flop_ / seconds_at(clock_Hz); }
  const power::GpuModel& model() const { return model_; }
  const dvfs::PhaseMix& mix() const { return mix_; }
  /// Clock of the peak rates, Hz.
  double reference_Hz() const { return reference_Hz_; }

 private:
  double clock_under(double limit_W, double die_K) const;
  power::GpuModel model_;
  double limit_W_, peak_W_, reference_Hz_, flop_;
  workload::Work work_;
  dvfs::PhaseMix mix_;
};
/// A format by its word in a plan. @throws InputError
workload::Precision precision_named(const std::string& word);

/// Rate of a product that runs again and again on a nominal chip: at the clock that its limit leaves to this product alone, the die
/// as in loaded air-cooled nodes. @param gpu entry of kind gpu  @param precision as in a plan  @returns FLOP/s
double product_FLOP_per_s(const std::string& gpu, const std::string& precision, const ProductShape& shape);
/// Rate of a product that runs for some milliseconds, before a limiter of the clock acts: at brief_Hz(). @returns FLOP/s
double brief_product_FLOP_per_s(const std::string& gpu, const std::string& precision, const ProductShape& shape);
/// Share of the peak with which brief_product_FLOP_per_s gives a published rate. @returns dimensionless
double exact_product_efficiency(const std::string& gpu, const std::string& precision, const ProductShape& shape,
                                double expected_FLOP_per_s);
/// Bytes per second of a memory-bound kernel. @returns B/s
double memory_B_per_s(const std::string& gpu);
/// Bus bandwidth of an all-reduce inside a node: 2 (n - 1)/n of its bytes over its time. @param network entry of kind network
/// @returns B/s
double all_reduce_bus_B_per_s(const std::string& network, std::int64_t n_gpu, double bytes);

/// Output tokens per second and GPU at the most requests that batch, memory and clock allow.
/// @param precision of weights and linear layers, as in a plan
double service_tokens_per_s(const workload::ModelShape& shape, const ServedLoad& load, const std::string& precision);
/// Time of one prompt, alone. @returns s
double prompt_s(const workload::ModelShape& shape, const ServedLoad& load, const std::string& precision);

}  // namespace TIDEWATT_NAMESPACE::validate
