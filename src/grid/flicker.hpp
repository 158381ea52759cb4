#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// Lamp and mains that a flicker limit refers to.
enum class FlickerLamp { v230_50Hz, v120_60Hz, v120_50Hz, v230_60Hz };

/// Short-term flicker severity of one finished window.
struct FlickerWindow {
  std::int64_t first_bin = 0;  ///< absolute bin
  double P_st = 0.0;
  template <class A>
  void archive(A& a) {
    a(first_bin, P_st);
  }
};

/// Flickermeter on the voltage's rms values over bins of 1 ms (or finer).
///
///     s = (v/v_ref)² (1 − cos 2·2π f t),    v_ref: low-pass of 27.3 s on v²
///     y = H(s),   H = s/(s + 2π·0.05) · Butterworth_6(35 Hz or 42 Hz)
///                     · k ω_1 s/(s² + 2λs + ω_1²) · (1 + s/ω_2)/((1 + s/ω_3)(1 + s/ω_4))
///     P_inst = c · lowpass_0.3s(y²),  c from the lamp's sine of 8.8 Hz (0.250 % or 0.321 %) peaking at 1
///     P_st = sqrt(0.0314 P_0.1 + 0.0525 P_1s + 0.0657 P_3s + 0.28 P_10s + 0.08 P_50s),  P_lt = (mean of 12
///     P_st³)^(1/3)
///
/// H is split into its eleven poles, each stepped exactly for an input constant over a bin. Levels are counted in classes
/// of 1/1024 of their power of two (2^-40 to 2^24; interpolated within a class: P_st to 1e-4), so that memory is constant
/// and repetitions can be counted. Means over a bin, and a filter that sees its input constant over one, each weaken a part
/// of frequency f by sin(πfh)/(πfh): both are made good by x − Δ²x/24, which delays by a bin each. Assumption: balanced
/// phases; changes of voltage within a cycle enter by the bins' means. Source: IEC 61000-4-15 ed. 2.
class Flickermeter {
 public:
  /// @param window_s length of a P_st window, 1…7200 s (the standard's is 600)
  /// @param bins_per_ms 1 to 8: finer input for waveforms whose edges repeat faster than some 25 Hz (at 1 ms their
  /// harmonics around 1 kHz fold onto the ripple's: up to 1.6 % of P_inst)  @throws InputError
  explicit Flickermeter(FlickerLamp lamp, double window_s = 600.0, int bins_per_ms = 1);

  /// A recorded interval begins at rest at `v_pu`; an unfinished window is dropped.
  void begin(std::int64_t first_bin, double v_pu);
  /// @param v_pu rms voltage of each bin, > 0
  void push(std::span<const double> v_pu);
  /// The same bins to two lamps, in little more than the time of one. @param v_pu as push()
  static void push_two(Flickermeter& a, Flickermeter& b, std::span<const double> v_pu);

  const std::vector<FlickerWindow>& windows() const { return windows_; }  ///< finished ones
  /// Largest P_st, dimensionless.
  double P_st_max() const;  ///< 0 without a finished window
  /// Largest P_lt, dimensionless.
  double P_lt_max() const;  ///< over twelve adjacent windows; 0 without
  /// Largest instantaneous flicker sensation since the last `forget_max`, dimensionless: 1 is just perceptible.
  double P_inst_max() const { return P_inst_max_; }
  void forget_max() { P_inst_max_ = 0.0; }

  /// Counts of levels, by class of P_inst. Most classes have none: lines of them are passed over.
  class Counts {
   public:
    static constexpr std::size_t line = 64;
    /// None.
    Counts() = default;
    /// Of `n_class` classes, all empty.
    explicit Counts(std::size_t n_class) : of_(n_class, 0), used_(n_class / line + 1, 0) {}
    std::size_t size() const { return of_.size(); }
    std::uint32_t operator[](std::size_t i) const { return of_[i]; }
    /// So many levels more in the classes from `first` on.
    void add_range(std::size_t first, std::span<const std::uint32_t> more);
    /// One level more in each of these classes, which lie in `least` to `most`.
    void add_all(std::span<const std::uint32_t> classes, std::size_t least, std::size_t most) {
      for (std::size_t k = least / line; k <= most / line; ++k) used_[k] = 1;
      for (const std::uint32_t i : classes) ++of_[i];
    }
    /// Classes from the first line that may have levels through the last; empty: there is none.
    struct Range {
      std::size_t first = 0;
      std::span<const std::uint32_t> counts;
    };
    Range range() const;
    void clear();
    template <class A>
    void archive(A& a) {
      const std::size_t n = of_.size();
      a(of_);
      a.require(of_.size() == n);
      find_used();
    }

   private:
    void find_used();
    std::vector<std::uint32_t> of_;
    std::vector<std::uint8_t> used_;  ///< [line] may have levels
  };
  struct Snapshot {
    std::int64_t next_bin = 0, n_counted = 0;
    std::size_t first_class = 0;
    std::vector<std::uint32_t> counts;  ///< of the classes from the first on
  };
  Snapshot snapshot() const;
  /// Levels that the bins since a snapshot counted, no window having ended (see `same_window`); see metrics.hpp.
  struct Share {
    std::int64_t n_counted = 0, first_class = 0;
    std::vector<std::uint32_t> counts;
    template <class A>
    void archive(A& a) {
      a(n_counted, first_class, counts);
      a.require(n_counted >= 0 &&
                (counts.empty() || (first_class >= 0 && static_cast<std::size_t>(first_class) <= n_class() &&
                                    counts.size() <= n_class() - static_cast<std::size_t>(first_class))));
    }
  };
  /// Contribution of the bins since `before`, nothing if a window has ended since; see metrics.hpp.
  Share since(const Snapshot& before) const;
  /// Windows that end on the way are finished from the same shares of levels.
  void repeat_bins(const Share& share, std::int64_t n_bin);
  /// Whether no window has ended since the snapshot.
  bool same_window(const Snapshot& before) const {
    return n_counted_ - before.n_counted == next_bin_ - before.next_bin;
  }

  /// |H| at a frequency, the scale c included so that a unit of it is one unit of sqrt(P_inst). For tests and plots.
  double gain(double f_Hz) const;
  template <class A>
  void archive(A& a) {
    a(re_, im_, recent_.v2, recent_.older_v2, recent_.s, recent_.older_s, reference_, level_, P_inst_max_, next_bin_,
      n_counted_, carrier_shift_, counts_, windows_);
    a.require(n_counted_ >= 0 && n_counted_ < window_bins_);
  }

 private:
  // Classes of P_inst: the exponent and the first ten bits of the mantissa.
  static constexpr int class_shift = 42;
  static constexpr std::uint64_t lowest_class = std::bit_cast<std::uint64_t>(0x1p-40) >> class_shift;
  static constexpr std::uint64_t highest_class = std::bit_cast<std::uint64_t>(0x1p24) >> class_shift;
  static double class_floor(std::size_t i) {
    return i == 0 ? 0.0 : std::bit_cast<double>((lowest_class + i) << class_shift);
  }
  static constexpr std::size_t lanes = 8;
  using Lanes = std::array<double, lanes>;
  struct Bank {  // one pole per lane, complex; three real ones, four of pairs, one empty
    Lanes decay_re{}, decay_im{}, drive_re{}, drive_im{}, weight_re{}, weight_im{};
    double smooth = 1.0;  ///< of the squared output
  };
  static constexpr std::size_t n_state = 2 * lanes + 1;  ///< poles and level
  void settle(double v2);
  void relate(std::span<const double> v_pu, double* ratio);
  void modulate(std::span<const double> ratio, double* s);
  bool saw_the_same(const Flickermeter& o) const;
  std::array<double, n_state> poles() const;
  void set_poles(const std::array<double, n_state>& state);
  void count(std::span<const double> level);
  static std::size_t n_class() { return highest_class - lowest_class + 1; }
  void finish_window();
  Bank bank_;
  Lanes re_{}, im_{};
  struct Recent {  // the last two inputs and products
    double v2 = 1.0, older_v2 = 1.0, s = 1.0, older_s = 1.0;
  };
  Recent recent_;
  std::vector<double> carrier_;  // 1 − cos of twice the mains angle, over a whole number of mains cycles
  double scale_ = 1.0, reference_gain_ = 0.0;
  double reference_ = 1.0, level_ = 0.0, P_inst_max_ = 0.0;
  std::int64_t next_bin_ = 0, n_counted_ = 0, window_bins_;
  std::int64_t carrier_shift_ = 0;  ///< bins booked without a turn of the ripple
  Counts counts_;                   // of the running window
  std::vector<FlickerWindow> windows_;
  FlickerLamp lamp_;
};

}  // namespace TIDEWATT_NAMESPACE::grid
