#include "groups.hpp"

namespace tidewatt::validate {

std::vector<Row> power_rows(const Context& context) { return training_log_rows(context); }

}  // namespace tidewatt::validate
