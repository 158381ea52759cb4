#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tidewatt/base/sum.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// A band of frequencies and the measurements in it.
struct TIDEWATT_API Band {
  double low_Hz = 0.0, high_Hz = 0.0;
  double energy_W2s = 0.0;  ///< ∫ y² dt of the filtered power
  double peak_W = 0.0;      ///< largest |y|
  double rms_W = 0.0;
};

/// Energy of the load's swings in bands of frequency, measured by streaming filters. Compared with spectra of segments, filters
/// have no delay and no averaging, and repetitions can be added without filtering them.
///
///     y = HP_4(f_low) LP_4(f_high) x,   Butterworth, bilinear with both edges prewarped
///
/// The squared gains of neighbouring bands add up to 1 around their common edge (0.5 each on it) and fall by 24 dB per octave
/// beyond. The filters work on means of 1, 2, 4 or 8 bins; the averaging keeps more than 96 % of the amplitude at the highest
/// edge. At most eight bands.
class TIDEWATT_API BandMeter {
 public:
  static constexpr std::size_t most_bands = 8;
  /// @param edges_Hz pairs (low, high), 1e-3 ≤ low < high ≤ 200  @throws InputError
  /// The edges are in Hz, [band].
  explicit BandMeter(std::vector<std::pair<double, double>> edges_Hz);
  /// The bands of power-system swings: 0.1–1, 1–2.5, 2.5–7 and 7–60 Hz.
  static BandMeter standard();

  void begin(std::int64_t first_bin, double rest_W);  ///< a recorded interval, from rest at `rest_W`
  /// The next 1 ms means, [n].
  void push(std::span<const double> load_W);
  std::vector<Band> bands() const;
  /// @returns s
  double seconds() const;  ///< measured so far
  /// @returns dimensionless
  double gain(std::size_t band, double f_Hz) const;  ///< |y|/|x| of a sine, averaging included

  struct Snapshot {
    std::int64_t next_bin = 0;
    std::array<double, most_bands> energy{};
  };
  Snapshot snapshot() const;
  /// Contribution of the bins since a snapshot; see metrics.hpp.
  struct Share {
    std::int64_t n_bin = 0;
    std::array<double, most_bands> energy{};
    template <class A>
    void archive(A& a) {
      a(n_bin, energy);
    }
  };
  /// Contribution of the bins since `before`; see metrics.hpp.
  Share since(const Snapshot& before) const;
  /// Counts `n_bin` further bins at the share's mean energy.
  void repeat_bins(const Share& share, std::int64_t n_bin);
  template <class A>
  void archive(A& a) {
    a(memory_, energy_, peak_, booked_, n_partial_, next_bin_, n_sample_, partial_, rest_W_);
  }

 private:
  void filter(std::span<const double> x);
  using Lanes = std::array<double, most_bands>;
  struct Section {
    Lanes b0{}, b1{}, b2{}, a1{}, a2{};
  };
  std::vector<std::pair<double, double>> edges_Hz_;
  std::array<Section, 4> section_;
  std::array<Lanes, 8> memory_{};  // two per section
  Lanes energy_{}, peak_{};
  std::array<CompensatedSum, most_bands> booked_;
  std::size_t n_lane_ = most_bands;
  std::int64_t merge_ = 1, n_partial_ = 0, next_bin_ = 0, n_sample_ = 0;
  double partial_ = 0.0, rest_W_ = 0.0, inverse_merge_ = 1.0;
};

}  // namespace TIDEWATT_NAMESPACE::grid
