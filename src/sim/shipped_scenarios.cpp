#include "shipped_scenarios.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/embedded.hpp"
#include "base/text.hpp"
#include "tidewatt/base/error.hpp"

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

std::string scenario_text(const std::string& path) {
  std::error_code ec;
  const bool there = std::filesystem::exists(path, ec);
  if (!there)
    if (auto shipped = shipped_scenario(path)) return std::move(*shipped);
  try {
    return toml_file_text(path, 16u << 20);
  } catch (const InputError&) {
    const std::string close = there ? "" : nearest(path, shipped_scenarios());
    if (close.empty()) throw;
    throw InputError(fmt::format("{}: no such file, and no shipped scenario has this name (did you mean '{}'?)",
                                 shorten(path, 60), close));
  }
}

}  // namespace TIDEWATT_NAMESPACE::sim
