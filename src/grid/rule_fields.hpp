#pragma once
#include <string>
#include <vector>

#include "tidewatt/base/node.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE {
class FieldLog;
class FieldVisitor;
}  // namespace TIDEWATT_NAMESPACE

namespace TIDEWATT_NAMESPACE::grid {

struct RuleBook;

/// The head of a rule file: title, date, jurisdiction, document, status, tag, note.
void rule_head(FieldVisitor& v, RuleBook& book);

/// Records the keys of a rule set as `site.rules` reads them (see read_rules), for the scenario's reference.
/// @param path of the set in the scenario  @param log gets the keys; rules by name are `path.rule.*`
void log_rules(const Node& values, const std::string& path, FieldLog& log);

}  // namespace TIDEWATT_NAMESPACE::grid
