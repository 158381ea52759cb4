#pragma once
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/base/simd.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::power {

/// Electrical parameters of one GPU type. Activities are switching activities relative to a dense bf16 GEMM on random data.
struct TIDEWATT_API GpuPowerParams {
  double tdp_W;                      ///< board power limit, W
  double board_W;                    ///< constant part: HBM refresh, regulators, fabric, W
  double leakage_W;                  ///< of the nominal chip at leakage_ref_K and voltage_ref_V, W
  double leakage_ref_K;              ///< K
  double leakage_per_K;              ///< d ln P_leak / dT, 1/K
  double leakage_per_V;              ///< d ln P_leak / dV, 1/V
  double dynamic_W;                  ///< switching power at activity 1, dynamic_ref_Hz and voltage_ref_V, W
  double dynamic_ref_Hz;             ///< Hz
  double voltage_ref_V;              ///< V
  double hbm_W;                      ///< added at full HBM bandwidth, W
  double link_W;                     ///< added at full NVLink + NIC bandwidth, W
  double memory_activity;            ///< core activity while HBM-bound
  double link_activity;              ///< core activity while communicating
  double wait_activity;              ///< core activity of spinning kernels
  double idle_clock_Hz;              ///< clock without a CUDA context, Hz
  std::vector<double> vf_clock_Hz;   ///< V/f table, ascending, Hz
  std::vector<double> vf_voltage_V;  ///< ascending, V
  /// Leakage without a CUDA context ÷ with one: parts that are then gated off; 1: none.
  double rest_leakage_ratio = 1.0;
  double idle_W = 0.0;    ///< board power read without a CUDA context at idle_K: sets rest_leakage_ratio; 0: not read
  double idle_K = 300.0;  ///< GPU temperature of that reading
  /// Lowest power limit that the driver takes; equal to tdp_W: it takes no limit but the board's; 0: not published.
  double power_limit_min_W = 0.0;
  void fields(FieldVisitor& v);
};

/// Spread between chips of one type: normal in z, truncated at ±truncation_ratio sigma because vendors screen chips.
struct TIDEWATT_API SiliconSpreadParams {
  double leakage_sigma_ratio;          ///< sigma of ln(leakage)
  double voltage_sigma_V;              ///< sigma of the voltage offset, V
  double leakage_voltage_correlation;  ///< of z_leakage and z_voltage: fast silicon leaks more and needs less voltage
  double resistance_sigma_ratio;       ///< sigma of ln(thermal resistance)
  double truncation_ratio;             ///< screening limit in sigmas
  void fields(FieldVisitor& v);
};

/// Deviation of one chip from the nominal one.
struct TIDEWATT_API Chip {
  double leakage_ratio = 1.0;
  double voltage_offset_V = 0.0;
};

/// Leakage of one GPU type over temperature and voltage, as numbers that loops keep in registers:
///
///     P_leak(T, V) = r_leak P_leak,ref e^{k_T (T − T_ref)} e^{k_V (V − V_ref)}
///
/// Maps that are linear in temperature and voltage take the logarithmic slopes k_T and k_V.
struct TIDEWATT_API LeakageLaw {
  double per_K, ref_K;              ///< k_T, 1/K; T_ref, K
  double ref_W = 0.0;               ///< of the nominal chip at T_ref and V_ref, W
  double per_V = 0.0, ref_V = 0.0;  ///< k_V, 1/V; V_ref, V
  /// Leakage at this temperature ÷ at T_ref, dimensionless.
  TIDEWATT_INLINE double temperature_factor(double die_K) const { return rise_factor(die_K - ref_K); }
  /// Binary logarithm of it, dimensionless.
  TIDEWATT_INLINE double log2_factor(double die_K) const { return log2_per_K() * (die_K - ref_K); }
  /// Its growth per kelvin, 1/K.
  TIDEWATT_INLINE double log2_per_K() const { return per_K / std::numbers::ln2; }
  /// Leakage of a die this much warmer ÷ before, dimensionless. @param over_K K
  TIDEWATT_INLINE double rise_factor(double over_K) const { return math::exp(per_K * over_K); }
  /// Leakage at this voltage ÷ at V_ref, dimensionless.
  TIDEWATT_INLINE double voltage_factor(double V) const { return math::exp(per_V * (V - ref_V)); }
  /// d P_leak/dT where the leakage is `leakage_W`, W/K.
  TIDEWATT_INLINE double slope_W_per_K(double leakage_W) const { return leakage_W * per_K; }
  /// d P_leak/dV where the leakage is `leakage_W`, W/V.
  TIDEWATT_INLINE double slope_W_per_V(double leakage_W) const { return leakage_W * per_V; }
};

/// Switching power of one GPU type at activity 1, P_dyn (V/V_ref)² f/f_ref, as numbers that loops keep in registers. It is rounded in three
/// ways, of which each loop keeps its own: as written; with reciprocals in place of divisions; and with one factor for all constants.
struct TIDEWATT_API SwitchingLaw {
  double ref_W, ref_V, ref_Hz;  ///< P_dyn, W; V_ref, V; f_ref, Hz
  double per_ref_V = 1.0 / ref_V, per_ref_Hz = 1.0 / ref_Hz;
  double W_per_V2_Hz = ref_W / (ref_V * ref_V * ref_Hz);
  /// As written, W.
  TIDEWATT_INLINE double at_W(double V, double clock_Hz) const {
    const double v = V / ref_V;
    return ref_W * v * v * (clock_Hz / ref_Hz);
  }
  /// With reciprocals, W.
  TIDEWATT_INLINE double multiplied_W(double V, double clock_Hz) const {
    const double v = V * per_ref_V;
    return ref_W * v * v * (clock_Hz * per_ref_Hz);
  }
  /// With one factor, W.
  TIDEWATT_INLINE double factored_W(double V, double clock_Hz) const { return W_per_V2_Hz * V * V * clock_Hz; }
  /// d P_dyn/df of `at_W` along a voltage curve, W/Hz.
  TIDEWATT_INLINE static double slope_W_per_Hz(double at_W, double V, double V_per_Hz, double clock_Hz) {
    return at_W * (2.0 * V_per_Hz / V + 1.0 / clock_Hz);
  }
  /// The same without divisions, W/Hz. @param V volts  @param V_per_Hz V/Hz  @param clock_Hz Hz
  TIDEWATT_INLINE double factored_slope_W_per_Hz(double V, double V_per_Hz, double clock_Hz) const {
    return W_per_V2_Hz * V * std::fma(2.0 * V_per_Hz, clock_Hz, V);
  }
};

/// The V/f curve on its own 15 MHz grid plus the power equation of one GPU type.
///
///     P = P_board + P_leak(T, V) + a P_dyn (V/V_ref)² f/f_ref + P_hbm b + P_link l
///     P_leak = r_leak P_leak,ref exp(k_T (T − T_ref) + k_V (V − V_ref)),   V = V(f) + offset
///
/// Without a CUDA context a = b = l = 0, and of P_leak the share r_rest (`rest_leakage_ratio`) is left. With a reading of idle watts
/// r_rest = (P_idle − P_board) / P_leak(T_idle, V_idle).
///
/// Valid for f within the table and 0–110 °C. Source keys: see catalog/gpu.
class TIDEWATT_API GpuModel {
 public:
  static constexpr double bin_Hz = 15e6;
  /// @throws InputError if the V/f table is not ascending or idle_W is out of reach
  explicit GpuModel(const GpuPowerParams& params);

  struct Voltage {
    double V, slope_V_per_Hz;
  };
  /// Nominal voltage at a clock inside [clock_min_Hz, clock_max_Hz], linear between bins.
  TIDEWATT_INLINE Voltage voltage(double clock_Hz) const {
    const double x = (clock_Hz - clock_min_Hz_) * (1.0 / bin_Hz);
    auto i = static_cast<std::int32_t>(x);
    i = i < 0 ? 0 : (i > last_bin_ ? last_bin_ : i);
    const auto u = static_cast<std::size_t>(i);
    return {std::fma(x - i, slope_[u], grid_[u]), slope_[u] * (1.0 / bin_Hz)};
  }
  /// The table that voltage() uses, for loops that keep it in registers: V = grid_V[i] + (x − i) slope_V[i] with
  /// x = (f − clock_min)/bin_Hz, i = ⌊min(x, last_bin)⌋.
  struct Grid {
    const double* V;
    const double* slope_V;
    double clock_min_Hz, last_bin;
    /// The same as voltage(). @pre the clock is at least clock_min_Hz
    TIDEWATT_INLINE Voltage voltage(double clock_Hz) const {
      constexpr double per_bin = 1.0 / bin_Hz;
      const double x = (clock_Hz - clock_min_Hz) * per_bin;
      const auto i = static_cast<std::int32_t>(x < last_bin ? x : last_bin);
      return {std::fma(x - i, slope_V[i], V[i]), slope_V[i] * per_bin};
    }
    /// The same, at any clock.
    TIDEWATT_INLINE Voltage voltage_at(double clock_Hz) const {
      constexpr double per_bin = 1.0 / bin_Hz;
      const double x = (clock_Hz - clock_min_Hz) * per_bin, most = x < last_bin ? x : last_bin;
      const auto i = static_cast<std::int32_t>(most > 0.0 ? most : 0.0);
      return {std::fma(x - i, slope_V[i], V[i]), slope_V[i] * per_bin};
    }
  };
  Grid grid() const { return {grid_.data(), slope_.data(), clock_min_Hz_, static_cast<double>(last_bin_)}; }
  /// Its leakage, for loops.
  TIDEWATT_INLINE LeakageLaw leakage() const {
    return {p_.leakage_per_K, p_.leakage_ref_K, p_.leakage_W, p_.leakage_per_V, p_.voltage_ref_V};
  }
  /// Its switching power, for loops.
  TIDEWATT_INLINE SwitchingLaw switching() const { return {p_.dynamic_W, p_.voltage_ref_V, p_.dynamic_ref_Hz}; }
  /// Leakage at this voltage over that at voltage_ref_V, dimensionless. @param V volts
  TIDEWATT_INLINE double leakage_voltage_factor(double V) const { return leakage().voltage_factor(V); }
  /// Leakage at this temperature over that at leakage_ref_K, dimensionless.
  TIDEWATT_INLINE double leakage_temperature_factor(double die_K) const { return leakage().temperature_factor(die_K); }
  /// Switching power at activity 1, W.
  TIDEWATT_INLINE double dynamic_W(double V, double clock_Hz) const { return switching().at_W(V, clock_Hz); }
  /// Power of the nominal board where nothing switches and no memory or link moves data, W. @param V volts
  TIDEWATT_INLINE double still_W(double V, double die_K, double leakage_ratio = 1.0) const {
    return p_.board_W + leakage_ratio * (p_.leakage_W * leakage_voltage_factor(V) * leakage_temperature_factor(die_K));
  }
  /// Power of the nominal board in one state, W. @param activity of the core  @param hbm_frac of full memory bandwidth
  /// @param leakage_ratio of the leakage that is left: rest_leakage_ratio without a context
  TIDEWATT_INLINE double state_W(double V, double clock_Hz, double die_K, double activity, double hbm_frac,
                                 double leakage_ratio = 1.0) const {
    return still_W(V, die_K, leakage_ratio) + activity * dynamic_W(V, clock_Hz) + hbm_frac * p_.hbm_W;
  }
  /// The activity at which `state_W` is this power, without memory traffic; dimensionless.
  TIDEWATT_INLINE double activity_at(double power_W, double V, double clock_Hz, double die_K) const {
    return (power_W - still_W(V, die_K)) / dynamic_W(V, clock_Hz);
  }
  /// Lowest clock of the V/f table.
  double clock_min_Hz() const { return clock_min_Hz_; }
  /// Clock without a CUDA context, inside the table.
  double idle_clock_Hz() const { return p_.idle_clock_Hz > clock_min_Hz_ ? p_.idle_clock_Hz : clock_min_Hz_; }
  /// Highest clock of the V/f table.
  double clock_max_Hz() const { return clock_max_Hz_; }
  const GpuPowerParams& params() const { return p_; }

 private:
  double rest_leakage_ratio_at_reading() const;
  GpuPowerParams p_;
  double clock_min_Hz_, clock_max_Hz_;
  std::int32_t last_bin_;
  std::vector<double> grid_, slope_;  // V at each bin, V per bin
};

/// The chip with index `entity` of a fleet: a pure function of (seed, entity).
TIDEWATT_API Chip draw_chip(const SiliconSpreadParams& spread, std::uint64_t seed, std::uint64_t entity);
/// Thermal resistance of package `entity` ÷ nominal.
TIDEWATT_API double draw_resistance_ratio(const SiliconSpreadParams& spread, std::uint64_t seed, std::uint64_t entity);

/// Dependence of a package's thermal resistance on its place.
struct TIDEWATT_API PositionSpreadParams {
  double node_correlation_ratio;              ///< share of the variance that all GPUs of a node have in common
  std::vector<double> slot_resistance_ratio;  ///< [slot] of the chassis ÷ nominal, the same in every node; empty: 1
  void fields(FieldVisitor& v);
};

/// Thermal resistance of the package in `slot` of `node` ÷ nominal:
///
///     r = r_slot exp(σ (√ρ z_node + √(1 − ρ) z_own)),   z truncated as in SiliconSpreadParams
///
/// ρ = 0 and no slot ratios give draw_resistance_ratio of entity node · n_slot + slot.
TIDEWATT_API double draw_resistance_ratio(const SiliconSpreadParams& spread, const PositionSpreadParams& position,
                                          std::uint64_t seed, std::uint64_t node, std::uint64_t slot,
                                          std::uint64_t n_slot);

}  // namespace TIDEWATT_NAMESPACE::power
