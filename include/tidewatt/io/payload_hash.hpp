#pragma once
#include <string>

#include "tidewatt/base/version.hpp"
#include "tidewatt/sim/result.hpp"

namespace TIDEWATT_NAMESPACE::io {

/// SHA-256 over every array outside `/provenance`, as 64 lower-case hexadecimal digits.
///
/// The bytes hashed are, with every integer `u64` = 8 bytes little-endian and `text` = u64 length in bytes, then UTF-8:
///
///     "tidewatt payload 1\n"
///     for each array in ascending order of the bytes of its path:
///       text path; text dtype ("f8", "i8" or "str"); u64 rank; u64 extent of each dimension;
///       each value in row-major order:
///         f8: IEEE 754 binary64, little-endian; every NaN as 0x7ff8000000000000; -0.0 stays -0.0
///         i8: two's complement, little-endian
///         str: text
///
/// Units, long names and dimension names are not part of it. `scripts/hash_result FILE` recomputes it from a file.
/// @throws OutputError if a shape and the number of values differ, or two arrays have the same path.
TIDEWATT_API std::string payload_sha256(const sim::Result& result);

}  // namespace TIDEWATT_NAMESPACE::io
