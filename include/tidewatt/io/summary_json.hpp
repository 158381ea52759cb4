#pragma once
#include <string>
#include <utility>
#include <vector>

#include "tidewatt/base/version.hpp"
#include "tidewatt/sim/result.hpp"

namespace TIDEWATT_NAMESPACE::io {

/// One figure as JSON text. `monostate` and numbers that are not finite are null; a double is the shortest decimal that
/// reads back to the same bits, and always carries a point or an exponent, so that it reads back as a double.
/// @param value any figure; text is UTF-8, bytes that are not become U+FFFD.
TIDEWATT_API std::string value_json(const sim::Value& value);

/// The summary as one JSON object on one line, keys in the order given, no newline at the end.
/// @param summary figures with distinct names.
TIDEWATT_API std::string summary_json(const std::vector<std::pair<std::string, sim::Value>>& summary);
/// The same with a last key `jobs`: a list of one object per job.
TIDEWATT_API std::string result_json(const sim::Result& result);

}  // namespace TIDEWATT_NAMESPACE::io
