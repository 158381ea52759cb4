#include "commands.hpp"
#include "rule_files.hpp"

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
}
