#include <algorithm>

#include "base/text.hpp"
#include "commands.hpp"
#include "help_format.hpp"

namespace {

struct Group {
  const char* title;
  std::vector<void (*)(CLI::App&, int&)> add;
};

const std::vector<Group> groups = {
    {"Scenarios and runs",
     {add_new_command, add_run_commands, add_report_command, add_serve_command, add_sweep_command}},
    {"Questions about a site",
     {add_size_command, add_plant_command, add_machines_command, add_stability_command, add_rules_command,
      add_ride_command, add_orders_command}},
    {"Data in and out",
     {add_catalog_command, add_schema_command, add_figures_command, add_import_command, add_log_command,
      add_fit_command, add_calibrate_command, add_replay_command, add_export_command, add_file_command}},
    {"Trust and tools", {add_validate_command, add_verify_command, add_bench_command, add_completion_command}},
};

std::vector<std::string> names_of(const CLI::App& app) {
  std::vector<std::string> out;
  for (const auto* c : app.get_subcommands([](const CLI::App*) { return true; })) out.push_back(c->get_name());
  return out;
}

}  // namespace

void add_commands(CLI::App& app, int& exit_code) {
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormat>());
  for (const auto& group : groups) {
    const auto before = names_of(app);
    for (const auto add : group.add) add(app, exit_code);
    for (auto* c : app.get_subcommands([](CLI::App*) { return true; }))
      if (std::find(before.begin(), before.end(), c->get_name()) == before.end()) c->group(group.title);
  }
  // Last: commands inherit a footer that is there when they are added.
  app.footer(
      "tidewatt COMMAND --help explains a command. To begin: tidewatt new mine.toml, then tidewatt run mine.toml.");
}

std::string wrong_command(const CLI::App& app, const std::string& word) {
  const auto known = names_of(app);
  if (std::find(known.begin(), known.end(), word) != known.end()) return {};
  const std::string close = tidewatt::nearest(word, known);
  return "no command '" + word + "'" + (close.empty() ? "" : " (did you mean '" + close + "'?)") +
         "; tidewatt --help lists all";
}

std::string wrong_arguments(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  std::vector<std::string> options;
  for (const auto* o : command->get_options())
    for (const auto& name : o->get_lnames()) options.push_back("--" + name);
  std::string out, hints;
  for (const auto& word : app.remaining(true)) {
    out += " " + word;
    if (!word.starts_with('-')) continue;
    if (const std::string close = tidewatt::nearest(word, options); !close.empty())
      hints += "; did you mean '" + close + "' for '" + word + "'?";
  }
  return "not expected:" + out + hints + "; tidewatt " + command->get_display_name() +
         " --help lists what the command takes";
}
