#pragma once
#include <complex>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "machine.hpp"
#include "numerics/ida.hpp"
#include "power_flow.hpp"
#include "tidewatt/grid/machine_case.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// A stretch of constant power drawn by the site on top of its bus's load.
struct SiteSegment {
  double duration_s = 0.0;
  double load_W = 0.0;
  double load_var = 0.0;
};

/// What the network did during a waveform.
struct SystemRun {
  std::vector<double> time_s;        ///< end of each segment
  std::vector<double> frequency_Hz;  ///< [segment × machine], row-major: deviation of each machine from nominal
  std::vector<double> angle_rad;     ///< [segment × machine]: rotor angle against the inertia-weighted mean
  std::vector<double> voltage_pu;    ///< at the site's bus
  std::vector<double> voltage_rad;   ///< its angle in the frame that turns at nominal frequency, −π to π
  long steps = 0;
};

/// Several machines, their controls, loads and the network as one system of differential and algebraic equations.
///
///     0 = Σ I_machine − I_load(V) − I_site(V) − Y V   at every bus
///
/// Values per machine: rotor and windings (see Machine), exciter and governor as far as the case has them; then stator
/// currents and air-gap fluxes; then the real and imaginary parts of the bus voltages. The site draws constant power.
/// Assumptions: balanced, fundamental phasors, network transients left out (valid below some 10 Hz), load frequency
/// dependence left out. Source: [@kundur], ch. 12.
class MachineSystem final : public numerics::DaeSystem {
 public:
  /// @param site_bus number of the bus where a site draws  @throws InputError, RefusedError (no operating point)
  /// The bus's number is a count, without a unit.
  MachineSystem(const MachineCase& c, double site_bus);

  void equations(double t_s, std::span<const double> y, std::span<double> out) const override;
  /// What the site draws from now on, on top of its bus's load, until set again.
  void set_site(double load_W, double load_var) { site_pu_ = {load_W / case_.base_VA, load_var / case_.base_VA}; }

  /// The state at rest, the site drawing nothing.
  /// @returns [n_state], per unit and rad, in the order of shape()
  const std::vector<double>& rest() const { return rest_; }
  /// Names, sizes and kinds of the values, [n_state]. @param rtol relative tolerance, dimensionless
  numerics::DaeShape shape(double rtol = 1e-6) const;
  const PowerFlow& power_flow() const { return flow_; }
  const MachineCase& machine_case() const { return case_; }

  /// Draws a waveform from rest (first segment's power from t = 0 on, as a step). @throws SolverError where the network
  /// cannot supply it or the machines fall apart; it says whether loads could still grow there, or the voltage curve has its nose
  SystemRun run(std::span<const SiteSegment> waveform, double rtol = 1e-6) const;

  std::size_t n_machine() const { return machines_.size(); }
  std::size_t angle_at(std::size_t machine) const { return at_[machine].first; }      ///< index in the state
  std::size_t speed_at(std::size_t machine) const { return at_[machine].first + 1; }  ///< index in the state
  /// Possible growth of all loads at a state, with constant fluxes and angles of the machines: 0 at the nose of the voltage
  /// curve,
  /// at most a tenth. @param y [n_state], pu and rad, in the order of shape()
  double load_room_frac(std::span<const double> y) const;
  std::size_t site_voltage_at() const { return bus_at_ + 2 * site_; }
  double inertia_frac(std::size_t machine) const;  ///< its share of the system's stored energy

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  struct Place {
    std::size_t first = 0, damper_d = none, damper_q = none, damper_q2 = none, exciter = none, sensor = none;
    std::size_t governor = none;
    std::size_t stator = 0, bus = 0;
  };
  std::size_t add(const std::string& name, double value, double typical, bool differential);
  void place(std::size_t machine);
  MachineValues values(std::span<const double> y, const Place& p) const;
  double field(std::span<const double> y, std::size_t machine) const;
  void exciter(std::span<const double> y, std::size_t machine, double v_pu, std::span<double> out) const;
  std::complex<double> load_current(std::size_t bus, std::complex<double> v) const;
  std::string why_stopped(std::span<const double> y, double time_s, const std::string& error) const;

  MachineCase case_;
  PowerFlow flow_;
  std::vector<std::complex<double>> Y_;
  std::vector<std::size_t> neighbour_, neighbour_begin_;  // buses with an admittance to each bus
  std::vector<Machine> machines_;
  std::vector<Place> at_;
  std::vector<double> field_pu_, mechanical_pu_, reference_pu_, droop_pu_, to_base_;
  std::size_t bus_at_ = 0, site_ = 0;
  std::complex<double> site_pu_ = 0.0;
  double load_ratio_ = 1.0;  // of all loads, to find their possible growth
  std::vector<double> rest_, typical_;
  std::vector<std::string> names_;
  std::vector<bool> differential_;
};

/// Merges edges closer together than `window_s` (design: 5 ms) so that energy stays exact: a run of short segments
/// becomes one of their mean power.
std::vector<SiteSegment> merge_edges(std::span<const SiteSegment> waveform, double window_s);

}  // namespace TIDEWATT_NAMESPACE::grid
