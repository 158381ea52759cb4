#include "groups.hpp"

namespace tidewatt::validate {

std::vector<Row> diurnal_rows(const Context&) { return {}; }

}  // namespace tidewatt::validate
