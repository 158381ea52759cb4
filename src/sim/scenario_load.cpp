// From files to scenarios: shipped scenarios, syntax errors, the text that repeats a run.
#include <fmt/format.h>

#include <filesystem>

#include "base/text.hpp"
#include "base/toml_recovery.hpp"
#include "inherit.hpp"
#include "scenario_inputs.hpp"
#include "shipped_scenarios.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

/// Syntax errors first, then errors in the rest of the text that are independent of them.
[[noreturn]] void report_syntax(RecoveredToml toml, const std::string& folder, const LoadOptions& options) {
  try {
    read_scenario(toml.root, folder, options);
  } catch (const InputError& e) {
    for (const auto& f : e.findings())
      if (!toml.explains(f)) toml.findings.push_back(f);
  } catch (const RefusedError&) {  // NOLINT(bugprone-empty-catch): with its syntax mended it is refused
  }
  throw InputError(std::move(toml.findings));
}

}  // namespace

Scenario load_scenario(const std::string& path, const LoadOptions& options) {
  return load_scenario_text(scenario_text(path), path, std::filesystem::path(path).parent_path().string(), options);
}

Scenario load_scenario_text(const std::string& text, const std::string& file, const std::string& given_folder,
                            const LoadOptions& options) {
  const std::string folder = given_folder.empty() ? "." : given_folder;
  RecoveredToml toml = recover_toml(text, file);
  if (!toml.findings.empty()) report_syntax(std::move(toml), folder, options);
  const auto inherited = inherit(std::move(toml.root), folder);
  Scenario s = read_scenario(inherited.root, folder, options);
  s.text = text;
  // What it inherits belongs to it: the text alone must be able to repeat the run.
  for (const auto& [name, base_text] : inherited.bases) s.text += "\n# ---- base = " + name + "\n" + base_text;
  for (const auto& set : options.set) s.text += "\n# --set " + set;
  if (!options.weather_epw.empty())
    s.text += "\n# --weather " + std::filesystem::path(options.weather_epw).filename().string();
  for (const auto& item : options.recording)
    s.text += "\n# --recording " + item.substr(0, item.find('=') + 1) +
              std::filesystem::path(item.substr(item.find('=') + 1)).filename().string();
  s.text += input_lines(s, options);
  return s;
}

Scenario reference_of(Scenario scenario) {
  if (!scenario.run.reference) scenario.text += "\n# --reference";
  scenario.run.reference = true;
  return scenario;
}

}  // namespace TIDEWATT_NAMESPACE::sim
