#pragma once
#include "row.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// 390 V100 under their power limit: the clock's slope against the die's temperature, and the slowest of them.
void longhorn_rows(const Context& context, std::vector<Row>& rows);

}  // namespace TIDEWATT_NAMESPACE::validate
