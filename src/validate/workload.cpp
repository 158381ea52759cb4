#include "groups.hpp"

namespace TIDEWATT_NAMESPACE::validate {

std::vector<Row> workload_rows(const Context& context) {
  std::vector<Row> rows = workload_a100_rows();
  for (const auto& more : {workload_llama_rows(), workload_memory_rows(), reliability_rows(context)})
    rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

}  // namespace TIDEWATT_NAMESPACE::validate
