#pragma once
// Private to base: limits of TOML text for the parser.
#include <cstddef>
#include <string>
#include <string_view>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE {

inline constexpr int depth_limit = 64;                  ///< of tables and lists inside one another
inline constexpr std::size_t line_limit_B = 64u << 10;  ///< of one line

/// The parser takes time and stack for lines, keys and brackets that no person writes. They are refused before parsing.
/// @throws InputError with line and column
void check_toml_limits(std::string_view text, const std::string& file);

}  // namespace TIDEWATT_NAMESPACE
