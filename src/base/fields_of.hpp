#pragma once
#include <string>
#include <utility>
#include <vector>

#include "tidewatt/base/error.hpp"
#include "tidewatt/base/reader.hpp"

namespace TIDEWATT_NAMESPACE {

/// Parameters from one table, which may have keys of other readers. @param path of the table, for messages
/// @throws InputError with every finding
template <class Params>
Params fields_of(const Node& table, std::string path = "") {
  Params params{};
  std::vector<Finding> findings;
  TableReader reader(table, std::move(path), findings);
  params.fields(reader);
  if (!findings.empty()) throw InputError(std::move(findings));
  return params;
}

}  // namespace TIDEWATT_NAMESPACE
