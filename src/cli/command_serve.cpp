#include <memory>

#include "commands.hpp"
#include "python_module.hpp"

namespace {

struct Arguments {
  std::string scenario = "llama3_405b_day", out = ".";
  int port = 8734;
  bool no_browser = false, no_token = false;
};

void serve(const Arguments& a) {
  std::vector<std::string> arguments = {"--out", a.out, "--port", std::to_string(a.port)};
  if (a.no_browser) arguments.emplace_back("--no-browser");
  if (a.no_token) arguments.emplace_back("--no-token");
  arguments.insert(arguments.end(), {"--", a.scenario});
  become_python_module("planner", arguments);
}

}  // namespace

void add_serve_command(CLI::App& app, int&) {
  auto a = std::make_shared<Arguments>();
  auto* c = app.add_subcommand("serve",
                               "open a local web page for planning: change settings, compare variants, export files");
  c->add_option("scenario", a->scenario, "scenario file (TOML), or the name of a shipped scenario: the base case")
      ->capture_default_str();
  c->add_option("--out", a->out, "folder in which the page writes files")->type_name("FOLDER")->capture_default_str();
  c->add_option("--port", a->port, "port on the loopback address; 0: any free one")
      ->check(CLI::Range(0, 65535))
      ->type_name("NUMBER")
      ->capture_default_str();
  c->add_flag("--no-browser", a->no_browser, "do not open the page");
  c->add_flag(
      "--no-token", a->no_token,
      "answer every user and program of this machine, not only those who know the token in the printed address");
  c->callback([a] { serve(*a); });
}
