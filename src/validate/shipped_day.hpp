#pragma once
#include <string>
#include <vector>

#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// scenarios/llama3_405b_day.toml with overrides. @param set key=value  @param more TOML behind the file's  @throws InputError for a wrong one
sim::Scenario shipped_day(std::vector<std::string> set, const std::string& more = "");

}  // namespace TIDEWATT_NAMESPACE::validate
