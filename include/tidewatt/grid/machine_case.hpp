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
  std::vector<double> number;  ///< names of the buses
  std::vector<double> load_W;  ///< drawn at the power-flow voltage
  std::vector<double> load_var;
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
  std::vector<double> from, to;
  std::vector<double> r_pu, x_pu, b_pu;
  std::vector<double> tap_ratio;
  void fields(FieldVisitor& v);
};

/// Synchronous machines, one entry each; reactances and times on the machine's own rating.
struct TIDEWATT_API MachineParams {
  std::vector<double> bus;
  std::vector<double> rating_VA;
  std::vector<double> power_W;     ///< dispatched; the slack machine's follows from the power flow
  std::vector<double> voltage_pu;  ///< set point at its terminals in the power flow
  std::vector<double> inertia_s;
  std::vector<double> damping_pu;  ///< D: torque per unit of speed
  std::vector<double> armature_pu;
  std::vector<double> leakage_pu;
  std::vector<double> d_pu, d_transient_pu, d_subtransient_pu;
  std::vector<double> q_pu, q_transient_pu, q_subtransient_pu;
  std::vector<double> d_transient_s, d_subtransient_s;  ///< open-circuit times; subtransient 0: no damper there
  std::vector<double> q_transient_s, q_subtransient_s;  ///< 0: no such winding
  double saturation_pu = 0.0;                           ///< A of ψ_I = A e^{B (ψ − T)}; 0: none
  double saturation_slope = 0.0;                        ///< B
  double saturation_knee_pu = 0.0;                      ///< T
  void fields(FieldVisitor& v);
};

/// Excitation, the same for all machines of a case.
///
///     manual: constant field voltage
///     static: T_R v' = |V| − v;  E = K (1 + T_C s)/(1 + T_B s)/(1 + T_A s) (v_ref − v)
///     dc1a:   T_A r' = K (v_ref − v − f) − r;  T_E E' = r − (K_E + A_E e^{B_E E}) E;  f = K_F/T_F (E − w), T_F w' = E − w
struct TIDEWATT_API ExciterParams {
  std::string kind = "manual";
  double gain_pu = 0.0, sensor_s = 0.0, regulator_s = 0.0;
  double lead_s = 0.0, lag_s = 0.0;                                                       ///< static only; lag 0: none
  double exciter_s = 0.0, exciter_pu = 0.0, saturation_pu = 0.0, saturation_slope = 0.0;  ///< dc1a
  double feedback_pu = 0.0, feedback_s = 0.0;                                             ///< dc1a
  void fields(FieldVisitor& v);
};

/// Governor and turbine, droop per machine (0: constant mechanical power).
///
///     T_1 g' = −Δω/R − g;   T_3 w' = g − w;   P_m = P_0 + w + (T_2/T_3)(g − w)
struct TIDEWATT_API GovernorParams {
  std::vector<double> droop_pu;  ///< empty: none has a governor
  double valve_s = 0.0, lead_s = 0.0, lag_s = 0.0;
  void fields(FieldVisitor& v);
};

/// A power system of several machines: everything that the power flow and the equations of motion need.
struct TIDEWATT_API MachineCase {
  double base_VA = 0.0;
  double nominal_Hz = 0.0;
  double slack_bus = 0.0;
  BusParams bus;
  LoadParams load;
  BranchParams branch;
  MachineParams machine;
  ExciterParams exciter;
  GovernorParams governor;
  void fields(FieldVisitor& v);  ///< the values of the table itself

  /// @param number name of a bus, whole and without a unit (a count); @returns its place in the lists
  std::size_t bus_index(double number) const;  ///< @throws InputError
  /// @throws InputError with everything that does not fit together
  void check() const;
};

/// Reads a case from a table such as a catalog entry of kind "grid_case". Errors are added to `findings`.
TIDEWATT_API MachineCase read_machine_case(const Node& node, const std::string& path, std::vector<Finding>& findings);

}  // namespace TIDEWATT_NAMESPACE::grid
