#include "scenario_tree.hpp"

#include <filesystem>

#include "sim/inherit.hpp"
#include "sim/shipped_scenarios.hpp"

namespace TIDEWATT_NAMESPACE::study {

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

Node whole_tree(const std::string& text, const std::string& name, const std::string& folder) {
  return sim::inherit(parse_toml(text, name), folder).root;
}

Node whole_tree(const std::string& path) { return whole_tree(sim::scenario_text(path), path, folder_of(path)); }

}  // namespace TIDEWATT_NAMESPACE::study
