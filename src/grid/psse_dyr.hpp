#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidewatt/base/error.hpp"
#include "tidewatt/base/fields.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// One record of a DYR file: bus, model, unit and its values as written.
struct DyrRecord {
  Place place;
  std::int64_t bus = 0;
  std::string model;
  std::string id;
  std::vector<std::string> values;
};

/// Reads dynamic records of the PSS/E DYR format: free format over any number of lines, `/` ends a record, quotes optional, single or double,
/// `//` begins a comment line. @throws InputError with file and line
std::vector<DyrRecord> read_dyr(const std::string& path);
/// The same from text. @param name for messages  @throws InputError
std::vector<DyrRecord> parse_dyr(std::string_view text, const std::string& name);

/// Takes the values of a record in their order; missing, non-numeric or out-of-range values become findings.
class DyrValues {
 public:
  /// Findings carry the record's place.
  DyrValues(const DyrRecord& record, std::vector<Finding>& findings) : record_(record), findings_(findings) {}
  /// The next value, any unit. @param name in the model's documentation  @param range allowed values  @returns the number, or a value in range
  double number(std::string_view name, Range range = {});
  /// The next value, a whole number. @param range allowed values
  int whole(std::string_view name, Range range);
  /// The next value as text.
  std::string text(std::string_view name);
  /// Adds a finding at the record's place. @param name of the value that is wrong
  void wrong(std::string_view name, const std::string& message);
  /// Values that nothing took become a finding.
  void finish();

 private:
  const DyrRecord& record_;
  std::vector<Finding>& findings_;
  std::size_t next_ = 0;
  bool short_ = false;
};

}  // namespace TIDEWATT_NAMESPACE::grid
