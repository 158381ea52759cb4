#include "groups.hpp"

namespace tidewatt::validate {

std::vector<Row> workload_rows(const Context&) { return {}; }

}  // namespace tidewatt::validate
