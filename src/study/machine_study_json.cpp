#include <nlohmann/json.hpp>

#include "machine_study.hpp"

namespace TIDEWATT_NAMESPACE::study {

std::string machines_json(const MachineRun& run) {
  const auto& r = run.response;
  nlohmann::ordered_json o{{"case", run.options.grid_case},
                           {"bus", run.bus},
                           {"window", run.window},
                           {"begin_s", run.first_s},
                           {"length_s", run.length_s},
                           {"left_out_slower_s", r.left_out_slower_s},
                           {"voltage_lowest_pu", r.voltage_lowest_pu},
                           {"voltage_highest_pu", r.voltage_highest_pu},
                           {"peak_to_peak_deg", r.peak_to_peak_rad * 57.29577951308232}};
  for (const auto& m : r.machines)
    o["machines"].push_back({{"bus", m.bus},
                             {"peak_to_peak_mHz", m.peak_to_peak_Hz * 1e3},
                             {"lowest_mHz", m.lowest_Hz * 1e3},
                             {"highest_mHz", m.highest_Hz * 1e3},
                             {"rms_mHz", m.rms_Hz * 1e3}});
  for (const auto& e : r.modes)
    o["modes"].push_back({{"frequency_Hz", e.mode.frequency_Hz},
                          {"damping_percent", 100.0 * e.mode.damping_frac},
                          {"line_Hz", e.line_Hz},
                          {"line_MW", e.line_W * 1e-6},
                          {"deviation_mHz", e.deviation_Hz * 1e3}});
  for (const auto& s : run.shafts)
    o["shafts"].push_back({{"frequency_Hz", s.mode.frequency_Hz},
                           {"equivalent_MW", s.equivalent_W * 1e-6},
                           {"at_s", run.first_s + static_cast<double>(s.at_bin) * run.step_s}});
  return o.dump();
}

std::string sweep_json(const PeriodSweep& sweep) {
  nlohmann::ordered_json o{{"case", sweep.options.grid_case},
                           {"bus", sweep.bus},
                           {"worst_period_s", sweep.worst_s},
                           {"worst_mHz", 1e3 * sweep.worst_Hz},
                           {"swing_within_deadband_MW", sweep.within_deadband_W * 1e-6}};
  for (const auto& m : sweep.modes)
    o["modes"].push_back({{"frequency_Hz", m.frequency_Hz}, {"damping_percent", 100.0 * m.damping_frac}});
  for (const auto& b : sweep.buses)
    o["buses"].push_back({{"bus", b.bus}, {"peak_to_peak_mHz", 1e3 * b.peak_to_peak_Hz}});
  return o.dump();
}

}  // namespace TIDEWATT_NAMESPACE::study
