#pragma once
#include <string>
#include <vector>

#include "tidewatt/base/version.hpp"
#include "tidewatt/sim/result.hpp"

namespace TIDEWATT_NAMESPACE::io {

/// A result as one HDF5 file in netCDF-4 conventions: `xarray.open_dataset(path, group="day")` opens each group with
/// dimensions, `units` and `long_name`.
///
/// * Every dimension has an attached dimension scale: the array of its name in the same group, or a bare one. An array
///   called `time` has units "seconds since <start_time>", from the provenance text of that name (local standard time
///   without an offset, e.g. "2023-07-20 00:00:00").
/// * float64 and int64 little-endian, in chunks along the first dimension with fletcher32 (single values and empty
///   arrays without), shuffled and deflated (level 1) above 1 KiB. Text is UTF-8 and variable in length; HDF5 1.10 has
///   no filter for it, the hash at the file's end covers it. The file's own structure carries HDF5's checksums.
/// * On `/`: each summary figure as an attribute (null is left out, a list of pairs is JSON text), all of them as
///   `summary_json`, and `payload_sha256` (payload_hash.hpp).
/// * `/provenance`: texts of one line as attributes, longer ones (the scenario) as scalar text of that name.
/// * After the HDF5 data, one line with the SHA-256 of the whole file: tidewatt reads a file only if
///   it matches; other HDF5 and netCDF readers ignore it.
/// * No times of creation: equal results and equal provenance make equal files.
class TIDEWATT_API Hdf5Sink final : public sim::RecordSink {
 public:
  /// @param path the file to make or replace; its folder exists.
  explicit Hdf5Sink(std::string path) : path_(std::move(path)) {}

  /// Builds the file in memory and writes it as `write_durably` says.
  /// @throws OutputError on anything that cannot be represented or written; no half-written file is left.
  void write(const sim::Result& result) override;

 private:
  std::string path_;
};

/// The bytes of that file. @throws OutputError.
TIDEWATT_API std::vector<char> hdf5_image(const sim::Result& result);

}  // namespace TIDEWATT_NAMESPACE::io
