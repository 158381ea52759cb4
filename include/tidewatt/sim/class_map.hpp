#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tidewatt/thermal/package.hpp"
#include "tidewatt/workload/timeline.hpp"

namespace tidewatt::sim {

/// One repetition of a rank class as a package sees it. For every mode z' = −λ z + g P with P constant per kind,
/// the repetition maps  z → e^{−λT} z + g Σ_kind P_kind w_kind(λ),  w_kind(λ) = ∫_{kind} e^{−λ(T−t)} dt.
///
/// λ differs from node to node only through fan speed, so w is sampled at four Chebyshev points of the rates that occur
/// and kept as a cubic in t = (λ − middle)/half width (error below 1e-9 of w over the narrow range). Energies never use w:
/// they follow from kind_s. What is per used kind is padded with zeros to whole vectors.
struct ClassMap {
  static constexpr std::size_t n_point = 4, pad = 8;
  double period_s = 0.0;
  std::vector<double> kind_s;       ///< [kind] seconds per repetition
  std::vector<std::uint32_t> used;  ///< kinds that occur
  std::vector<double> used_s;       ///< [used, padded] seconds per repetition
  std::array<double, thermal::n_mode> middle_per_s{}, per_half_s{};  ///< [mode] t = (λ − middle) × per_half
  std::vector<double> weight_s;     ///< [mode][power of t][used, padded]
  std::size_t n_padded() const { return used_s.size(); }
  /// [used, padded] coefficients of one power of t, s.
  const double* weights(std::size_t mode, std::size_t power) const { return weight_s.data() + (mode * n_point + power) * used_s.size(); }
  std::vector<double> kind_rise_K;  ///< [kind] mean die temperature in the kind − mean over the repetition
  /// [kind] of a die at the instant at which the nominal chip is hottest, − its mean over the repetition, per watt of the kind.
  /// The periodic steady state is linear in the powers: with a chip's own, Σ P w is its own peak.
  std::vector<double> peak_K_per_W;
  double pause_rise_K = 0.0;        ///< mean die temperature in a pause of the jump − mean over the repetition
  bool repeats = false;              ///< false: a slice that happens once; its kinds have no rise of their own
};

/// Lowest and highest rate of each mode among the nodes.
struct RateRange {
  std::array<double, thermal::n_mode> lo, hi;
};

/// A map without rises: of a slice, see ClassMap::repeats.
ClassMap make_class_map(std::span<const workload::Segment> segments, std::size_t n_kind, const RateRange& rates);

/// Adds the rises of a repetition, those of a chip at `reference` that draws `reference_W` [kind].
void add_rises(ClassMap& map, std::span<const workload::Segment> segments, const thermal::PackageModes& reference,
               std::span<const double> reference_W);

/// Mean die temperature over `pause_s` at `pause_W` after long at `mean_W`, minus that before.
double pause_rise_K(const thermal::PackageModes& reference, double mean_W, double pause_W, double pause_s);

/// w of every used kind at a node's rates: out[mode][i] belongs to kind used[i].
void interpolate_weights(const ClassMap& map, const std::array<double, thermal::n_mode>& rate_per_s,
                         std::array<std::vector<double>, thermal::n_mode>& out_s);

}  // namespace tidewatt::sim
