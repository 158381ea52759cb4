#include "groups.hpp"

namespace tidewatt::validate {

std::vector<Row> workload_rows(const Context&) {
  std::vector<Row> rows = workload_a100_rows();
  for (const auto& more : {workload_llama_rows(), workload_memory_rows()})
    rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

}  // namespace tidewatt::validate
