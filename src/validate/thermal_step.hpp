#pragma once
#include "row.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// T3: step response of one air-cooled node, read through a thermometer of 1 K.
void step_rows(std::vector<Row>& rows);

/// A year of hourly temperatures predicted from the year before.
void hourly_rows(const Context& context, std::vector<Row>& rows);

}  // namespace TIDEWATT_NAMESPACE::validate
