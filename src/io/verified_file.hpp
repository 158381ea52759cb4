#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::io {

/// A file is not, bit for bit, what tidewatt wrote. Exit code 2.
class CorruptFileError : public InputError {
 public:
  /// @param why one line: the error of the file and its possible cause
  CorruptFileError(const std::string& path, const std::string& why);
};

/// The last line of a result file. It comes after the end of the HDF5 data, where HDF5 and netCDF readers do not look:
///
///     "\ntidewatt result 1 sha256 "  SHA-256 of every byte before its first digit (64 digits)  "\n"
///
/// @param image the file without this line  @throws OutputError if SHA-256 fails
std::string seal(std::string_view image);

/// The bytes of a result file without its seal. The hash is checked before anything else looks at them.
/// @throws InputError if the file cannot be read  @throws CorruptFileError if it is not as written
std::string read_sealed(const std::string& path);

/// Checks a file of any kind that `run` writes: a result or a checkpoint.
/// @returns its type: "result" or "checkpoint"
/// @throws InputError if the file cannot be read  @throws CorruptFileError if it is not as written, or of no known kind
std::string verify_file(const std::string& path);

}  // namespace TIDEWATT_NAMESPACE::io
