#include "groups.hpp"

namespace tidewatt::validate {

std::vector<Row> workload_rows(const Context& context) { return reliability_rows(context); }

}  // namespace tidewatt::validate
