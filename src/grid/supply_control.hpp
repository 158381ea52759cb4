#pragma once
#include "tidewatt/base/fields.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// Input control of a site's power supplies, all of them as one converter. Everything per unit of their rated power.
struct SupplyControl {
  double link_s = 0.0;           ///< energy of the DC links over rated power
  double voltage_loop_Hz = 0.0;  ///< crossover of the loop that controls the links' energy
  double voltage_loop_damping_ratio = 0.0;
  double link_filter_s = 0.0;  ///< lag of its measurement: keeps the mains' ripple out
  double current_loop_Hz = 0.0;
  double voltage_filter_s = 0.0;  ///< lag of the measured mains voltage
  double frame_loop_Hz = 0.0;     ///< crossover of the loop that follows the mains' angle
  double frame_loop_damping_ratio = 0.0;
  double current_limit_pu = 0.0;   ///< of rated current
  double frequency_gain_pu = 0.0;  ///< change of the load over the change of frequency; 0: none
  double frequency_deadband_Hz = 0.0;
  double frequency_filter_s = 0.0;
  double reactance_pu = 0.0;  ///< transformers and feeders between connection and supplies
  void fields(FieldVisitor& v);
};

}  // namespace TIDEWATT_NAMESPACE::grid
