#pragma once
#include <string_view>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// Why an evidence row likely misses, and what would mend it; empty if nothing is known.
std::string_view likely_cause(std::string_view id);

}  // namespace TIDEWATT_NAMESPACE::validate
