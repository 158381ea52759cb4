#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "option_checks.hpp"
#include "study/order_study.hpp"

namespace {

using namespace tidewatt;

struct Arguments {
  std::string file, result;
  sim::LoadOptions load;
  study::OrderOptions options;
  std::vector<double> settlement_min;
  bool json = false;
};

void orders(Arguments a) {
  if (!a.settlement_min.empty()) a.options.how.settlement_s.clear();
  for (const double minutes : a.settlement_min) a.options.how.settlement_s.push_back(60.0 * minutes);
  const auto s = study::judge_orders(sim::load_scenario(a.file, a.load), a.file, a.result, a.options);
  fmt::print("{}", a.json ? study::orders_json(s) + "\n" : study::orders_text(s));
}

}  // namespace

void add_orders_command(CLI::App& app, int&) {
  auto a = std::make_shared<Arguments>();
  auto* c = app.add_subcommand("orders",
                               "check whether a run met the utility's orders, by means of 5 and 15 minutes, response "
                               "time and rebound; what each job gave");
  c->add_option("file", a->file, "scenario file (TOML) with the orders ([[event]] kind = \"curtailment\")")->required();
  c->add_option("result", a->result, "result file of the scenario")->required();
  c->add_option("--order", a->options.order, "name of one order; default: all")->type_name("NAME");
  c->add_option("--settlement-min", a->settlement_min, "settlement interval (repeatable); default: 5 and 15")
      ->allow_extra_args(false)
      ->check(within(1.0, 1440.0));
  c->add_option("--baseline-s", a->options.how.baseline_s,
                "baseline: mean load over this time before the order's notice")
      ->check(within(60.0, 86400.0))
      ->capture_default_str();
  c->add_option("--rebound-s", a->options.how.rebound_s,
                "time after the order in which the load is compared with the baseline")
      ->check(within(60.0, 86400.0))
      ->capture_default_str();
  c->add_option("--set", a->load.set, "override a key, key=value (repeatable)")->type_name("KEY=VALUE");
  c->add_option("--catalog", a->load.catalog_overlay,
                "folder of catalog files that add to or replace the built-in ones")
      ->type_name("FOLDER");
  c->add_flag("--json", a->json, "print JSON");
  c->callback([a] { orders(*a); });
}
