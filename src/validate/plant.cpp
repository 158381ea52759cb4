#include "groups.hpp"

namespace tidewatt::validate {

std::vector<Row> plant_rows(const Context&) { return {}; }

}  // namespace tidewatt::validate
