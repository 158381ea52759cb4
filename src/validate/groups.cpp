#include "groups.hpp"

namespace TIDEWATT_NAMESPACE::validate {

std::vector<NamedGroup> groups() {
  return {{"workload", workload_rows}, {"power", power_rows},     {"chips", chips_rows},
          {"thermal", thermal_rows},   {"diurnal", diurnal_rows}, {"plant", plant_rows},
          {"grid", grid_rows},         {"racks", racks_rows},     {"evidence", evidence_rows}};
}

}  // namespace TIDEWATT_NAMESPACE::validate
