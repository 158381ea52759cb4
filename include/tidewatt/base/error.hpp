#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE {

/// Where a value came from: file (or "--set"), 1-based line and column; line 0 where there is none.
struct TIDEWATT_API Place {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string text() const;
};

/// One thing wrong with the input.
struct TIDEWATT_API Finding {
  Place place;
  std::string key;      ///< full key path, e.g. `job.main.plan.tp`
  std::string message;  ///< value, allowed range, nearest known key: one line
  std::string text() const;
};

/// Bad input: every finding at once. Exit code 2.
class TIDEWATT_API InputError : public std::runtime_error {
 public:
  /// @param findings everything wrong, not empty; what() has one line for each
  explicit InputError(std::vector<Finding> findings);
  /// One finding with place and key.
  explicit InputError(Finding finding);
  /// One finding without a place: a function was called with an invalid argument.
  explicit InputError(const std::string& message);
  const std::vector<Finding>& findings() const { return findings_; }

 private:
  std::vector<Finding> findings_;
};

/// Too large to run: the message names the key and the limit. Exit code 4.
class TIDEWATT_API RefusedError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A numerical method failed: the message has the time and the names of the worst components. Exit code 3.
class TIDEWATT_API SolverError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A result could not be written. Exit code 74.
class TIDEWATT_API OutputError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace TIDEWATT_NAMESPACE
