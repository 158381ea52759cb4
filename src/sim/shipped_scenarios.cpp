#include "shipped_scenarios.hpp"

#include "base/embedded.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

constexpr std::string_view ending = ".toml";

}  // namespace

std::vector<std::string> shipped_scenarios() {
  std::vector<std::string> out;
  for (const auto& file : embedded::scenario_files())
    if (file.path.find('/') == std::string_view::npos)
      out.emplace_back(file.path.substr(0, file.path.size() - ending.size()));
  return out;
}

std::optional<std::string> shipped_scenario(const std::string& name) {
  const std::string path = name.ends_with(ending) ? name : name + std::string(ending);
  for (const auto& file : embedded::scenario_files())
    if (file.path == path) return std::string(file.text);
  return std::nullopt;
}

}  // namespace TIDEWATT_NAMESPACE::sim
