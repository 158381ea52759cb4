#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sweep_spec.hpp"
#include "sweep_table.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// Share of an output's variance that one variable explains, unit 1, with a 95 % bootstrap interval.
struct SobolIndex {
  double first = 0.0, first_low = 0.0, first_high = 0.0;  ///< alone
  double total = 0.0, total_low = 0.0, total_high = 0.0;  ///< with all its interactions
};

/// Sobol indices from the outputs of a Saltelli design.
///
///     S_d = 1 - mean((f(B) - f(AB_d))²) / (2 V),  T_d = mean((f(A) - f(AB_d))²) / (2 V),  V = var(f(A) ∪ f(B))
///
/// (Jansen's estimators of both.) Rows in which any of f(A), f(B), f(AB_1 … k) is NaN are left out. A constant output
/// gives zeros. The interval comes from resampling rows with counter-based draws, so it is the same every time.
/// @param f outputs in the order of `saltelli_design`, [(k + 2) n], any unit  @param n_dimension k  @param seed of the
/// resampling  @returns [k]
/// @throws InputError if `f` has another length, or fewer than two rows are without NaN
/// @source [@saltelli_2010], [@jansen_1999]
std::vector<SobolIndex> sobol_indices(std::span<const double> f, std::size_t n_dimension, std::uint64_t seed = 1,
                                      std::size_t n_bootstrap = 200);

/// The p-quantile by linear interpolation between order statistics (Hyndman and Fan's type 7); NaN of nothing.
/// @param values any order and unit, NaN are left out  @param p 0 to 1
double quantile(std::span<const double> values, double p);

/// Spearman's rank correlation of two equally long samples, −1 to 1; pairs with NaN are left out, ties share ranks. NaN
/// if a side is constant. @source [@spearman_1904]
double rank_correlation(std::span<const double> x, std::span<const double> y);

/// Correlation ratio of a sample's ranks with groups that have no order, 0 to 1; pairs with NaN are left out, ties share ranks. NaN if the
/// sample is constant or of one group. With two groups it is the size of the rank correlation.
///
///     eta² = Σ_g n_g (r_g - r)² / Σ_i (r_i - r)²,   r_g the mean rank of group g
///
/// @param groups [n]  @param y any unit, [n]
double correlation_ratio(std::span<const std::string> groups, std::span<const double> y);

/// The analysis that belongs to the sweep's mode as CSV, for every numeric output; empty for modes without one.
/// * sobol_indices: output, variable, first-order and total index with intervals
/// * tornado: output, variable, its ends, the output at both ends and at the base, the swing between those that ran, and the ends that
///   failed; the ends of texts are those with the lowest and the highest output
/// * monte_carlo: output, n, mean, standard deviation, quantiles 5, 25, 50, 75, 95 %, and the most related variable, by its rank
///   correlation or, of texts, by their correlation ratio
std::string analyse(const SweepSpec& spec, const SweepTable& table);

/// Share of its cases that may fail in a sweep with quantiles or Sobol indices, unit 1: what is left would be biased beyond.
inline constexpr double most_failed_frac = 0.02;

/// Why a monte_carlo or sobol_indices sweep has no analysis: how many of its cases failed, and the first reasons. Empty: it has one.
std::string refused_analysis(const SweepSpec& spec, const SweepTable& table);

/// The ends of a tornado's variables whose case failed, one line each: `key = value (low): error`. Empty for other modes.
std::vector<std::string> failed_ends(const SweepSpec& spec, const SweepTable& table);

}  // namespace TIDEWATT_NAMESPACE::study
