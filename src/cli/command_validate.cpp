#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "option_checks.hpp"
#include "validate/catalog_in_use.hpp"
#include "validate/declared_key.hpp"
#include "validate/leave_one_out.hpp"
#include "validate/model_error.hpp"
#include "validate/mutation.hpp"
#include "validate/own_log.hpp"
#include "validate/row_json.hpp"
#include "validate/row_kind.hpp"

namespace {

using namespace tidewatt::validate;

struct Arguments {
  std::vector<std::string> groups;
  std::string data = "../shared/data";
  std::string overlay;
  tidewatt::study::ReplayOptions log;
  bool json = false;
  bool all = false;
  bool leave_one_out = false;
  bool mutation = false;
  bool model_errors = false;
  double share = 1.0;
};

std::string expected_text(const Row& r) {
  if (r.verdict == Verdict::skipped) return "–";
  if (r.expected_low == r.expected_high) return fmt::format("{:.4g}", r.expected_low);
  return fmt::format("{:.4g}…{:.4g}", r.expected_low, r.expected_high);
}

void print(const Row& r) {
  const bool known = r.verdict != Verdict::skipped;
  fmt::print("{:<12} {:<10} {:>13} {:>10} {:<6} {:>9} {:>8}  {}\n", r.id, name(r.verdict), expected_text(r),
             known ? fmt::format("{:.4g}", r.got) : "–", r.unit,
             !known       ? ""
             : r.absolute ? fmt::format("{:+.3g}", r.error)
                          : fmt::format("{:+.2f} %", 100.0 * r.error),
             !known       ? ""
             : r.absolute ? fmt::format("{:.3g}", r.tolerance)
                          : fmt::format("{:.3g} %", 100.0 * r.tolerance),
             r.what);
  if (!r.note.empty()) fmt::print("{:<12}   {}\n", "", r.note);
}

nlohmann::ordered_json as_json(const LeaveOneOut& table) {
  nlohmann::ordered_json j{
      {"device", table.device}, {"frozen_frac", table.frozen_frac}, {"fitted_frac", table.fitted_frac}};
  for (const auto& r : table.rows)
    j["rows"].push_back({{"id", r.id},
                         {"expected_s", r.expected_s},
                         {"error_frac", r.error_frac},
                         {"others_choose_frac", r.others_choose_frac},
                         {"left_out_error_frac", r.left_out_error_frac}});
  return j;
}

/// What each training row's error is when the other rows of its device set the matrix efficiency.
void print_leave_one_out(bool json) {
  auto devices = nlohmann::ordered_json::array();
  for (const auto& device : devices_with_runs()) {
    const LeaveOneOut table = leave_one_out(device);
    if (json) {
      devices.push_back(as_json(table));
      continue;
    }
    fmt::print("{}: matrix efficiency {:.3f} in the catalog, {:.3f} if all its rows chose\n", table.device,
               table.frozen_frac, table.fitted_frac);
    fmt::print("  {:<14} {:>12} {:>10} {:>15} {:>10}\n", "row", "published s", "error", "others choose", "error");
    for (const auto& r : table.rows)
      fmt::print("  {:<14} {:>12.3f} {:>+8.1f} % {:>15.3f} {:>+8.1f} %\n", r.id, r.expected_s, 100.0 * r.error_frac,
                 r.others_choose_frac, 100.0 * r.left_out_error_frac);
  }
  if (json) fmt::print("{}\n", nlohmann::ordered_json{{"leave_one_out", devices}}.dump(2));
}

/// Identities and conformance are required of every build, and say nothing about the world.
bool compares(const Row& r) {
  const Kind kind = kind_of(r.id);
  return kind != Kind::identity && kind != Kind::conformance;
}

/// By verdict, and by kind of row.
void print_counts(const std::vector<Row>& rows, const std::size_t (&n)[4]) {
  fmt::print("\n{} pass, {} fail, {} skipped, {} calibrated\n", n[0], n[1], n[2], n[3]);
  std::string text;
  for (const Kind kind : kinds()) {
    const auto of_kind = std::count_if(rows.begin(), rows.end(), [&](const Row& r) { return kind_of(r.id) == kind; });
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", of_kind, name(kind));
  }
  fmt::print("by kind: {}; only blind and seen rows compare with a measurement that could contradict them\n", text);
}

void print_mutation(const Arguments& a) {
  const auto rows = mutated(chosen_groups(a.groups), {a.data}, declared_keys(), a.share);
  fmt::print("{}\n", a.json ? mutation_json(rows) : mutation_text(rows));
}

void print_model_errors(bool json) {
  const auto rows = checked_rows(ledger());
  fmt::print("{}{}", json ? checked_json(rows) : checked_text(rows), json ? "\n" : "");
}

void hold_log(Arguments a) {
  a.log.catalog = a.overlay;
  const auto log = own_log(a.log);
  fmt::print("{}{}", a.json ? own_log_json(log) : own_log_text(log), a.json ? "\n" : "");
}

void validate(const Arguments& a) {
  if (!a.log.file.empty()) return hold_log(a);
  const CatalogInUse use(a.overlay);
  if (a.leave_one_out) return print_leave_one_out(a.json);
  if (a.mutation) return print_mutation(a);
  if (a.model_errors) return print_model_errors(a.json);
  std::vector<Row> all;
  std::size_t n[4] = {};
  if (!a.json)
    fmt::print("{:<12} {:<10} {:>13} {:>10} {:<6} {:>9} {:>8}  {}\n", "row", "verdict", "expected", "got", "unit",
               "error", "allowed", "inputs");
  for (const auto& group : chosen_groups(a.groups))
    for (auto& r : computed_rows({group}, {a.data})) {
      ++n[static_cast<int>(r.verdict)];
      if (!a.json && (a.all || compares(r))) print(r);
      all.push_back(std::move(r));
    }
  if (a.json)
    fmt::print("{}\n", rows_json(all));
  else
    print_counts(all, n);
}

}  // namespace

void add_validate_command(CLI::App& app, int&) {
  auto a = std::make_shared<Arguments>();
  auto* c =
      app.add_subcommand("validate", "compare the models with published results: expected, got, error, tolerance");
  c->add_option("group", a->groups,
                "groups of rows: workload, power, chips, thermal, diurnal, plant, grid, racks, evidence, references; "
                "default: all");
  c->add_option("--data", a->data, "folder of measurement files; rows whose files are absent are skipped")
      ->type_name("FOLDER");
  c->add_option("--catalog", a->overlay, "folder of catalog files that add to or replace the built-in ones")
      ->type_name("FOLDER");
  c->add_flag("--all", a->all, "print identities and conformance, too; the JSON always has all rows");
  c->add_flag("--json", a->json, "print the rows as one JSON object");
  c->add_flag("--leave-one-out", a->leave_one_out,
              "print each training row's error with the matrix efficiency set by the other rows of its device");
  c->add_flag(
      "--model-errors", a->model_errors,
      "print the first error of each blind row beside where its class puts the next source's error, 5 to 95 %; rows of "
      "its own source are left out of the class");
  c->add_flag("--mutation", a->mutation,
              "compute each passing row with its main parameter changed: it must fail then; takes minutes");
  c->add_option("--share", a->share, "with --mutation: share of the computations, 0 to 1")
      ->check(CLI::Range(0.0, 1.0))
      ->needs("--mutation");
  auto* log = c->add_option("--log", a->log.file,
                            "hold your own telemetry to the model instead: time, gpu, power, temperature, clock")
                  ->type_name("FILE")
                  ->check(CLI::ExistingFile);
  auto* server = c->add_option("--server", a->log.server, "with --log: catalog server")->type_name("NAME");
  log->needs(server);
  std::vector<CLI::Option*> of_log = {
      server,
      c->add_option("--gpu", a->log.gpu, "with --log: catalog entry of the GPU")
          ->type_name("NAME")
          ->capture_default_str(),
      c->add_option("--host", a->log.host, "with --log: host of the log; default: the first")->type_name("NAME"),
      c->add_option("--node-log", a->log.node_log, "with --log: measured node power: time, then watts")
          ->type_name("FILE")
          ->check(CLI::ExistingFile),
      c->add_option("--power-window-s", a->log.power_window_s, "with --log: averaging window of each power reading")
          ->check(within(0.0, 30.0))
          ->capture_default_str()};
  for (auto* each : of_log) each->needs(log);
  c->callback([a] { validate(*a); });
}
