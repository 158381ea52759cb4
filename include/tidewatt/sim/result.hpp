#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tidewatt/base/version.hpp"
#include "tidewatt/grid/compliance.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// One result array. Time is the first dimension. A dimension `time` of a group has its own array of that name,
/// in seconds since the start of the run, with CF units.
struct TIDEWATT_API Array {
  std::string path;               ///< "/day/clock_mean_Hz"
  std::vector<std::string> dims;  ///< names of the dimensions, e.g. {"time"}; scales live in the same group
  std::vector<std::uint64_t> shape;
  std::variant<std::vector<double>, std::vector<std::int64_t>, std::vector<std::string>> values;
  std::string unit;       ///< CF unit text, "1" for ratios
  std::string long_name;  ///< one plain phrase
  template <class A>
  void archive(A& a) {
    std::size_t which = values.index();
    a(path, dims, shape, which, unit, long_name);
    if constexpr (A::reads) {
      if (which == 0) values = std::vector<double>{};
      if (which == 1) values = std::vector<std::int64_t>{};
      if (which == 2) values = std::vector<std::string>{};
    }
    std::visit([&](auto& v) { a(v); }, values);
  }
};

/// A figure of the summary; `monostate` prints as null.
using Value =
    std::variant<std::monostate, double, std::int64_t, std::string, std::vector<std::pair<std::string, double>>>;

/// All that a run leaves behind; read-only once made.
struct TIDEWATT_API Result {
  std::vector<Array> arrays;                                       ///< hashed, outside /provenance
  std::vector<std::pair<std::string, Value>> summary;              ///< the figures of `run --json`, in print order
  std::vector<grid::ComplianceReport> compliance;                  ///< one per rule set of the site
  std::vector<std::pair<std::string, std::string>> provenance;     ///< scenario text, seed, version, wall time, threads
  std::vector<std::vector<std::pair<std::string, Value>>> jobs{};  ///< [job] its own figures, in print order
};

/// Where a result goes. Implemented by `io`; `sim` knows no file format.
class TIDEWATT_API RecordSink {
 public:
  virtual ~RecordSink() = default;
  /// @throws OutputError; a half-written result is never left under its final name.
  virtual void write(const Result& result) = 0;
};

}  // namespace TIDEWATT_NAMESPACE::sim
