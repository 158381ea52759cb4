#include "diurnal_groups.hpp"
#include "groups.hpp"

namespace TIDEWATT_NAMESPACE::validate {

std::vector<Row> diurnal_rows(const Context&) {
  std::vector<Row> rows;
  day_rows(rows);
  clock_and_cap_rows(rows);
  return rows;
}

}  // namespace TIDEWATT_NAMESPACE::validate
