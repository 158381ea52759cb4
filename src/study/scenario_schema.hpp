#pragma once
#include <string>
#include <utility>
#include <vector>

#include "scenario_reference.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// A JSON Schema (draft 7) of the scenario format: every key with its sentence, unit, range and default, unknown keys
/// refused. Editors use it for completion and hints; it finds errors that need no catalog.
std::string scenario_schema(const ScenarioReference& reference);

/// The scenario reference as Markdown, one page per section: (file name, text), [n]. The first is the index.
std::vector<std::pair<std::string, std::string>> scenario_pages(const ScenarioReference& reference);

}  // namespace TIDEWATT_NAMESPACE::study
