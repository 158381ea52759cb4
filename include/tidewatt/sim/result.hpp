#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tidewatt/base/named_array.hpp"
#include "tidewatt/base/version.hpp"
#include "tidewatt/grid/compliance.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// A figure of the summary; `monostate` prints as null.
using Value = std::variant<std::monostate, double, std::int64_t, std::string,
                           std::vector<std::pair<std::string, double>>, std::vector<std::int64_t>>;

/// Result of a run; read-only.
struct TIDEWATT_API Result {
  std::vector<NamedArray> arrays;                               ///< those outside /provenance enter the payload's hash
  std::vector<std::pair<std::string, Value>> summary;           ///< the figures of `run --json`, in print order
  std::vector<grid::ComplianceReport> compliance;               ///< one per rule set of the site
  std::vector<std::pair<std::string, std::string>> provenance;  ///< scenario text, seed, version, wall time, threads
  std::vector<std::vector<std::pair<std::string, Value>>> jobs{};  ///< [job] its own figures, in print order
};

/// Destination of a result. Implemented by `io`; `sim` knows no file format.
class TIDEWATT_API RecordSink {
 public:
  virtual ~RecordSink() = default;
  /// @throws OutputError; an incomplete result never has its final name.
  virtual void write(const Result& result) = 0;
};

}  // namespace TIDEWATT_NAMESPACE::sim
