#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/node.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// Buses and what is connected to them besides machines; one entry per bus in each list.
struct TIDEWATT_API BusParams {
  std::vector<double> number;     ///< names of the buses
  std::vector<double> load_W;     ///< drawn at the power-flow voltage
  std::vector<double> load_var;   ///< reactive load
  std::vector<double> shunt_var;  ///< capacitors at nominal voltage, > 0: they feed reactive power
  void fields(FieldVisitor& v);
};

/// Shares of the loads; the rest draws a constant impedance.
struct TIDEWATT_API LoadParams {
  double active_power_frac = 0.0;      ///< constant active power
  double active_current_frac = 0.0;    ///< constant active current
  double reactive_power_frac = 0.0;    ///< constant reactive power
  double reactive_current_frac = 0.0;  ///< constant reactive current
  void fields(FieldVisitor& v);
};

/// Lines and transformers as π circuits on the case's base; the tap is at the `from` end.
struct TIDEWATT_API BranchParams {
  std::vector<double> from;       ///< bus numbers
  std::vector<double> to;         ///< bus numbers
  std::vector<double> r_pu;       ///< series resistance on the case's base
  std::vector<double> x_pu;       ///< series reactance
  std::vector<double> b_pu;       ///< charging susceptance of the whole line
  std::vector<double> tap_ratio;  ///< voltage ratio at the from end, 1: line
  void fields(FieldVisitor& v);
};

/// Synchronous machines, one entry each; reactances and times on the machine's own rating.
struct TIDEWATT_API MachineParams {
  std::vector<double> bus;                ///< bus numbers
  std::vector<double> rating_VA;          ///< base of the machine's own values
  std::vector<double> power_W;            ///< dispatched; the slack machine's follows from the power flow
  std::vector<double> voltage_pu;         ///< set point at its terminals in the power flow
  std::vector<double> inertia_s;          ///< H
  std::vector<double> damping_pu;         ///< D: torque per unit of speed
  std::vector<double> armature_pu;        ///< R_a
  std::vector<double> leakage_pu;         ///< X_l
  std::vector<double> d_pu;               ///< X_d
  std::vector<double> d_transient_pu;     ///< X'_d
  std::vector<double> d_subtransient_pu;  ///< X''_d
  std::vector<double> q_pu;               ///< X_q
  std::vector<double> q_transient_pu;     ///< X'_q
  std::vector<double> q_subtransient_pu;  ///< X''_q
  std::vector<double> d_transient_s;      ///< T'_d0
  std::vector<double> d_subtransient_s;   ///< T''_d0; 0: no damper
  std::vector<double> q_transient_s;      ///< T'_q0; 0: no such winding
  std::vector<double> q_subtransient_s;   ///< T''_q0; 0: no such winding
  double saturation_pu = 0.0;             ///< A of ψ_I = A e^{B (ψ − T)}; 0: none
  double saturation_slope = 0.0;          ///< B
  double saturation_knee_pu = 0.0;        ///< T
  void fields(FieldVisitor& v);
};

/// Excitation, the same for all machines of a case.
///
///     manual: constant field voltage
///     static: T_R v' = |V| − v;  E = K (1 + T_C s)/(1 + T_B s)/(1 + T_A s) (v_ref − v)
///     dc1a:   T_A r' = K (v_ref − v − f) − r;  T_E E' = r − (K_E + A_E e^{B_E E}) E;  f = K_F/T_F (E − w), T_F w' = E − w
struct TIDEWATT_API ExciterParams {
  std::string kind = "manual";    ///< how the field is fed
  double gain_pu = 0.0;           ///< K_A
  double sensor_s = 0.0;          ///< T_R
  double regulator_s = 0.0;       ///< T_A
  double lead_s = 0.0;            ///< T_C
  double lag_s = 0.0;             ///< T_B
  double exciter_s = 0.0;         ///< T_E
  double exciter_pu = 0.0;        ///< K_E
  double saturation_pu = 0.0;     ///< A_E
  double saturation_slope = 0.0;  ///< B_E
  double feedback_pu = 0.0;       ///< K_F
  double feedback_s = 0.0;        ///< T_F
  void fields(FieldVisitor& v);
};

/// Governor and turbine, droop per machine (0: constant mechanical power).
///
///     T_1 g' = −Δω/R − g;   T_3 w' = g − w;   P_m = P_0 + w + (T_2/T_3)(g − w)
struct TIDEWATT_API GovernorParams {
  std::vector<double> droop_pu;  ///< empty: none has a governor
  double valve_s = 0.0;          ///< T_1
  double lead_s = 0.0;           ///< T_2
  double lag_s = 0.0;            ///< T_3
  void fields(FieldVisitor& v);
};

/// A power system of several machines: everything that the power flow and the equations of motion need.
struct TIDEWATT_API MachineCase {
  double base_VA = 0.0;          ///< base of the network's per-unit values
  double nominal_Hz = 0.0;       ///< nominal frequency
  double slack_bus = 0.0;        ///< bus of the machine that balances the power flow
  BusParams bus;                 ///< buses, a list of values per key
  LoadParams load;               ///< loads
  BranchParams branch;           ///< lines and transformers
  MachineParams machine;         ///< synchronous machines
  ExciterParams exciter;         ///< exciters, of all machines
  GovernorParams governor;       ///< speed governors, of all machines
  void fields(FieldVisitor& v);  ///< the values of the table itself

  /// @param number name of a bus, whole and without a unit (a count); @returns its place in the lists
  std::size_t bus_index(double number) const;  ///< @throws InputError
  /// @throws InputError with everything that does not fit together
  void check() const;
};

/// Reads a case from a table such as a catalog entry of kind "grid_case". Errors are added to `findings`.
TIDEWATT_API MachineCase read_machine_case(const Node& node, const std::string& path, std::vector<Finding>& findings);

}  // namespace TIDEWATT_NAMESPACE::grid
