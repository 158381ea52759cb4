#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE {

/// Without blanks and control bytes at either end: programs fill lines, fields and files with NUL or 0x1A.
std::string_view bare(std::string_view text);

/// A text file that another program wrote: without a byte order mark of UTF-8 at its begin and without filling behind its last line.
/// @throws InputError as read_file, and for UTF-16
std::string read_text(const std::string& path, std::uint64_t max_bytes);

}  // namespace TIDEWATT_NAMESPACE
