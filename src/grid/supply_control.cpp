#include "supply_control.hpp"

namespace TIDEWATT_NAMESPACE::grid {

void SupplyControl::fields(FieldVisitor& v) {
  v.number("link_s", link_s, {0.001, 10}, "energy of the DC links over rated power");
  v.number("voltage_loop_Hz", voltage_loop_Hz, {0.1, 500},
           "crossover of the loop that holds the links' energy, at a loop gain of 1");
  v.number("voltage_loop_damping_ratio", voltage_loop_damping_ratio, {0.1, 5}, "damping of this loop without lags");
  v.number("link_filter_s", link_filter_s, {1e-4, 1},
           "lag of the measured link energy, which keeps the mains' ripple out of the loop");
  v.number("current_loop_Hz", current_loop_Hz, {5, 5000}, "crossover of the current loop");
  v.number("voltage_filter_s", voltage_filter_s, {1e-4, 1},
           "lag of the measured mains voltage, by which the order is divided");
  v.number("frame_loop_Hz", frame_loop_Hz, {0.05, 500}, "crossover of the loop that follows the mains' angle");
  v.number("frame_loop_damping_ratio", frame_loop_damping_ratio, {0.1, 5}, "damping of this loop");
  v.number("current_limit_pu", current_limit_pu, {0.1, 10}, "largest input current over the rated current");
  v.number("frequency_gain_pu", frequency_gain_pu, {0, 1000},
           "change of the load over rated power per change of frequency over nominal; 0: none");
  v.number("frequency_deadband_Hz", frequency_deadband_Hz, {0, 5}, "deviation of the frequency that the load ignores");
  v.number("frequency_filter_s", frequency_filter_s, {1e-3, 100}, "lag of the measured frequency");
  v.number("reactance_pu", reactance_pu, {0, 1},
           "transformers and feeders between connection and supplies, on rated power");
}

}  // namespace TIDEWATT_NAMESPACE::grid
