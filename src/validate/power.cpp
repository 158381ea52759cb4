#include "groups.hpp"

namespace tidewatt::validate {

std::vector<Row> power_rows(const Context&) { return {}; }

}  // namespace tidewatt::validate
