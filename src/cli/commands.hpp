#pragma once
#include <CLI/CLI.hpp>

/// All of them.
void add_commands(CLI::App& app, int& exit_code);

/// Each adds one subcommand; `exit_code` receives what the process returns.
void add_run_commands(CLI::App& app, int& exit_code);        // run, check
void add_calibrate_command(CLI::App& app, int& exit_code);   // calibrate
void add_catalog_command(CLI::App& app, int& exit_code);     // catalog
void add_catalog_hardware(CLI::App& catalog);                // catalog rack, chain, fits
void add_report_command(CLI::App& app, int& exit_code);      // report
void add_serve_command(CLI::App& app, int& exit_code);       // serve
void add_bench_command(CLI::App& app, int& exit_code);       // bench
void add_validate_command(CLI::App& app, int& exit_code);    // validate
void add_sweep_command(CLI::App& app, int& exit_code);       // sweep
void add_new_command(CLI::App& app, int& exit_code);         // new
void add_fit_command(CLI::App& app, int& exit_code);         // fit
void add_export_command(CLI::App& app, int& exit_code);      // export
void add_file_command(CLI::App& app, int& exit_code);        // file
void add_rules_command(CLI::App& app, int& exit_code);       // rules
void add_ride_command(CLI::App& app, int& exit_code);        // ride
void add_size_command(CLI::App& app, int& exit_code);        // size
void add_machines_command(CLI::App& app, int& exit_code);    // machines
void add_orders_command(CLI::App& app, int& exit_code);      // orders
void add_stability_command(CLI::App& app, int& exit_code);   // stability
void add_replay_command(CLI::App& app, int& exit_code);      // replay
void add_plant_command(CLI::App& app, int& exit_code);       // plant
void add_import_command(CLI::App& app, int& exit_code);      // import
void add_log_command(CLI::App& app, int& exit_code);         // log
void add_verify_command(CLI::App& app, int& exit_code);      // verify
void add_schema_command(CLI::App& app, int& exit_code);      // schema
void add_figures_command(CLI::App& app, int& exit_code);     // figures
void add_completion_command(CLI::App& app, int& exit_code);  // completion

/// Message for a first word that is not a command, with the nearest one; empty if it is one.
std::string wrong_command(const CLI::App& app, const std::string& word);

/// Message for arguments that a command does not take, in the order in which they were typed, with the nearest option.
std::string wrong_arguments(const CLI::App& app);
