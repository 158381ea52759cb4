#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "tidewatt/base/node.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE {

/// Longest name, in characters.
inline constexpr std::size_t name_limit = 64;

/// Whether `text` can name a job, hall, window, rule, event, neighbour, mitigation or catalog entry: 1 to 64 letters (a–z,
/// A–Z), digits, `_` and `-`. Names become groups in result files, parts of file names and of key paths.
bool is_name(std::string_view text);

/// Adds a finding at `node` if it is a text that is no name. Other values are left to the reader.
/// @param key full key path of the name
void check_name(const Node& node, const std::string& key, std::vector<Finding>& findings);

}  // namespace TIDEWATT_NAMESPACE
