#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidewatt/base/named_array.hpp"

namespace TIDEWATT_NAMESPACE::io {

/// What a result file holds.
struct ResultContents {
  std::string summary_json, summary_text, payload_sha256;
  std::vector<std::pair<std::string, std::string>> provenance;
  std::vector<NamedArray> arrays;  ///< outside `/provenance`, in the order of the file
  bool has_values = false;         ///< the arrays' values are here, too: a file of moderate size
};

/// Reads a result from the bytes of a stranger: a child process with limits passes them through the gate (hdf5_gate.hpp), decodes
/// them and sends plain numbers and texts; HDF5 never sees them in this process.
/// @param image the file without its seal  @throws ChildError with the path inside the file and the reason
ResultContents read_contents(std::string_view image);

/// The values of one array of a larger file. @param array as `read_contents` gave it; takes the values  @throws ChildError
void read_values(std::string_view image, NamedArray& array);

}  // namespace TIDEWATT_NAMESPACE::io
