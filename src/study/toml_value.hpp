#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "tidewatt/base/node.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// Is it a number, a text or a truth value?
bool is_plain(const Node& node);

/// The value of a quoted TOML text; anything else as written.
std::string text_of(const std::string& toml);

/// A value as TOML text that reads back the same: shortest decimals, quoted text.
std::string toml_value(const Node& node);
std::string toml_value(double x);
std::string toml_value(std::int64_t i);
std::string toml_value(std::string_view text);

}  // namespace TIDEWATT_NAMESPACE::study
