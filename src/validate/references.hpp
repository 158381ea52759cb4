#pragma once
#include <string>
#include <vector>

#include "row.hpp"
#include "tidewatt/base/node.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// What independent packages give, as scripts/references wrote it (references.toml).
class References {
 public:
  References();
  /// Cases of a list. @throws InputError if there is none
  std::vector<Node> cases(const std::string& list) const;
  /// Package and version that a case came from, for notes.
  std::string version(const std::string& package) const;

 private:
  Node root_;
};

/// Of several cases the one where we and a package are farthest apart.
class WorstCase {
 public:
  /// @param at  inputs of the case, in words; all numbers in the row's unit
  void add(double expected, double got, const std::string& at);
  /// A row about that case. @param what of all cases  @param absolute whether `tolerance` is in `unit`, else a fraction
  Row row(const std::string& id, const std::string& what, const std::string& unit, double tolerance, bool absolute,
          const std::string& source) const;

 private:
  struct Case {
    double expected, got;
    std::string at;
  };
  std::vector<Case> cases_;
};

void air_reference_rows(const References& r, std::vector<Row>& rows);                              ///< X1, X2
void liquid_reference_rows(const References& r, std::vector<Row>& rows);                           ///< X3
void weather_reference_rows(const References& r, const Context& context, std::vector<Row>& rows);  ///< X4
void network_reference_rows(const References& r, std::vector<Row>& rows);                          ///< X5
void index_reference_rows(const References& r, std::vector<Row>& rows);                            ///< X6
void spectrum_reference_rows(const References& r, std::vector<Row>& rows);                         ///< X7
void heat_reference_rows(const References& r, std::vector<Row>& rows);                             ///< X8

}  // namespace TIDEWATT_NAMESPACE::validate
