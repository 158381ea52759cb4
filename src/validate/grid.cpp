#include "grid_rows.hpp"
#include "groups.hpp"

namespace TIDEWATT_NAMESPACE::validate {

std::vector<Row> grid_rows(const Context& context) {
  std::vector<Row> out;
  const auto add = [&](std::vector<Row> rows) { out.insert(out.end(), rows.begin(), rows.end()); };
  add(site_waveform_rows());
  add(flicker_rows(context));
  add(machine_rows());
  add(frequency_rows());
  add(ride_through_rows());
  add(event_rows());
  add(delivery_rows(context));
  add(simulator_rows(context));
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::validate
