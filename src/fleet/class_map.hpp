#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tidewatt/thermal/package.hpp"
#include "tidewatt/workload/timeline.hpp"

namespace TIDEWATT_NAMESPACE::fleet {

/// What a repetition's course of temperature does to the leakage of its kinds.
struct KindLeakage {
  std::vector<double> rise_K;  ///< [kind] mean die temperature in the kind − mean over the repetition
  /// [kind] mean square of the die temperature around the kind's mean. Leakage grows as e^{kT}: its mean over the kind is
  /// e^{k rise + k² spread / 2} of that at the repetition's mean (cumulants; the third is left out).
  std::vector<double> spread_K2;
  /// Leakage follows the die within a kind: above the kind's mean where the die is warmer, below where it is colder. Per watt of
  /// leakage at the repetition's mean, for a resistance ratio of 1, what that adds to a mode's ∫ P e^{−λ(T−t)} dt over a repetition, s;
  /// and to the die at the hottest instant, K/W. The energy of a kind is unchanged.
  std::array<double, thermal::n_mode> weight_s{};
  double peak_K_per_W = 0.0;
  /// Segments in which the nominal die is not as warm as in its kind's mean: a long wait, the first work after it. Its leakage there
  /// over that at the mean, − 1. It hardly changes the packages, but it changes the site's waveform.
  struct Apart {
    std::uint32_t segment;
    double leakage_share;
    template <class A>
    void archive(A& a) {
      a(segment, leakage_share);
    }
  };
  std::vector<Apart> apart;
  template <class A>
  void archive(A& a) {
    a(rise_K, spread_K2, weight_s, peak_K_per_W, apart);
  }
};

/// Clocks that move within a kind.
struct WithinKinds {
  std::vector<double> more_W;  ///< [segment] of a nominal GPU beyond its kind's mean, see nominal_more_W; empty: none
  double peak_K = 0.0;         ///< what that adds to the hottest instant
  /// What it adds to a mode's ∫ P e^{−λ(T−t)} dt over a repetition, J; the energy of a kind is unchanged.
  std::array<double, thermal::n_mode> weight_J{};
  std::vector<double>
      kind_W;  ///< [kind] of a part of a repetition: mean there − mean over the whole; empty: a whole one
  template <class A>
  void archive(A& a) {
    a(more_W, peak_K, weight_J, kind_W);
  }
};

/// Mean die temperature in a pause of a jump, over its mean in the repetitions.
struct PauseRise {
  double K = 0.0;  ///< from that mean on
  /// [mode] and per kelvin by which it is off that mean where the pause begins, between two repetitions.
  std::array<double, thermal::n_mode> per_K{};
};

/// A die at the instant h at which the nominal chip is hottest, of segments that happen once or for the first time, over where it is at their
/// end, which is known: with its own begin z(0) and powers,
///
///     T(h) − T(end) = Σ_mode left shape z(0) + Σ_kind P K_per_W + leakage leak_K_per_W + within
struct OncePeak {
  std::vector<double> K_per_W;                 ///< [kind] at h, − at the end
  std::array<double, thermal::n_mode> left{};  ///< [mode] e^{−λt} at h, − at the end
  double leak_K_per_W = 0.0;                   ///< by leakage that follows the die within kinds, see KindLeakage
  double within_K = 0.0;                       ///< by clocks that move within kinds
  template <class A>
  void archive(A& a) {
    a(K_per_W, left, leak_K_per_W, within_K);
  }
};

/// The hottest die of a repetition.
struct HottestInstant {
  /// [kind] of a die at the instant at which the nominal chip is hottest, − its mean over the repetition, per watt of the kind.
  /// The periodic steady state is linear in the powers: with a chip's own, Σ P w is its own peak.
  std::vector<double> K_per_W;
  std::vector<OncePeak>
      once;  ///< at the instants at which a settled and a cold nominal chip are hottest; empty: not known
  template <class A>
  void archive(A& a) {
    a(K_per_W, once);
  }
};

/// One repetition of a rank class as input of a package. For every mode z' = −λ z + g P with P constant per kind,
/// the repetition maps  z → e^{−λT} z + g Σ_kind P_kind w_kind(λ),  w_kind(λ) = ∫_{kind} e^{−λ(T−t)} dt.
///
/// λ differs from node to node only through fan speed, so w is sampled at four Chebyshev points of the rates that occur
/// and kept as a cubic in t = (λ − middle)/half width (error below 1e-9 of w over the narrow range). Energies never use w:
/// they follow from kind_s. What is per used kind is padded with zeros to whole vectors.
struct ClassMap {
  static constexpr std::size_t n_point = 4, pad = 8;
  double period_s = 0.0;
  std::vector<double> kind_s;                                        ///< [kind] seconds per repetition
  std::vector<std::uint32_t> used;                                   ///< kinds that occur
  std::vector<double> used_s;                                        ///< [used, padded] seconds per repetition
  std::array<double, thermal::n_mode> middle_per_s{}, per_half_s{};  ///< [mode] t = (λ − middle) × per_half
  std::vector<double> weight_s;                                      ///< [mode][power of t][used, padded]
  std::size_t n_padded() const { return used_s.size(); }
  /// [used, padded] coefficients of one power of t, s.
  const double* weights(std::size_t mode, std::size_t power) const {
    return weight_s.data() + (mode * n_point + power) * used_s.size();
  }
  HottestInstant peak;
  KindLeakage leakage;
  WithinKinds within;
  PauseRise pause;       ///< of the jump; none without pauses
  bool repeats = false;  ///< false: it happens once
};

/// Lowest and highest rate of each mode among the nodes.
struct RateRange {
  std::array<double, thermal::n_mode> lo, hi;
};

/// A map without rises.
ClassMap make_class_map(std::span<const workload::Segment> segments, std::size_t n_kind, const RateRange& rates);
/// The same in the rooms of an earlier one.
void make_class_map(std::span<const workload::Segment> segments, std::size_t n_kind, const RateRange& rates,
                    ClassMap& map);

/// A chip whose temperatures represent those of its class.
struct NominalChip {
  const thermal::PackageModes& modes;
  std::span<const double> power_W, leakage_W;  ///< [kind] and what of it is leakage
  double leakage_per_K = 0.0;
  std::span<const double> more_W = {};  ///< [segment]; empty: none
};

/// Adds the rises of a repetition, in its periodic steady state.
void add_rises(ClassMap& map, std::span<const workload::Segment> segments, const NominalChip& chip);
/// Adds the rises of segments that happen once. @param store_K where the chip begins, over its air
void add_course(ClassMap& map, std::span<const workload::Segment> segments, const NominalChip& chip,
                const std::array<double, thermal::n_mode>& store_K);

/// Over `pause_s` at `pause_W` after long at `mean_W`.
PauseRise pause_rise(const thermal::PackageModes& reference, double mean_W, double pause_W, double pause_s);

/// w of every used kind at a node's rates: out[mode][i] belongs to kind used[i].
void interpolate_weights(const ClassMap& map, const std::array<double, thermal::n_mode>& rate_per_s,
                         std::array<std::vector<double>, thermal::n_mode>& out_s);

}  // namespace TIDEWATT_NAMESPACE::fleet
