#include "groups.hpp"

namespace tidewatt::validate {

std::vector<Row> grid_rows(const Context& context) { return delivery_rows(context); }

}  // namespace tidewatt::validate
