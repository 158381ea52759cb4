#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "fft.hpp"

namespace TIDEWATT_NAMESPACE::numerics {

/// A spectral line: a sine of this amplitude (peak, not peak to peak, not rms).
struct Line {
  double frequency_Hz = 0.0;
  double amplitude = 0.0;  ///< in the signal's unit; 0 where there is none
};

/// Averaged one-sided spectrum of a real signal.
struct Spectrum {
  double bin_Hz = 0.0;        ///< distance between frequencies
  std::size_t n_segment = 0;  ///< segments averaged; 0: the signal was shorter than one segment
  std::vector<double> psd;    ///< one-sided power spectral density, signal unit² per Hz, at k·bin_Hz, k = 0…N/2

  /// rms of the part of the signal between two frequencies, sqrt(∫ psd df), over bins whose centre lies in [lo, hi].
  /// In the signal's unit.
  double band_rms(double lo_Hz, double hi_Hz) const;
  /// Amplitude of a sine exactly at bin k, sqrt(3 psd_k bin_Hz): the Hann window's peak is 2/3 of a line's power.
  double amplitude(std::size_t k) const;
  /// The largest line at or above `f_min_Hz`; a bin that a neighbour exceeds is none. Between bins by Grandke's ratio for
  /// the Hann window: with r = |X_{k+1}|/|X_k| (k+1 being the larger neighbour) the line lies at k + δ,
  /// δ = (2r − 1)/(r + 1), and its amplitude is that of bin k times πδ(1 − δ²)/sin πδ. Assumes lines at least four bins
  /// apart and four bins from 0.
  Line dominant(double f_min_Hz) const;
  template <class A>
  void archive(A& a) {
    a(bin_Hz, n_segment, psd);
  }

 private:
  Line largest(std::size_t first, std::size_t last) const;
};

/// Streaming power spectrum by Welch's method: Hann window, 50 % overlap, each segment's mean removed.
///
///     psd_k = 2/(f_s Σ w²) · mean over segments |Σ_n w_n (x_n − x̄) e^(−2πi kn/N)|²      (half of it at k = 0 and N/2)
///
/// Memory is a few segments, whatever the length of the signal. Two real segments share one complex transform:
/// with Z the transform of a + i b, |A_k|² + |B_k|² = (|Z_k|² + |Z_{N−k}|²)/2.
class Welch {
 public:
  /// @param segment samples per segment, a power of two, 16…2^22  @param rate_Hz samples per second, > 0
  /// @throws InputError
  Welch(std::size_t segment, double rate_Hz);

  /// @param x [n], any unit
  void push(std::span<const double> x);  ///< the next samples
  void gap();                            ///< the next sample does not follow the last: a new segment begins
  void restart();                        ///< forgets all samples
  Spectrum result() const;               ///< of the segments completed so far
  template <class A>
  void archive(A& a) {
    const std::size_t n = buffer_.size(), n_line = power_.size();
    a(buffer_, filled_, power_, n_segment_);
    a.require(buffer_.size() == n && power_.size() == n_line && filled_ <= n && (filled_ < n || n == 0));
  }

 private:
  void load(std::span<const double> segment, std::vector<double>& into) const;
  void consume(bool pair);
  std::size_t n_;
  double rate_Hz_;
  Fft fft_;
  double window_energy_ = 0.0;  // Σ w²
  std::vector<double> buffer_;  // 1.5 n samples: two overlapping segments
  std::size_t filled_ = 0;
  std::vector<double> re_, im_;  // scratch
  std::vector<double> power_;    // Σ over segments |X_k|², k = 0…n/2
  std::size_t n_segment_ = 0;
};

}  // namespace TIDEWATT_NAMESPACE::numerics
