#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fit_posterior.hpp"
#include "tidewatt/base/node.hpp"
#include "tidewatt/base/reader.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// A catalog entry as what a fit knows before its log: values in the units of their keys, and the ranges of the assumed ones.
class EntryBase {
 public:
  /// @throws InputError for an unknown entry, with the nearest name
  EntryBase(std::string kind, std::string name);
  /// A value in its key's unit, by `table.key`. @throws InputError if the entry has no such number
  double value(const std::string& key) const;
  /// 95 % before the log: the entry's assumed range; where it has none, a factor to either side of its value. Ranges that begin at or below 0 are
  /// not logarithmic. @param shown key of the fitted value; empty: the last part of `key`  @throws InputError for no value above 0 and no range
  PriorParameter prior(const std::string& key, double factor, const std::string& shown = "") const;
  /// The entry, or one of its tables, as a model's parameters in SI. @param table empty: the whole entry
  template <class Params>
  Params read(const std::string& table = "") const {
    std::vector<Finding> findings;
    Params out{};
    TableReader r(table.empty() ? values_ : *values_.find(table), kind_, findings);
    out.fields(r);
    r.finish();
    if (!findings.empty()) throw InputError(std::move(findings));
    return out;
  }
  /// The entry's file.
  const std::string& text() const { return text_; }
  const std::string& kind() const { return kind_; }
  const std::string& name() const { return name_; }
  const Node& values() const { return values_; }

 private:
  std::string kind_, name_, text_;
  Node values_;
  std::map<std::string, std::pair<double, double>> range_;
};

}  // namespace TIDEWATT_NAMESPACE::study
