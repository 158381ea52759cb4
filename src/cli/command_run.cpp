#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands.hpp"
#include "grid/compliance_report.hpp"
#include "io/checkpoint.hpp"
#include "io/durable_file.hpp"
#include "io/summary_text.hpp"
#include "option_checks.hpp"
#include "sim/fleet_clocks.hpp"
#include "sim/gpu_view.hpp"
#include "sim/iteration_view.hpp"
#include "stop_signals.hpp"
#include "study/explain_swing.hpp"
#include "study/hardware_figures.hpp"
#include "study/input_effects.hpp"
#include "study/run_chance.hpp"
#include "tidewatt/io/hdf5_sink.hpp"
#include "tidewatt/io/payload_hash.hpp"
#include "tidewatt/io/summary_json.hpp"
#include "tidewatt/sim/gpu_hours.hpp"
#include "tidewatt/sim/run.hpp"
#include "validate/backing.hpp"
#include "validate/model_error.hpp"

namespace {

using namespace tidewatt;

struct Arguments {
  std::string file, out = "out";
  std::string seed;
  std::size_t threads = 0;
  std::int64_t n_draw = study::ChanceOptions{}.n_input;
  std::string checkpoint, resume;
  std::string explain;
  std::int64_t n_fleet = study::ExplainOptions{}.n_fleet;
  double checkpoint_every_h = 24.0;
  bool json = false, quiet = false, all = false, reference = false, no_interval = false, gpu_hours = false;
  std::string show, gpu;
  sim::LoadOptions load;
};

/// Progress bar with the time left, on a terminal's stderr only.
class Progress {
 public:
  explicit Progress(bool on) : on_(on && isatty(STDERR_FILENO) != 0) {}
  bool operator()(double done_frac) {
    if (!on_) return true;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(100) && done_frac < 1.0) return true;
    last_ = now;
    const double spent_s = std::chrono::duration<double>(now - start_).count();
    const double left_s = done_frac > 0.0 ? spent_s * (1.0 - done_frac) / done_frac : 0.0;
    const auto filled = static_cast<std::size_t>(done_frac * 40.0);
    fmt::print(stderr, "\r[{:<40}] {:5.1f} %  {:.0f} s left  ", std::string(filled, '='), 100.0 * done_frac, left_s);
    if (done_frac >= 1.0) fmt::print(stderr, "\n");
    return true;
  }

 private:
  bool on_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now(), last_{};
};

/// Steps to the end, writing checkpoints on the way.
/// @param hours what a checkpoint also holds; null: not asked for
/// @returns false if a signal stopped it: a checkpoint then has its state
bool advance(const Arguments& a, const sim::Scenario& scenario, sim::Engine& engine, sim::GpuHours* hours,
             Progress& progress) {
  std::optional<StopSignals> signals;
  if (!a.checkpoint.empty()) signals.emplace();  // without a checkpoint there is nothing to save: the process just ends
  const double every_s = a.checkpoint_every_h * 3600.0;
  double next_s = engine.time_s() + every_s;
  while (!engine.done()) {
    engine.step();
    progress(std::min(1.0, engine.time_s() / scenario.run.duration_s));
    const bool stop = signals && StopSignals::caught() != 0;
    if (a.checkpoint.empty() || (!stop && (engine.time_s() < next_s || engine.done()))) continue;
    io::write_checkpoint(a.checkpoint, engine, scenario.text, hours);
    next_s = engine.time_s() + every_s;
    if (!stop) continue;
    fmt::print(stderr, "tidewatt: stopped by {} at {:.0f} s of {:.0f} s; the same command with --resume {} continues\n",
               strsignal(StopSignals::caught()), engine.time_s(), scenario.run.duration_s, a.checkpoint);
    return false;
  }
  return true;
}

/// As sim::run, from a checkpoint if one is named. @returns nothing where a signal stopped it
/// @param clocks what other fleets are estimated from; null: not asked for
std::optional<sim::Result> simulate(const Arguments& a, const sim::Scenario& scenario, sim::FleetClocks* clocks,
                                    Progress& progress) {
  std::string state;
  sim::GpuHours hours;
  sim::RunOptions options{a.threads, {}};
  if (a.gpu_hours) options.gpu_hours = &hours;
  // Refused before the fleet is built.
  if (!a.resume.empty()) state = io::checkpoint_state(a.resume, scenario.text, false, options.gpu_hours);
  options.clocks = clocks;
  sim::Engine engine(scenario, options);
  if (!a.resume.empty()) engine.restore(state);
  if (!a.resume.empty())
    fmt::print(stderr, "note: continues {} at {:.0f} s of {:.0f} s\n", a.resume, engine.time_s(),
               scenario.run.duration_s);
  if (!advance(a, scenario, engine, options.gpu_hours, progress)) return {};
  auto result = engine.finish();
  if (a.gpu_hours)
    for (auto& array : hours.arrays()) result.arrays.push_back(std::move(array));
  return result;
}

/// A file beside the result: its name without the ending, and what follows.
std::string beside(const std::filesystem::path& result_file, const std::string& ending) {
  return std::filesystem::path(result_file).replace_extension("").string() + ending;
}

/// Each rule set's verdict beside the result, as text, HTML and JSON.
void write_compliance(const std::filesystem::path& result_file, const std::vector<grid::ComplianceReport>& reports) {
  for (const auto& r : reports) {
    const std::string stem = beside(result_file, "_" + r.rule_set);
    const std::pair<const char*, std::string> files[] = {
        {".txt", grid::compliance_text(r)}, {".html", grid::compliance_html(r)}, {".json", grid::compliance_json(r)}};
    for (const auto& [suffix, text] : files) io::write_durably(stem + suffix, text);
  }
}

/// hottest, slowest, or `server/slot`, both counted from 0.
sim::GpuChoice chosen_gpu(const std::string& text) {
  sim::GpuChoice choice;
  choice.slowest = text == "slowest";
  if (text.empty() || text == "hottest" || choice.slowest) return choice;
  char tail = 0;
  long long node = -1, slot = -1;
  if (std::sscanf(text.c_str(), "%lld/%lld%c", &node, &slot, &tail) != 2 || node < 0 || slot < 0)
    throw InputError(fmt::format("--gpu: '{}' is not hottest, slowest or SERVER/SLOT, for example 12/5", text));
  choice.node = node;
  choice.slot = slot;
  return choice;
}

/// The scenario and what it inherits.
std::string text_of(const sim::Result& result) {
  std::string text;
  for (const auto& [key, value] : result.provenance)
    if (value.find('\n') != std::string::npos) text += value + "\n";
  return text;
}

/// What intervals draw for a key, in words; empty: it is not assumed.
std::string drawn_from(const sim::Scenario& scenario, const std::string& key) {
  for (const auto& input : scenario.assumed)
    if (input.key == key) return input.choices();
  return "";
}

/// What the run's headlines rest on, for people.
std::string evidence_text(const sim::Scenario& scenario, const sim::Result& result) {
  std::vector<std::string> assumed;
  assumed.reserve(scenario.assumed.size());
  for (const auto& input : scenario.assumed) assumed.push_back(input.key);
  auto all = validate::backing(validate::ledger(), text_of(result), assumed);
  std::erase_if(all, [&](const validate::Backing& b) {
    return std::none_of(result.summary.begin(), result.summary.end(),
                        [&](const auto& figure) { return figure.first == b.headline; });
  });
  return all.empty() ? "" : "\n" + validate::backing_text(all);
}

/// Where the headlines lie, for other fleets, instants, inputs and days.
study::Chance chance_of(const Arguments& a, const sim::Scenario& scenario, const sim::Result& result,
                        const sim::FleetClocks* clocks) {
  if (!a.quiet && isatty(STDERR_FILENO) != 0)
    fmt::print(stderr, "the result is written; its headlines' chance follows (--no-interval leaves it out) ...\n");
  study::ChanceOptions options;
  options.n_input = a.n_draw;
  options.catalog_overlay = a.load.catalog_overlay;
  options.clocks = clocks;
  options.model = validate::model_part(validate::ledger(), scenario.text);
  return study::run_chance(scenario, result, options);
}

/// One GPU at a millisecond beside the result: series and picture into files. @returns figures for standard output
std::string show_gpu(const Arguments& a, const sim::Scenario& scenario, const sim::Result& result,
                     const std::filesystem::path& result_file) {
  const auto view = sim::view_gpu(scenario, result, chosen_gpu(a.gpu));
  const std::string stem = beside(result_file, "_gpu");
  io::write_durably(stem + ".csv", sim::gpu_view_csv(view));
  io::write_durably(stem + ".svg", sim::gpu_view_svg(view));
  const std::string fans = sim::gpu_fans_csv(view);
  if (!fans.empty()) io::write_durably(stem + "_fans.csv", fans);
  if (!a.json)
    return fmt::format("\n{}{}{}\n", sim::gpu_view_text(view), stem + ".csv, .svg", fans.empty() ? "" : ", _fans.csv");
  nlohmann::ordered_json object = {
      {"job", view.job}, {"stage", view.stage}, {"server", view.node}, {"slot", view.slot}};
  for (const auto& f : sim::compared(view)) object[f.key] = {{"sampled", f.sampled}, {"run", f.run}};
  if (view.fans)
    object["fan_cycle"] = {
        {"low_percent", 100.0 * view.fans->low_frac},   {"high_percent", 100.0 * view.fans->high_frac},
        {"mean_percent", 100.0 * view.fans->mean_frac}, {"period_s", view.fans->period_s},
        {"amplitude_K", view.fans->amplitude_K},        {"die_mean_degC", view.fans->mean_K - 273.15}};
  return object.dump();
}

/// Where the result goes: into a folder, or the file itself where its name ends like one. Every output is tried before the
/// first step. @throws OutputError
std::filesystem::path result_path(const Arguments& a) {
  auto path = std::filesystem::path(a.out);
  if (path.extension() != ".h5") path /= std::filesystem::path(a.file).stem().string() + ".h5";
  std::error_code ec;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), ec);
  if (ec) throw OutputError(fmt::format("{}: cannot be created: {}", path.parent_path().string(), ec.message()));
  io::try_output(path.string());
  if (!a.checkpoint.empty()) io::try_output(a.checkpoint);
  return path;
}

void run(Arguments a, int& exit_code) {
  if (!a.gpu.empty()) chosen_gpu(a.gpu);
  const auto start = std::chrono::steady_clock::now();
  if (!a.seed.empty()) a.load.set.push_back("run.seed=" + a.seed);
  auto scenario = sim::load_scenario(a.file, a.load);
  if (a.reference) scenario = sim::reference_of(std::move(scenario));
  for (const auto& note : scenario.notes) fmt::print(stderr, "note: {}\n", note);
  if (a.show == "iteration") {
    fmt::print("{}\n", study::hardware_text(study::hardware_figures(scenario)));
    for (const auto& job : scenario.jobs) fmt::print("{}", sim::view_text(sim::view_iteration(scenario, job)));
    return;
  }
  const auto path = result_path(a);
  Progress progress(!a.quiet);
  const bool chances = !a.no_interval && !a.reference && (a.json || !a.quiet);
  sim::FleetClocks clocks(false);
  auto finished = simulate(a, scenario, chances && a.resume.empty() ? &clocks : nullptr, progress);
  if (!finished) {
    exit_code = 128 + StopSignals::caught();
    return;
  }
  auto& result = *finished;
  study::add_hardware_figures(study::hardware_figures(scenario), result);
  std::optional<study::SwingReport> swing;
  std::optional<study::InputEffects> effects;
  if (a.explain == "inputs") effects = study::input_effects(scenario, result, {a.threads, a.load.catalog_overlay});
  if (!a.explain.empty() && !effects)
    swing = study::explain_swing(scenario, result, {a.threads, a.n_fleet}, [&](const std::string& name) {
      if (!a.quiet && isatty(STDERR_FILENO) != 0) fmt::print(stderr, "{} ...\n", name);
    });
  auto& s = result.summary;
  const double wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const std::string payload = io::payload_sha256(result);
  s.emplace_back("payload_sha256", payload);
  s.emplace_back("result_file", path.string());
  io::Hdf5Sink(path.string()).write(result);
  write_compliance(path, result.compliance);
  const std::string gpu = a.show == "gpu" ? show_gpu(a, scenario, result, path) : "";
  s.insert(s.begin() + 2, {"wall_s", wall_s});
  std::optional<study::Chance> chance;
  if (chances) {
    chance = chance_of(a, scenario, result, a.resume.empty() ? &clocks : nullptr);
    io::write_durably(beside(path, "_chance.json"), study::chance_file(*chance, result, payload));
  }
  if (a.json) {
    if (chance) study::add_chance(*chance, s);
    auto object = nlohmann::ordered_json::parse(io::result_json(result));
    if (swing)
      object["explain"] = {
          {a.explain, nlohmann::ordered_json::parse(a.explain == "power" ? study::power_json(*swing)
                                                                         : study::swing_json(*swing))}};
    if (effects) object["explain"] = {{a.explain, nlohmann::ordered_json::parse(study::effects_json(*effects))}};
    if (!gpu.empty()) object["gpu_view"] = nlohmann::ordered_json::parse(gpu);
    if (chance) object["interval"] = nlohmann::ordered_json::parse(study::chance_json(*chance));
    object["defaults"] = nlohmann::ordered_json::object();
    for (const auto& d : scenario.defaults) {
      auto& said = object["defaults"][d.key] = {{"value", d.value}, {"source", d.source}};
      if (const std::string drawn = drawn_from(scenario, d.key); !drawn.empty()) said["drawn_from"] = drawn;
    }
    fmt::print("{}\n", object.dump());
    return;
  }
  fmt::print("{}", a.all ? io::summary_sentences(result) + "\n" + io::summary_all(result) : io::summary_text(result));
  if (!a.all)
    fmt::print("\nResult in {} ({:.1f} s). Pictures: tidewatt report {}. Every figure: --all.\n", path.string(), wall_s,
               path.string());
  if (chance) fmt::print("\n{}", study::chance_text(*chance, result, a.all));
  fmt::print("{}", evidence_text(scenario, result));
  if (swing) fmt::print("\n{}", a.explain == "power" ? study::power_text(*swing) : study::swing_text(*swing));
  if (effects) fmt::print("\n{}", study::effects_text(*effects));
  fmt::print("{}", gpu);
}

void check(const Arguments& a) {
  const auto scenario = sim::load_scenario(a.file, a.load);
  for (const auto& note : scenario.notes) fmt::print(stderr, "note: {}\n", note);
  std::int64_t n_gpu = 0;
  for (const auto& h : scenario.halls) n_gpu += h.hall.n_gpu;
  fmt::print("{}: ok ({} GPUs in {} hall{}, {:.3g} h, {} assumed inputs, {} defaults)\n", a.file, n_gpu,
             scenario.halls.size(), scenario.halls.size() == 1 ? "" : "s", scenario.run.duration_s / 3600.0,
             scenario.assumed.size(), scenario.defaults.size());
  for (const auto& d : scenario.defaults) {
    const std::string drawn = drawn_from(scenario, d.key);
    fmt::print("  default: {} = {}{}\n", d.key, d.value, drawn.empty() ? "" : "; intervals draw " + drawn);
  }
}

void add_common(CLI::App& c, Arguments& a) {
  c.add_option("scenario", a.file, "scenario file (TOML), or the name of a shipped scenario")->required();
  c.add_option("--set", a.load.set,
               "override a key, e.g. --set hall.a.n_gpu=8192 (repeatable); tidewatt schema --keys n_gpu finds keys")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  c.add_option("--weather", a.load.weather_epw, "weather file, EPW or CSV; replaces the scenario's weather")
      ->type_name("FILE");
  c.add_option("--recording", a.load.recording,
               "NAME=FILE: recording of a replayed neighbour; replaces the scenario's file")
      ->type_name("NAME=FILE")
      ->allow_extra_args(false);
  c.add_option("--catalog", a.load.catalog_overlay, "folder of catalog files that add to or replace the built-in ones")
      ->type_name("FOLDER");
}

}  // namespace

void add_run_commands(CLI::App& app, int& exit_code) {
  auto a = std::make_shared<Arguments>();
  auto* r = app.add_subcommand("run", "simulate a scenario and write its result file");
  add_common(*r, *a);
  r->add_flag("--json", a->json, "print the summary as one JSON object");
  r->add_flag("--all", a->all,
              "print every figure by its key, and the defaults taken for keys that the scenario does not set");
  r->add_option("--seed", a->seed, "seed of all random draws")->type_name("NUMBER");
  r->add_option("--out", a->out, "folder of the result file, or the file itself (NAME.h5)")
      ->type_name("FOLDER")
      ->capture_default_str();
  r->add_option("--threads", a->threads, "threads; 0: all cores (results do not depend on it)")
      ->check(worker_count())
      ->capture_default_str();
  r->add_option(
       "--checkpoint", a->checkpoint,
       "file for the state of the simulation, written during the run and when SIGINT, SIGTERM or SIGHUP stops it")
      ->type_name("FILE");
  r->add_option("--checkpoint-every-h", a->checkpoint_every_h, "simulated hours between checkpoints")
      ->check(within(1e-6, 1e6))
      ->capture_default_str();
  r->add_option("--resume", a->resume, "continue from a checkpoint of the same scenario; the result has the same bits")
      ->type_name("FILE");
  auto* explain =
      r->add_option("--explain", a->explain,
                    "swing: repeat the run without each cause and with each lever, and report their "
                    "effect over several drawn fleets; power: what each cause is worth in watts; inputs: what each "
                    "assumed input does to the headlines over its range, alone")
          ->type_name("WORD")
          ->check(CLI::IsMember({"swing", "power", "inputs"}));
  r->add_option("--fleets", a->n_fleet,
                "drawn fleets over which --explain averages, this run's among them; 1: this run's alone, without "
                "standard errors")
      ->type_name("NUMBER")
      ->needs(explain)
      ->check(within(1, study::ExplainOptions::most_fleets))
      ->capture_default_str();
  r->add_flag("--no-interval", a->no_interval,
              "leave out the headlines' intervals (K_p05, K_p50, K_p95); --quiet without --json has none");
  r->add_option("--draws", a->n_draw,
                "runs with all assumed inputs drawn, of which the intervals are made; the same number on every machine")
      ->type_name("NUMBER")
      ->check(within(2, 4096))
      ->capture_default_str();
  r->add_flag("--reference", a->reference,
              "compute every segment of every iteration, to check the fast steps; about a hundred times slower");
  r->add_flag("--gpu-hours", a->gpu_hours,
              "also record means of every GPU and server over each hour of this run, as arrays /gpu_hours/...");
  r->add_flag("--quiet", a->quiet, "no progress bar");
  r->add_option("--show", a->show,
                "iteration: print each job's iteration as a timeline, without a run; gpu: after the run, write some "
                "iterations of one GPU in steps of 1 ms under the sampled governor, as text, CSV and SVG")
      ->type_name("WORD")
      ->check(CLI::IsMember({"iteration", "gpu"}));
  r->add_option("--gpu", a->gpu, "GPU of --show gpu: hottest (default), slowest, or SERVER/SLOT")->type_name("NAME");
  r->callback([a, &exit_code] { run(*a, exit_code); });
  auto b = std::make_shared<Arguments>();
  auto* c = app.add_subcommand("check", "read and check a scenario without running it");
  add_common(*c, *b);
  c->callback([b] { check(*b); });
}
