#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hdf5_handle.hpp"

namespace TIDEWATT_NAMESPACE::io::hdf5 {

/// What all values of a file may take in memory: eight times its bytes, and 32 MiB. With the file itself and buffers, a reader
/// stays below ten times the file and 64 MB. The writer leaves out compression where it would shrink the file below that
/// (hdf5_sink.cpp).
constexpr std::uint64_t most_value_bytes(std::uint64_t file_bytes) {
  return 8 * file_bytes + (std::uint64_t{32} << 20U);
}

/// What one value takes: a number 8 bytes, a text its object.
constexpr std::uint64_t number_bytes = 8, text_bytes = 64;

/// What the gate has let through.
struct Admitted {
  std::vector<std::string> datasets;  ///< paths, "/day/time", in the order of the file where it knows it, else by name
  std::map<std::uint64_t, std::string> at;  ///< path by address in the file, which object references hold
  std::uint64_t value_bytes = 0;            ///< of all values in memory, at least
};

/// Holds a file against what the writer makes, before anything else looks at its objects. Reads descriptions only, and follows
/// nothing but hard links:
///
///     groups     hard links of plain names, at most `/job/NAME/ARRAY` deep; every object once
///     datasets   rank <= 2, constant extents; doubles, 64-bit integers or texts, little-endian; contiguous or in chunks of numbers;
///                no filter but shuffle, deflate and fletcher32; no external files, no virtual dataset, no fill value of its own
///     attributes known names; one text or number. Lists of references are of the dataset's rank and are not followed
///     size       values fit into `most_value_bytes`
///
/// @throws OutputError with the path inside the file and the reason
Admitted admit(hid_t file, std::uint64_t file_bytes);

}  // namespace TIDEWATT_NAMESPACE::io::hdf5
