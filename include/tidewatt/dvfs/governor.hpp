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
  double period_s;                   ///< time between two samples
  double power_gain_Hz;              ///< limit of the mean: clock per window for an error of the whole limit
  double power_rise_gain_Hz;         ///< clock against a rise of that mean by the whole limit
  double peak_ratio;                 ///< fast limit: power of one sample ÷ the board's rating
  double peak_slew_bins;             ///< largest drop by the fast limit per sample
  double up_slew_bins;               ///< bins upwards per sample
  double down_slew_bins;             ///< bins downwards per sample
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

/// Plain mean of a board's power over its last samples, each weighted with its length; the oldest counts in part where their number is not
/// whole. While there are fewer, it is over those.
class TIDEWATT_API PowerMean {
 public:
  /// @param n_sample samples of the mean, at least 1; unit 1
  explicit PowerMean(double n_sample);
  struct Value {
    double mean_W;
    double rise_W;  ///< since the sample before; 0 at the first one
  };
  /// The mean with one more sample. @param sample_W W  @param sample_s s, above 0
  Value push(double sample_W, double sample_s);

 private:
  std::vector<double> J_, s_;  ///< [sample] of the last ones, in a circle
  std::size_t oldest_ = 0;
  double sum_J_ = 0.0, sum_s_ = 0.0;
  double left_out_frac_;  ///< of the oldest
  double mean_W_ = 0.0;
};

/// State of the governor, by GPU. Sized by `start`.
struct TIDEWATT_API GovernorState {
  std::vector<double> request_bins;  ///< [gpu] clock that the power limits allow, in bins above the lowest; not rounded
  std::vector<double> dither_bins;   ///< [gpu] remainder of the request after rounding, carried to the next sample
  std::vector<double> ceiling_bins;  ///< [gpu] highest clock by the thermal limiter
  std::vector<PowerMean> mean;       ///< [gpu] what the limit of the mean sees
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

/// The sampled power limits of one GPU type: the limit of the mean and the fast limit of SampledGovernor. Clocks are in bins above
/// the lowest and not rounded to whole bins.
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
  /// @param mean over the window, with this sample
  /// @param rounded_bins width w of the rounding that the real clock has; 0: the clock is exact. The fast limit then acts with its mean
  /// over this width: for a reduction x within ±w/2 it reduces the clock by (x + w/2)²/2w, and holds back the share (x + w/2)/w of a rise
  Request after(double request_bins, double clock_bins, double sample_W, const PowerMean::Value& mean, double sample_s,
                double cap_W, double rounded_bins = 0.0) const {
    return after(gpu_->voltage(clock_Hz(clock_bins)), request_bins, clock_bins, sample_W, mean, sample_s, cap_W,
                 rounded_bins);
  }
  /// The same for loops over many. @param v of the table at the clock, V and V/Hz
  TIDEWATT_INLINE Request after(const power::GpuModel::Voltage& v, double request_bins, double clock_bins,
                                double sample_W, const PowerMean::Value& mean, double sample_s, double cap_W,
                                double rounded_bins) const {
    const double f = clock_Hz(clock_bins);
    const double bins_per_W = f * v.V / (cap_W * (v.V + 2.0 * f * v.slope_V_per_Hz) * power::GpuModel::bin_Hz);
    const double reach = 0.5 * rounded_bins, above = (sample_W - peak_W_) * bins_per_W;
    const double share = (above + reach) / rounded_bins, some = share > 0.0 ? share : 0.0;  // no width: 0 or infinite
    const double peak_frac = some < 1.0 ? some : 1.0, over_bins = some < 1.0 ? reach * some * some : above;
    const double mean_bins =
        request_bins +
        (sample_s * gain_bins_per_s_ * (limit_W(cap_W, limits_) - mean.mean_W) - rise_gain_bins_ * mean.rise_W) / cap_W;
    const double rises_bins = mean_bins > clock_bins ? mean_bins - clock_bins : 0.0;
    const double drop_bins = over_bins < peak_slew_bins_ ? over_bins : peak_slew_bins_;
    const double bins = mean_bins - (peak_frac * rises_bins + drop_bins);
    const double least = bins > 0.0 ? bins : 0.0;
    return {least < top_bins_ ? least : top_bins_, peak_frac > 0.0};
  }
  /// Without samples, as long as the limits' window.
  PowerMean start_mean() const { return PowerMean(n_sample_); }
  /// Samples of that mean, whole or not; unit 1.
  double n_sample() const { return n_sample_; }
  /// A clock on the scale of bins, which begins at the lowest clock. @param clock_Hz Hz
  double bins(double clock_Hz) const { return (clock_Hz - lowest_Hz_) * (1.0 / power::GpuModel::bin_Hz); }
  /// The clock at a place on that scale, Hz.
  double clock_Hz(double bins) const { return lowest_Hz_ + power::GpuModel::bin_Hz * bins; }
  /// Highest clock, in whole bins above the lowest; dimensionless.
  double top_bins() const { return top_bins_; }

 private:
  const power::GpuModel* gpu_;
  double n_sample_, gain_bins_per_s_, rise_gain_bins_;
  GovernorParams limits_;
  double peak_W_, peak_slew_bins_, lowest_Hz_, top_bins_;
};

/// The clock governor of one GPU type, sampled. Const; batched; all memory in GovernorState.
///
///     1 s limit:      r ← r + K T/τ (P_cap − margin − M)/P_cap − K_d ΔM/P_cap     M: plain mean of P over τ, ΔM its rise
///     fast limit:     P > peak · P_tdp:  r ← r − min(slew, (P − peak · P_tdp)/g)     of the rating, whatever the cap
///                     g = P_cap/f (1 + 2 f V'/V), W per bin
///     thermal limit:  above the target until below target − hysteresis:  c ← c + T k_i (T_target − T_die)
///                     and the clock ≤ c + k_p (T_target − T_die)
///     slowdown, brake, lock: c ≤ their clock; shutdown latches
///     bin ← round(min(r, c) + rest), slewed, the rest carried over (dithering between two bins)
///
/// The 1 s limit controls a plain mean, as the board's own power readings are, and as the firmware of an open accelerator does. Its
/// gains are that firmware's. A ripple whose period divides τ is not in this mean, so the clock keeps still under it. The mean lags by τ/2:
/// after an idle second the board may draw more than the cap until the mean reaches it. With f the share n = d ln P/d ln f, the loop
/// oscillates without end where n K/f exceeds π²/2 = 4.9 (K_d = 0); the firmware's gain is at 1.5 to 2.5.
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
