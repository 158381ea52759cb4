#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tidewatt/base/named_array.hpp"

namespace TIDEWATT_NAMESPACE::io {

/// A result file, opened for reading: the one reader of the command line, Python and reports. The file's hash is checked
/// before HDF5 reads the bytes (verified_file.hpp); they are then read from memory, so that later changes of the file do
/// not matter.
class ResultFile {
 public:
  /// @throws InputError if the file cannot be read or is no result  @throws CorruptFileError if it is not as written
  explicit ResultFile(const std::string& path);
  ~ResultFile();
  ResultFile(ResultFile&&) noexcept;

  const std::string& path() const { return path_; }
  /// Every array outside `/provenance`, in the order of the file; `values` are empty until `read`.
  /// The unit of an array called `time` is "seconds since <start_time>".
  const std::vector<NamedArray>& arrays() const { return arrays_; }
  /// An array with its values; they are read at the first call and stay where they are. Not for several threads at once.
  /// @returns null if there is none of that path  @throws CorruptFileError if HDF5 cannot read it
  const NamedArray* read(const std::string& path);
  const std::string& summary_json() const { return summary_json_; }
  /// What `tidewatt run` printed of it: sentences, then a table.
  const std::string& summary_text() const { return summary_text_; }
  const std::string& payload_sha256() const { return payload_sha256_; }
  const std::vector<std::pair<std::string, std::string>>& provenance() const { return provenance_; }
  /// Writes the same bytes under another name, completely or not at all. @throws OutputError
  void copy_to(const std::string& path) const;

 private:
  struct Tree;
  std::string path_, summary_json_, summary_text_, payload_sha256_;
  std::vector<NamedArray> arrays_;
  std::vector<bool> is_read_;  ///< [array]
  std::vector<std::pair<std::string, std::string>> provenance_;
  std::unique_ptr<Tree> tree_;
};

}  // namespace TIDEWATT_NAMESPACE::io
