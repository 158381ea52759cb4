#pragma once
#include <complex>
#include <cstdint>
#include <string_view>
#include <vector>

#include "grid_modes.hpp"
#include "ring_down.hpp"
#include "supply_load.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// A site's supplies behind the impedance of their connection; the source's voltage and frequency are constant.
struct SupplyConnection {
  double nominal_Hz = 60.0;
  double rating_W = 0.0;          ///< rated power of the supplies
  double short_circuit_VA = 0.0;  ///< at the connection
  double x_over_r_ratio = 10.0;
  double source_pu = 1.0;   ///< voltage behind the impedance
  double gain_ratio = 1.0;  ///< loop gain of the supplies over their control's
  /// On the supplies' rating.
  std::complex<double> impedance_pu() const;
};

/// Modes of supplies at a load, rightmost first. @param load_W at the supplies  @throws RefusedError if there is no operating point
std::vector<GridMode> supply_modes(const SupplyControl& control, const SupplyConnection& at, double load_W);

/// What supplies do after the source's voltage was lower for 10 ms.
struct SupplyTrace {
  std::vector<double> time_s, power_W, voltage_pu, link_ratio;  ///< [row]; power and voltage at the connection
  bool empty = false;  ///< the links fell below a quarter of their energy: the trace ends there
};
/// By a Runge-Kutta rule of order 4 with equal steps of 50 us or shorter; rows are 1 ms apart.
/// @param dip_pu of the source's voltage, in pu  @throws RefusedError if there is no operating point
SupplyTrace supply_play(const SupplyControl& control, const SupplyConnection& at, double load_W, double dip_pu,
                        double length_s);

/// Frequency and damping of the oscillation that outlasts the others, from a simulation with a dip of 1e-4 pu.
/// @param load_W at the supplies  @throws RefusedError if there is no operating point
RingDown supply_ring_down(const SupplyControl& control, const SupplyConnection& at, double load_W);

/// Why a load cannot grow further.
enum class SupplyEnd : std::uint8_t { oscillates, drifts, nose, current_limit };
/// "oscillates", "drifts", "nose" or "current limit".
std::string_view name(SupplyEnd end);

/// The smallest load that is not stable.
struct SupplyOnset {
  SupplyEnd end = SupplyEnd::nose;
  double load_W = 0.0;        ///< at the supplies: where the mode's real part is 0, or the most that they can draw
  double frequency_Hz = 0.0;  ///< of the mode there; 0 for a nose or limit
  double most_W = 0.0;        ///< nose or current limit
};
/// By eigenvalues: loads from a fiftieth of the most on, then halving.
SupplyOnset supply_onset(const SupplyControl& control, const SupplyConnection& at);
/// The same by simulation alone.
SupplyOnset supply_onset_in_time(const SupplyControl& control, const SupplyConnection& at);

}  // namespace TIDEWATT_NAMESPACE::grid
