#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tidewatt/base/simd.hpp"
#include "tidewatt/base/version.hpp"
#include "tidewatt/dvfs/operating_point.hpp"

namespace TIDEWATT_NAMESPACE::dvfs {

/// Sampling of the limits in GovernorParams. Bins are the V/f table's 15 MHz steps.
struct TIDEWATT_API SampledGovernorParams {
  double period_s;        ///< time between two samples
  double peak_ratio;      ///< fast limit: power of one sample ÷ the board's rating
  double peak_slew_bins;  ///< largest drop by the fast limit per sample
  double up_slew_bins, down_slew_bins;
  double thermal_hysteresis_K;       ///< the thermal limiter releases this far below its target
  double slowdown_release_K;         ///< the slowdown releases this far below its temperature
  double thermal_gain_bins_per_K_s;  ///< integral gain of the thermal limiter
  double thermal_gain_bins_per_K;    ///< proportional gain of the thermal limiter
  double brake_clock_ratio;          ///< clock under the facility's power brake ÷ highest clock
  void fields(FieldVisitor& v);
};

/// Limiter of a GPU's clock, in the order of NVML's clock event reasons; exactly one per sample.
enum class Held : std::uint8_t { none, clock_lock, power_cap, peak, thermal, slowdown, brake, shutdown };
inline constexpr std::size_t n_held = 8;

/// State of the governor, by GPU. Sized by `start`.
struct TIDEWATT_API GovernorState {
  std::vector<double> request_bins;  ///< [gpu] clock that the power limits allow, in bins above the lowest; not rounded
  std::vector<double> dither_bins;   ///< [gpu] remainder of the request after rounding, carried to the next sample
  std::vector<double> ceiling_bins;  ///< [gpu] highest clock by the thermal limiter
  std::vector<std::int32_t> bin;     ///< [gpu] clock now
  std::vector<std::uint8_t> thermal_on, slowdown_on, off;  ///< [gpu] off: shut down until `restart`
  std::vector<std::array<double, n_held>> held_s;          ///< [gpu][Held] seconds since `start`
};

/// Inputs of the governor at a sample.
struct TIDEWATT_API GovernorView {
  std::span<const double> sample_W;     ///< [gpu] mean board power since the last sample
  std::span<const double> die_K;        ///< [gpu]
  std::span<const double> cap_W;        ///< [gpu] user cap, at most the board limit
  std::span<const double> lock_Hz;      ///< [gpu] user clock lock; the table's end where there is none
  std::span<const std::uint8_t> brake;  ///< [gpu] the facility pulls the power brake
};

/// The sampled power limits of one GPU type: the 1 s limit and the fast limit of SampledGovernor. Clocks are in bins above the
/// lowest and not rounded to whole bins.
class TIDEWATT_API PowerLimiter {
 public:
  /// @param gpu must outlive the limiter
  PowerLimiter(const power::GpuModel& gpu, const GovernorParams& limits, const SampledGovernorParams& sampling);
  struct Request {
    double clock_bins;
    bool peak;  ///< set by the fast limit
  };
  /// Clock that the limits allow after a sample of `sample_W` over `sample_s` at a clock. Before the sample they allowed
  /// `request_bins`.
  /// @param request_bins, clock_bins clocks as counts of bins above the lowest; unit 1  @param sample_W W  @param sample_s s
  /// @param rounded_bins width w of the rounding that the real clock has; 0: the clock is exact. The fast limit then reduces the
  /// clock by its mean over this width: (x + w/2)²/2w for a reduction x within ±w/2
  Request after(double request_bins, double clock_bins, double sample_W, double sample_s, double cap_W,
                double rounded_bins = 0.0) const {
    return after(gpu_->voltage(clock_Hz(clock_bins)), request_bins, clock_bins, sample_W, sample_s, cap_W,
                 rounded_bins);
  }
  /// The same for loops over many. @param v of the table at the clock, V and V/Hz  @param rounded_bins above 0
  TIDEWATT_INLINE Request after(const power::GpuModel::Voltage& v, double request_bins, double clock_bins,
                                double sample_W, double sample_s, double cap_W, double rounded_bins) const {
    const double f = clock_Hz(clock_bins);
    const double bins_per_W = f * v.V / (cap_W * (v.V + 2.0 * f * v.slope_V_per_Hz) * power::GpuModel::bin_Hz);
    const double reach = 0.5 * rounded_bins, above = (sample_W - peak_W_) * bins_per_W;
    const double softened = (above + reach) * (above + reach) / (2.0 * rounded_bins);
    const bool near = above < reach && above > -reach;
    const double over_bins = near ? softened : above;
    const double mean_bins = request_bins + sample_s * per_s_ * (cap_W - margin_W_ - sample_W) * bins_per_W;
    const double drop_bins = over_bins < peak_slew_bins_ ? over_bins : peak_slew_bins_;
    const double peak_bins = (mean_bins < clock_bins ? mean_bins : clock_bins) - drop_bins;
    const bool peak = over_bins > 0.0;
    const double bins = peak ? peak_bins : mean_bins, least = bins > 0.0 ? bins : 0.0;
    return {least < top_bins_ ? least : top_bins_, peak};
  }
  /// A clock on the scale of bins, which begins at the lowest clock. @param clock_Hz Hz
  double bins(double clock_Hz) const { return (clock_Hz - lowest_Hz_) * (1.0 / power::GpuModel::bin_Hz); }
  /// The clock at a place on that scale, Hz.
  double clock_Hz(double bins) const { return lowest_Hz_ + power::GpuModel::bin_Hz * bins; }
  /// Highest clock, in whole bins above the lowest; dimensionless.
  double top_bins() const { return top_bins_; }

 private:
  const power::GpuModel* gpu_;
  double per_s_, margin_W_, peak_W_, peak_slew_bins_, lowest_Hz_, top_bins_;
};

/// The clock governor of one GPU type, sampled. Const; batched; all memory in GovernorState.
///
///     1 s limit:      r ← r + T (P_cap − margin − P) / (g τ)     g = P_cap/f (1 + 2 f V'/V), W per bin
///     fast limit:     P > peak · P_tdp:  r ← r − min(slew, (P − peak · P_tdp)/g)     of the rating, whatever the cap
///     thermal limit:  above the target until below target − hysteresis:  c ← c + T k_i (T_target − T_die)
///                     and the clock ≤ c + k_p (T_target − T_die)
///     slowdown, brake, lock: c ≤ their clock; shutdown latches
///     bin ← round(min(r, c) + rest), slewed, the rest carried over (dithering between two bins)
///
/// The 1 s limit is an integrator whose memory is the window τ: near the cap its memory decays as e^{−t/τ}, so it controls an
/// exponential mean of power. The shape of the firmware's mean is not published; only its length is: TDP is enforced over 1 s.
/// The board's power readings are boxcar means, but the limiter need not use the same mean.
class TIDEWATT_API SampledGovernor {
 public:
  /// @param gpu must outlive the governor
  SampledGovernor(const power::GpuModel& gpu, const GovernorParams& limits, const SampledGovernorParams& sampling);
  /// All GPUs at one clock, without an active limiter.
  GovernorState start(std::size_t n_gpu, double clock_Hz) const;
  /// One sample: changes the clock bins and counts the limiters.
  void decide(const GovernorView& view, GovernorState& state) const;
  /// Clock of one GPU now.
  double clock_Hz(const GovernorState& state, std::size_t gpu) const { return limiter_.clock_Hz(state.bin[gpu]); }
  /// Time between two samples.
  double period_s() const { return sampling_.period_s; }

 private:
  void limit_heat(double die_K, std::size_t g, GovernorState& s) const;
  double hot_bins(double die_K, double ceiling_bins) const;
  const power::GpuModel& gpu_;
  GovernorParams limits_;
  SampledGovernorParams sampling_;
  PowerLimiter limiter_;
};

}  // namespace TIDEWATT_NAMESPACE::dvfs
