#pragma once
#include <string>
#include <string_view>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE {

/// Whether `text` is well-formed UTF-8 (RFC 3629): no overlong form, no surrogate, nothing above U+10FFFF.
bool is_utf8(std::string_view text);
/// `text` as a terminal and a JSON file can take it: control characters and bytes that are not UTF-8 as \xNN. Line ends and tabs stay.
std::string printable(std::string_view text);

}  // namespace TIDEWATT_NAMESPACE
