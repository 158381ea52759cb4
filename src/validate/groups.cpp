#include "groups.hpp"

namespace tidewatt::validate {

std::vector<NamedGroup> groups() {
  return {{"workload", workload_rows}, {"power", power_rows}, {"thermal", thermal_rows},
          {"diurnal", diurnal_rows},   {"plant", plant_rows}, {"grid", grid_rows}};
}

}  // namespace tidewatt::validate
