#include "groups.hpp"

namespace tidewatt::validate {

std::vector<Row> thermal_rows(const Context&) { return {}; }

}  // namespace tidewatt::validate
