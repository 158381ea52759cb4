#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE {

/// Parts between separators, [n]; empty ones are kept.
std::vector<std::string> split(std::string_view text, char separator);
/// Without blanks at either end.
std::string_view trim(std::string_view text);
/// The first `max_chars` bytes and an ellipsis, for longer texts.
std::string shorten(std::string_view text, std::size_t max_chars);

/// Locale-independent, whole-string number; false if it is not one.
/// @param out the number, in any unit; unchanged if it is not one
bool parse_number(std::string_view text, double& out);

/// The known word closest to `word` by edit distance if it may be a slip; else one with whole words in common; else empty.
std::string nearest(std::string_view word, std::span<const std::string> known);

/// A whole regular file. @throws InputError if it is missing, not regular or larger than `max_bytes`.
std::string read_file(const std::string& path, std::uint64_t max_bytes);
/// The same for a TOML file: a result given in its place is named as one. @throws InputError as there, and for an HDF5 file
std::string toml_file_text(const std::string& path, std::uint64_t max_bytes);

}  // namespace TIDEWATT_NAMESPACE
