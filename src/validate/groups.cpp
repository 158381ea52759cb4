#include "groups.hpp"

#include <iterator>

#include "diurnal_groups.hpp"
#include "evidence_record.hpp"
#include "grid_rows.hpp"
#include "plant_rows.hpp"

namespace TIDEWATT_NAMESPACE::validate {

std::vector<Row> NamedGroup::rows(const Context& context) const {
  std::vector<Row> out;
  for (const Part part : parts) {
    auto more = part(context);
    out.insert(out.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  return out;
}

std::vector<NamedGroup> groups() {
  return {{"workload", {workload_a100_rows, workload_llama_rows, workload_memory_rows, reliability_rows}},
          {"power", {power_rows}},
          {"chips", {chips_rows, product_fit_rows}},
          {"thermal", {thermal_rows}},
          {"diurnal", {day_rows, interval_rows, clock_and_cap_rows}},
          {"plant", {plant_frontier_rows, plant_flow_rows, plant_reference_rows, plant_air_rows}},
          {"grid",
           {site_waveform_rows, flicker_rows, kundur_rows, new_england_rows, frequency_rows, ride_through_rows,
            event_rows, delivery_rows, simulator_rows}},
          {"racks", {racks_rows}},
          {"evidence", {evidence_training_rows, evidence_level_rows, evidence_kernel_rows, evidence_record_rows}},
          {"references", {reference_rows, reference_network_rows}}};
}

}  // namespace TIDEWATT_NAMESPACE::validate
