#include <algorithm>

#include "commands.hpp"
#include "rule_files.hpp"
#include "tidewatt/base/text.hpp"

void add_commands(CLI::App& app, int& exit_code) {
  app.require_subcommand(1);
  add_run_commands(app, exit_code);
  add_catalog_command(app, exit_code);
  add_report_command(app, exit_code);
  add_validate_command(app, exit_code);
  add_bench_command(app, exit_code);
  add_sweep_command(app, exit_code);
  add_new_command(app, exit_code);
  add_import_command(app, exit_code);
  add_fit_command(app, exit_code);
  add_size_command(app, exit_code);
  add_export_command(app, exit_code);
  add_rules_command(app, exit_code);
  add_ride_command(app, exit_code);
  add_plant_command(app, exit_code);
  add_machines_command(app, exit_code);
  add_verify_command(app, exit_code);
  add_schema_command(app, exit_code);
  add_completion_command(app, exit_code);
}

std::string wrong_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> known;
  for (const auto* c : app.get_subcommands([](const CLI::App*) { return true; })) known.push_back(c->get_name());
  if (std::find(known.begin(), known.end(), word) != known.end()) return {};
  const std::string close = tidewatt::nearest(word, known);
  return "no command '" + word + "'" + (close.empty() ? "" : " (did you mean '" + close + "'?)") + "; tidewatt --help lists all";
}
