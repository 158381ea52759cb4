#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "study/rule_study.hpp"

namespace {

using namespace tidewatt;

struct Arguments {
  std::string result;
  study::RuleCheckOptions options;
  double site_MW = 0.0, kV = 0.0;
  bool json = false;
};

void say(const Arguments& a, const study::RuleAnswer& answer) {
  fmt::print("{}", a.json ? answer.json + "\n" : answer.text);
}

void check(Arguments a) {
  a.options.site_W = a.site_MW * 1e6;
  a.options.connection_V = a.kV * 1e3;
  say(a, study::check_rules(a.result, a.options));
}

}  // namespace

void add_rules_command(CLI::App& app, int&) {
  auto a = std::make_shared<Arguments>();
  auto* c = app.add_subcommand("rules", "rules of utilities for large loads: list, show, or check a recorded window");
  c->require_subcommand(1);
  auto* l = c->add_subcommand("list", "list rule files with status and date");
  l->callback([a] { say(*a, study::list_rules(a->options.overlay)); });
  auto* s = c->add_subcommand("show", "print a rule file in words, with its windows and limits");
  s->callback([a] { say(*a, study::show_rules(a->options.rule, a->options.overlay)); });
  auto* k = c->add_subcommand("check", "check a recorded window against a rule file");
  for (auto* each : {s, k})
    each->add_option("name", a->options.rule, "name of a rule in the catalog, or your own file")->required();
  k->add_option("result", a->result, "result file (HDF5)")->required();
  k->add_option("--window", a->options.window, "name of the recorded window; default: the first")->type_name("NAME");
  k->add_option("--site-MW", a->site_MW, "peak power of the site; default: the largest of the window")
      ->check(CLI::PositiveNumber);
  k->add_option("--kV", a->kV, "nominal voltage at the connection, for thresholds that depend on it")
      ->check(CLI::PositiveNumber);
  k->add_flag("--as-if", a->options.as_if, "judge even if the rule does not apply");
  for (auto* each : {l, s, k}) {
    each->add_option("--catalog", a->options.overlay,
                     "folder of catalog files that add to or replace the built-in ones")
        ->type_name("FOLDER");
    each->add_flag("--json", a->json, "print JSON");
  }
  k->callback([a] { check(*a); });
}
