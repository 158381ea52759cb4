#pragma once
#include <fmt/format.h>

#include <iterator>
#include <string>
#include <utility>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// Appends formatted text.
template <class... Parts>
void say(std::string& out, fmt::format_string<Parts...> form, Parts&&... parts) {
  fmt::format_to(std::back_inserter(out), form, std::forward<Parts>(parts)...);
}

}  // namespace TIDEWATT_NAMESPACE::study
