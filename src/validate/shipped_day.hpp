#pragma once
#include <string>
#include <vector>

#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// scenarios/llama3_405b_day.toml with overrides. @param set key=value  @throws InputError for a wrong one
sim::Scenario shipped_day(std::vector<std::string> set);

}  // namespace TIDEWATT_NAMESPACE::validate
