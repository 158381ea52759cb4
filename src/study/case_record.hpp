#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidewatt/sim/result.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// Outcome of one case: its figures, or the error it failed with.
struct CaseRecord {
  std::size_t index = 0;
  std::string plan;                                         ///< hash of the sweep it belongs to
  std::string error_kind;                                   ///< "" | input | solver | refused | memory | crash | other
  std::string error;                                        ///< one line
  std::vector<std::pair<std::string, sim::Value>> figures;  ///< of the summary, in its order; empty if it failed
  std::string result_sha256;                                ///< of the full result file, if one is kept

  bool failed() const { return !error_kind.empty(); }
};

/// The record as a file that can be verified: one line with the SHA-256 of the rest, then JSON.
std::string encode(const CaseRecord& record);

/// Files larger than this are no case files, bytes.
inline constexpr std::uint64_t most_case_bytes = std::uint64_t{1} << 24U;

/// @param bytes a whole file  @param file its name, for messages
/// @throws io::CorruptFileError if any bit of it is not as `encode` wrote it
CaseRecord decode(std::string_view bytes, const std::string& file);

}  // namespace TIDEWATT_NAMESPACE::study
