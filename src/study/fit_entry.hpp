#pragma once
#include <string>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// A fitted number on its way into a catalog file, in the key's edge unit.
struct FittedValue {
  std::string key;  ///< `table.key`, or `key` in a file without tables
  double value, low, high;
  std::string source;             ///< names the data of the fit; the tag [D] is added
  std::vector<double> list = {};  ///< of a key that holds a list: its values, without ranges
};

/// The catalog file `base_text` under another name, with fitted values in place of its own: value, source and range.
/// Comments at its head are dropped, since they explain the old numbers. @throws InputError for a key that it lacks
std::string entry_from(const std::string& base_text, const std::string& name, const std::vector<FittedValue>& values);

/// A catalog file with nothing but fitted values.
std::string entry_of(const std::string& kind, const std::string& name, const std::vector<FittedValue>& values);

}  // namespace TIDEWATT_NAMESPACE::study
