#include "power_groups.hpp"

namespace tidewatt::validate {

void node_power_rows(const Context&, std::vector<Row>&) {}

}  // namespace tidewatt::validate
