#pragma once
// Private to sim: the reader's checks for a scenario in memory, and the rules of both. Findings name keys; the
// reader adds their lines.
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scenario_reading.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// Walks the keys of one table with their present values.
using Keys = std::function<void(FieldVisitor&)>;

/// Reads parameters again from the table that they would be written as, some keys with other values.
class Recheck {
 public:
  /// @param values by full key path, in the key's unit; those of whole numbers are rounded; of a choice the place of its word
  explicit Recheck(std::vector<Finding>& findings, std::map<std::string, double> values = {})
      : findings_(findings), values_(std::move(values)) {}
  /// Notes what the scenario has at a key.
  void watch(const std::string& key) { watched_[key] = std::numeric_limits<double>::quiet_NaN(); }
  /// Present values of all keys watched, in the key's unit, of a choice the place of its word; NaN: neither in the tables so far.
  const std::map<std::string, double>& watched() const { return watched_; }
  /// Words of each key watched that is a choice, in the order of their places.
  const std::map<std::string, std::vector<std::string>>& words() const { return words_; }
  /// Values whose key no table had so far.
  const std::map<std::string, double>& left() const { return values_; }
  /// Full key paths of all whole numbers so far.
  const std::set<std::string>& whole() const { return whole_; }
  /// @param defaults the same keys of default parameters: an optional key with its default value was left out
  void table(const std::string& path, const Keys& keys, const Keys& defaults);
  template <class Params>
  void table(const std::string& path, Params& params) {
    Params unset;
    table(path, [&](FieldVisitor& v) { params.fields(v); }, [&](FieldVisitor& v) { unset.fields(v); });
  }
  template <class Params>
  void table(const std::string& path, std::optional<Params>& params) {
    if (params) table(path, *params);
  }
  /// Key paths of a list's items; names that are none, or are there twice, are findings.
  std::vector<std::string> items(const std::string& list, const std::vector<std::string>& names);
  void report(std::string key, std::string message) { findings_.push_back({{}, std::move(key), std::move(message)}); }
  std::vector<Finding>& findings() { return findings_; }

 private:
  /// Another value of a key, if one is given.
  std::optional<double> take(const std::string& key);
  bool take_number(const std::string& key, bool whole, Node& node);
  bool take_word(const std::string& key, const std::vector<std::string>& words, Node& node);
  void note(const std::string& key, double value);
  std::vector<Finding>& findings_;
  std::map<std::string, double> values_, watched_;
  std::map<std::string, std::vector<std::string>> words_;
  std::set<std::string> whole_;
};

/// One source of weather, whose days it has. @param files read them  @param altitude whether the scenario gives `altitude_m`
/// @return whether one source is named
/// @param notes takes what the file's reader filled in, limited or assumed
bool check_weather(const Scenario& s, bool files, bool altitude, std::vector<Finding>& findings,
                   std::vector<std::string>& notes);

/// Prices and footprints by the hour of the day, once all else is sound.
void check_hours(const EconomicsParams& economics, std::vector<Finding>& findings);

/// Overrides of single items of lists (`….vf_voltage_mV[3]=850`), which a catalog entry may hold: they are set once it is read.
std::map<std::string, double> item_values(const std::vector<std::string>& set, std::vector<Finding>& findings);
/// The scenario with these items; what was assumed of them is given now.
void set_items(const std::map<std::string, double>& items, Reading& reading, Scenario& s);

/// What a scenario has at some keys.
struct PresentValues {
  std::map<std::string, double>
      value;  ///< in the key's unit, of a choice the place of its word; NaN: neither in the scenario
  std::map<std::string, std::vector<std::string>> words;  ///< of keys that are choices, in the order of their places
};
PresentValues values_at(const Scenario& s, const std::vector<std::string>& keys);

void recheck_site(Recheck& c, Scenario& s);
void recheck_grid_case(Recheck& c, Scenario& s);
void recheck_neighbour(Recheck& c, const std::string& path, NeighbourSpec& n);

}  // namespace TIDEWATT_NAMESPACE::sim
