#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// The network beyond the point of common coupling, as a voltage source with an impedance.
struct TIDEWATT_API SourceParams {
  double nominal_V = 0.0;         ///< line to line, at the connection
  double short_circuit_VA = 0.0;  ///< three-phase short-circuit power at the connection
  double x_over_r_ratio = 0.0;    ///< reactance over resistance of the network
  double source_pu = 1.0;         ///< source voltage, relative to nominal
  void fields(FieldVisitor& v);
};

/// Lowest and highest bus voltage of a stream. The source has no memory, so repetitions do not change them.
struct TIDEWATT_API VoltageMeters {
  double min_pu = 1e300;
  double max_pu = 0.0;
  template <class A>
  void archive(A& a) {
    a(min_pu, max_pu);
  }
};

/// Distance of a load from the largest load that its connection can carry.
struct TIDEWATT_API Loadability {
  double voltage_pu = 0.0;           ///< at the load
  double nose_W = 0.0;               ///< the most at the same power factor
  double margin_frac = 0.0;          ///< 1 − P/nose
  double droop_pu_per_W = 0.0;       ///< dv/dP at constant power factor, < 0; grows without bound towards the nose
  double short_circuit_ratio = 0.0;  ///< short-circuit power over the load's apparent power
};

/// Voltage at the connection of a constant-power load.
///
/// In per unit of nominal voltage and short-circuit power, |r + jx| = 1, x/r given, p and q drawn by the load:
///
///     u² + u (2 (r p + x q) − v_0²) + (p² + q²) = 0,   u = v²;   v² = b/2 + sqrt(b²/4 − p² − q²),  b = v_0² − 2 (r p +
///     x q)
///
/// The upper root is the operable one; no real root means that the load is beyond the voltage-stability limit.
/// Assumptions: balanced, quasi-steady (fundamental phasors: changes slower than a cycle or two), load power
/// independent of voltage (electronic supplies within their input range), no other load at the bus. Source: Kundur,
/// Power System Stability and Control, ch. 14.
class TIDEWATT_API Source {
 public:
  /// @throws InputError if a parameter is not positive (X/R may be 0)
  explicit Source(const SourceParams& params);

  /// Bus voltage, empty beyond the stability limit. @param p_W, q_var drawn from the bus, any sign
  std::optional<double> voltage_pu(double p_W, double q_var) const;
  /// A chunk. @param v_pu same length as p_W and q_var  @param first_bin absolute index of the first 1 ms bin, for
  /// messages
  /// @throws SolverError naming the first bin whose load is beyond the stability limit
  void voltage_pu(std::span<const double> p_W, std::span<const double> q_var, std::span<double> v_pu,
                  VoltageMeters& meters, std::int64_t first_bin = 0) const;
  /// The most that a load of constant q/p can draw (the nose of the curve): v_0²/2/(r + x t + sqrt(1 + t²)), t = q/p.
  double max_power_W(double q_over_p_ratio) const;

  /// The operating point of a load and how far it is from the nose.
  /// @throws RefusedError with load, short-circuit power, X/R and nose if the load is beyond the nose, or nearer to it than
  /// `least_margin_frac`. There a small change of power moves the voltage without bound. Constant-power supplies draw more
  /// current in a sag, so they have no stable operating point
  Loadability require(double p_W, double q_var, double least_margin_frac = 0.0) const;

  double r_pu() const { return r_pu_; }  ///< on short-circuit power
  /// Reactance on short-circuit power.
  double x_pu() const { return x_pu_; }

 private:
  [[noreturn]] void refuse(double p_W, double q_var, std::int64_t bin) const;
  double inverse_VA_;
  double r_pu_, x_pu_;
  double v0_squared_;
};

}  // namespace TIDEWATT_NAMESPACE::grid
