#pragma once
#include <string>
#include <utility>
#include <vector>

#include "result_contents.hpp"
#include "tidewatt/base/named_array.hpp"

namespace TIDEWATT_NAMESPACE::io {

/// A result file, opened for reading: the one reader of the command line, Python and reports. The file's hash is checked
/// first (verified_file.hpp); the bytes are then read from memory, so that later changes of the file do not matter. A hash that
/// fits buys no trust: HDF5 reads the bytes in a child process with limits (result_contents.hpp).
class ResultFile {
 public:
  /// @throws InputError if the file cannot be read or is no result  @throws CorruptFileError if it is not as written
  explicit ResultFile(const std::string& path);

  const std::string& path() const { return path_; }
  /// Every array outside `/provenance`, in the order of the file; `values` are empty until `read`.
  /// The unit of an array called `time` is "seconds since <start_time>".
  const std::vector<NamedArray>& arrays() const { return contents_.arrays; }
  /// An array with its values; they are read at the first call and stay where they are. Not for several threads at once.
  /// @returns null if there is none of that path  @throws CorruptFileError if HDF5 cannot read it
  const NamedArray* read(const std::string& path);
  const std::string& summary_json() const { return contents_.summary_json; }
  /// What `tidewatt run` printed of it: sentences, then a table.
  const std::string& summary_text() const { return contents_.summary_text; }
  const std::string& payload_sha256() const { return contents_.payload_sha256; }
  const std::vector<std::pair<std::string, std::string>>& provenance() const { return contents_.provenance; }
  /// Writes the same bytes under another name, completely or not at all. @throws OutputError
  void copy_to(const std::string& path) const;

 private:
  std::string path_, image_;  ///< the file's bytes without the seal
  ResultContents contents_;
  std::vector<bool> is_read_;  ///< [array]
};

}  // namespace TIDEWATT_NAMESPACE::io
