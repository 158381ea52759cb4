#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "commands.hpp"
#include "option_checks.hpp"
#include "stop_signals.hpp"
#include "study/compare.hpp"
#include "study/sensitivity.hpp"
#include "study/sweep.hpp"
#include "tidewatt/base/error.hpp"

namespace {

using namespace tidewatt;

struct Arguments {
  std::string file, out, shard, against;
  study::SweepOptions sweep;
  study::SweepRunOptions run;
  bool tornado = false, monte_carlo = false, merge = false, verify = false, list = false, quiet = false, json = false;
};

/// "45 s", "12 min", "3 h 20 min".
std::string rounded(double s) {
  const auto min = static_cast<std::int64_t>(s / 60.0 + 0.5);
  if (s < 90.0) return fmt::format("{:.0f} s", s);
  return min < 90 ? fmt::format("{} min", min) : fmt::format("{} h {} min", min / 60, min % 60);
}

/// A bar on a terminal; elsewhere a line every ten seconds and at the end.
class Show {
 public:
  void operator()(const study::SweepProgress& p) {
    const double frac = p.n_total > 0 ? static_cast<double>(p.n_done) / static_cast<double>(p.n_total) : 1.0;
    std::string text = fmt::format("{} of {} cases", p.n_done, p.n_total);
    if (p.n_failed > 0) text += fmt::format(", {} failed", p.n_failed);
    if (p.left_s && p.n_done < p.n_total) text += fmt::format(", {} left", rounded(*p.left_s));
    if (isatty(STDERR_FILENO) != 0)
      fmt::print(stderr, "\r[{:<40}] {}\033[K", std::string(static_cast<std::size_t>(frac * 40.0), '='), text);
    else if (p.n_done == p.n_total || Clock::now() >= next_)
      fmt::print(stderr, "{}\n", text), next_ = Clock::now() + std::chrono::seconds(10);
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point next_{};
};

study::Shard read_shard(const std::string& text) {
  if (text.empty()) return {};
  const auto words = split(text, '/');
  double index = 0.0, count = 0.0;
  if (words.size() != 2 || !parse_number(words[0], index) || !parse_number(words[1], count) || index < 1.0 ||
      count > 1e6 || index > count || index != static_cast<double>(static_cast<std::size_t>(index)) ||
      count != static_cast<double>(static_cast<std::size_t>(count)))
    throw InputError(fmt::format("--shard {}: expected i/n with 1 <= i <= n", text));
  return {static_cast<std::size_t>(index) - 1, static_cast<std::size_t>(count)};
}

/// The head of the analysis: of each of the first outputs the first variables, numbers rounded.
void print_analysis(const std::string& path) {
  if (!std::filesystem::exists(path)) return;
  constexpr std::size_t most_outputs = 6, most_rows = 6;
  std::vector<std::vector<std::string>> lines;
  std::size_t n_output = 0, n_row = 0, n_left_out = 0;
  for (const auto& line : split(read_file(path, 1u << 28), '\n')) {
    std::vector<std::string> cells;
    for (const auto& cell : split(line, ',')) {
      double x = 0.0;
      const std::string word(trim(cell));
      cells.push_back(parse_number(word, x) ? fmt::format("{:.5g}", x) : word);
    }
    if (cells.size() < 2) continue;
    const bool fresh = lines.size() < 2 || cells.front() != lines.back().front();
    if (!lines.empty() && fresh) ++n_output, n_row = 0;
    if (++n_row > most_rows || n_output > most_outputs)
      ++n_left_out;
    else
      lines.push_back(std::move(cells));
  }
  std::vector<std::size_t> width;
  for (const auto& cells : lines)
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i == width.size()) width.push_back(0);
      width[i] = std::max(width[i], cells[i].size());
    }
  for (const auto& cells : lines) {
    for (std::size_t i = 0; i < cells.size(); ++i) fmt::print("{:<{}}  ", cells[i], width[i]);
    fmt::print("\n");
  }
  fmt::print("{}{}\n", path, n_left_out > 0 ? fmt::format(" ({} more rows)", n_left_out) : "");
}

/// What one process of the sweep left: counts, and where the table is. @param ends failed ends of a tornado
void report(const Arguments& a, const study::SweepOutcome& o, const std::string& table,
            const std::vector<std::string>& ends = {}) {
  if (a.json) {
    nlohmann::ordered_json j{
        {"n_case", o.n_total},  {"n_finished", o.n_done}, {"n_failed", o.n_failed}, {"n_ran", o.n_ran},
        {"stopped", o.stopped}, {"damaged", o.damaged},   {"failures", o.failures}, {"out", a.out}};
    if (!ends.empty()) j["failed_ends"] = ends;
    j["table"] = table.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(table);
    fmt::print("{}\n", j.dump());
    return;
  }
  for (const auto& line : o.damaged) fmt::print(stderr, "note: {}; its case ran again\n", line);
  fmt::print("{} of {} cases finished, {} of them now, {} failed\n", o.n_done, o.n_total, o.n_ran, o.n_failed);
  for (const auto& line : ends.empty() ? o.failures : ends) fmt::print("  {}\n", line);
  if (ends.empty() && o.n_failed > o.failures.size())
    fmt::print("  and {} more{}\n", o.n_failed - o.failures.size(), table.empty() ? "" : ": column error of the table");
  if (o.stopped) fmt::print("stopped; run the same command to continue\n");
  if (table.empty()) return;
  print_analysis(a.out + "/analysis.csv");
  fmt::print("{}\n", table);
}

/// Tells of a written table, and then ends with an error where too many cases failed for the analysis.
void finish(const study::CaseRunner& runner, const Arguments& a, const study::SweepOutcome& o,
            const study::SweepTable& table) {
  report(a, o, a.out + "/table.csv", study::failed_ends(runner.spec(), table));
  const std::string refusal = study::refused_analysis(runner.spec(), table);
  if (refusal.empty()) return;
  std::fflush(stdout);
  throw RefusedError(refusal);
}

void merge(const study::CaseRunner& runner, const Arguments& a) {
  const auto table = study::merge_sweep(runner, a.out);
  study::SweepOutcome o;
  o.n_total = o.n_done = table.n_row;
  const auto& status = std::get<std::vector<std::string>>(table.find("status")->values);
  const auto& error = std::get<std::vector<std::string>>(table.find("error")->values);
  for (std::size_t i = 0; i < status.size(); ++i)
    if (status[i] == "failed" && ++o.n_failed <= study::most_failures)
      o.failures.push_back(fmt::format("case {}: {}", i, error[i]));
  finish(runner, a, o, table);
}

void verify(const study::CaseRunner& runner, const Arguments& a, int& exit_code) {
  const auto state = study::CaseStore(a.out, runner.plan_text(), runner.cases().size()).read();
  for (const auto& line : state.damaged) fmt::print("{}\n", line);
  fmt::print("{} finished cases as written, {} damaged files\n", state.finished.size(), state.damaged.size());
  if (!state.damaged.empty()) exit_code = 1;
}

void list(const study::CaseRunner& runner) {
  for (std::size_t i = 0; i < runner.cases().size(); ++i)
    fmt::print("{}\t{}\n", i, fmt::join(runner.cases().assignments(i), " "));
}

void sweep(Arguments& a, int& exit_code) {
  if (a.tornado && a.monte_carlo) throw InputError("--tornado or --monte-carlo, not both");
  if (a.tornado) a.sweep.mode = "tornado";
  if (a.monte_carlo) a.sweep.mode = "monte_carlo";
  if (a.out.empty()) a.out = "out/" + std::filesystem::path(a.file).stem().string();
  a.run.shard = read_shard(a.shard);
  if (!a.against.empty()) {
    fmt::print("{}", study::compare(a.file, a.against, a.sweep.load).text());
    return;
  }
  const study::CaseRunner runner(a.file, a.sweep);
  for (const auto& note : runner.notes()) fmt::print(stderr, "note: {}\n", note);
  if (a.list) return list(runner);
  if (a.verify) return verify(runner, a, exit_code);
  if (a.merge) return merge(runner, a);
  const StopSignals signals;
  a.run.stop = [] { return StopSignals::caught() != 0; };
  if (!a.quiet) a.run.progress = Show();
  const auto outcome = study::run_sweep(runner, a.out, a.run);
  if (!a.quiet && isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\n");
  if (!outcome.stopped && a.run.shard.count == 1) return finish(runner, a, outcome, study::merge_sweep(runner, a.out));
  report(a, outcome, "");
  if (outcome.stopped) exit_code = 128 + StopSignals::caught();
}

}  // namespace

void add_sweep_command(CLI::App& app, int& exit_code) {
  auto a = std::make_shared<Arguments>();
  auto* c = app.add_subcommand("sweep", "run many variants of a scenario into one table");
  c->add_option("file", a->file, "sweep file (TOML), or a scenario with --tornado, --monte-carlo or --against")
      ->required();
  c->add_option("--out", a->out, "folder of the cases and the table; default out/NAME")->type_name("FOLDER");
  c->add_option("--workers", a->run.n_worker, "processes; 0: one per core (the table does not depend on it)")
      ->check(worker_count());
  c->add_option("--shard", a->shard, "i/n: run only every n-th case from the i-th, for job arrays; then use --merge")
      ->type_name("I/N");
  c->add_flag("--merge", a->merge, "write the table from the finished cases of all shards");
  c->add_flag("--verify", a->verify, "check every finished file; run nothing; exit code 1 if one is damaged");
  c->add_flag("--list", a->list, "list what each case sets, as --set takes it; run nothing");
  c->add_flag("--retry-failed", a->run.retry_failed, "run failed cases again");
  c->add_flag("--tornado", a->tornado, "vary one variable at a time, to both ends of its range");
  c->add_flag(
      "--monte-carlo", a->monte_carlo,
      "draw all variables from their ranges, each case with its own seed; without variables, all assumed inputs "
      "together and the instants of events; exit code 4 if more than 2 % of the cases fail");
  c->add_option("--against", a->against, "another scenario: list the keys that differ, and their effect")
      ->type_name("FILE");
  c->add_option("--scenario", a->sweep.scenario, "base scenario; replaces that of the file")->type_name("FILE");
  c->add_option("--set", a->sweep.load.set, "override a key in every case (repeatable)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  c->add_option("--weather", a->sweep.load.weather_epw, "weather file, EPW or CSV; replaces the scenario's weather")
      ->type_name("FILE");
  c->add_option("--catalog", a->sweep.load.catalog_overlay,
                "folder of catalog files that add to or replace the built-in ones")
      ->type_name("FOLDER");
  c->add_flag("--json", a->json, "print the outcome as one JSON object");
  c->add_flag("--quiet", a->quiet, "no progress");
  c->callback([a, &exit_code] { sweep(*a, exit_code); });
}
