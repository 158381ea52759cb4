#include "run_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "common_key.hpp"
#include "figure_list.hpp"
#include "scenario_inputs.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

constexpr double most_figure = 1e30;  ///< nothing that a site has is so large in SI units

/// A figure that does not apply is null; a figure that no site can have is an error. Missing values of arrays are NaN.
void check_figure(const std::string& name, double x) {
  if (std::abs(x) > most_figure)
    throw SolverError(fmt::format("figure {} came out as {}: no figure may exceed {:g}", name, x, most_figure));
}

struct CheckValue {
  const std::string& name;
  Value& value;
  void operator()(double x) const {
    check_figure(name, x);
    if (!std::isfinite(x)) value = Value();
  }
  void operator()(const std::vector<std::pair<std::string, double>>& list) const {
    for (const auto& [key, x] : list) check_figure(name + "." + key, x);
  }
  template <class Other>
  void operator()(const Other&) const {}
};

void check_figures(Result& result) {
  const auto check = [](std::vector<std::pair<std::string, Value>>& figures) {
    for (auto& [name, value] : figures) {
      if (find_figure(name) == nullptr) throw SolverError(fmt::format("figure {} is in no list of figures", name));
      std::visit(CheckValue{name, value}, Value(value));
    }
  };
  check(result.summary);
  for (auto& job : result.jobs) check(job);
  for (const auto& a : result.arrays)
    if (const auto* real = std::get_if<std::vector<double>>(&a.values))
      for (const double x : *real) check_figure(a.path, x);
}

std::vector<std::uint64_t> shape_of(std::size_t n) { return {n}; }

/// Events of plants and site; a job's own life records those of the job.
void note_events(const Scenario& scenario, Recorder& recorder) {
  for (const auto& e : scenario.events) {
    if (e.at_s > scenario.run.duration_s || of_job(e.kind) || e.kind == EventKind::power_brake)
      continue;  // these record themselves when they act
    std::string text = e.kind == EventKind::filter_blocked
                           ? fmt::format("rack {}: {:.3g} % of its flow lost", e.rack, 100.0 * e.out_frac)
                       : of_plant(e.kind)         ? fmt::format("{:.3g} % of its parts out", 100.0 * e.out_frac)
                       : e.kind == EventKind::sag ? fmt::format("{:.3g} % of the voltage left", 100.0 * e.voltage_ratio)
                       : e.kind == EventKind::curtailment
                           ? fmt::format("at most {:.4g} MW, by {}", e.limit_W * 1e-6, word_of(e.by))
                           : e.name;
    if (e.duration_s > 0.0) text += fmt::format(", for {:g} s", e.duration_s);
    recorder.event(to_tick(e.at_s), std::string(word_of(e.kind)), e.hall.empty() ? "site" : "hall " + e.hall,
                   std::move(text));
  }
}

/// What a controller outside wrote: the first and the last write of every port.
void note_writes(const Simulation& run, Recorder& recorder) {
  for (const auto& [port, w] : run.state.outside.writes) {
    recorder.event(w.first, "write", port, fmt::format("from outside, the first of {}", w.n));
    if (w.n > 1) recorder.event(w.last, "write", port, fmt::format("from outside, the last of {}", w.n));
  }
}

std::string told_writes(const Outside& outside) {
  std::string out;
  for (const auto& [port, w] : outside.writes)
    out += fmt::format("{}{}: {} from {:g} s to {:g} s", out.empty() ? "" : "; ", port, w.n, seconds(w.first),
                       seconds(w.last));
  return out;
}

/// What the scenario assumes. A word has no number: value, low and high are NaN.
void add_trust(const Scenario& scenario, Result& result) {
  std::vector<std::string> key, source, word, words;
  std::vector<double> value, low, high, effect;
  for (const auto& a : scenario.assumed) {
    const bool is_word = !a.words.empty();
    const auto unless_word = [&](double x) { return is_word ? std::numeric_limits<double>::quiet_NaN() : x; };
    key.push_back(a.key);
    source.push_back(a.source);
    value.push_back(unless_word(a.value)), low.push_back(unless_word(a.low)), high.push_back(unless_word(a.high));
    word.push_back(is_word ? a.text(a.value) : "");
    words.push_back(is_word ? a.choices() : "");
    effect.push_back(is_word || a.low < a.high ? known_effect_frac(a.key) : 0.0);  // no range: it is not moved
  }
  const auto n = shape_of(key.size());
  result.arrays.push_back({"/trust/key", {"input"}, n, key, "1", "assumed input"});
  result.arrays.push_back(column("/trust/value", "input", value, "1", "value used, in the key's unit; NaN: a word"));
  result.arrays.push_back(column("/trust/low", "input", low, "1", "low end of its range; NaN: a word"));
  result.arrays.push_back(column("/trust/high", "input", high, "1", "high end of its range; NaN: a word"));
  result.arrays.push_back({"/trust/word", {"input"}, n, word, "1", "word used; empty: a number"});
  result.arrays.push_back({"/trust/words", {"input"}, n, words, "1", "words that are equally likely; empty: a number"});
  result.arrays.push_back({"/trust/source", {"input"}, n, source, "1", "where it comes from"});
  result.arrays.push_back(
      column("/trust/largest_effect_frac", "input", effect, "1",
             "largest change of a headline that it has made alone in shipped scenarios; NaN: not moved there"));
}

}  // namespace

Result finish(Simulation& run) {
  const auto& scenario = run.model.scenario;
  auto& stream = run.connection->stream();
  auto& recorder = run.recorder;
  run.settle();
  stream.finish();
  note_events(scenario, recorder);
  note_writes(run, recorder);
  Result result;
  recorder.add_arrays(result.arrays);
  stream.add_arrays(result.arrays);
  const auto levels = audit(run);
  const double floor_J = rounding_floor_J(levels);
  std::vector<std::string> name;
  std::vector<double> in, out, stored, closure;
  for (const auto& l : levels) {
    name.push_back(l.name);
    in.push_back(l.in_J);
    out.push_back(l.out_J);
    stored.push_back(l.stored_J);
    closure.push_back(sim::closure(l, floor_J));
  }
  result.arrays.push_back({"/energy/level", {"level"}, shape_of(levels.size()), name, "1", "where the books are kept"});
  result.arrays.push_back(column("/energy/in_J", "level", in, "J", "energy in"));
  result.arrays.push_back(column("/energy/out_J", "level", out, "J", "energy out, losses from their own equations"));
  result.arrays.push_back(column("/energy/stored_J", "level", stored, "J", "rise of what is stored"));
  result.arrays.push_back(column("/energy/closure", "level", closure, "1", "|in - out - stored| / in"));
  add_trust(scenario, result);
  add_summary(run, levels, result);
  add_order_settlements(scenario, result);
  add_transformers(run, result);
  add_costs(run, result);
  add_stops(run, result);
  add_jobs(run, result);
  const auto& counts = run.scratch.counts;
  const double wall_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - run.scratch.wall_start).count();
  result.provenance = {
      {"scenario", scenario.text},
      {"inputs", inputs_of(scenario.text)},
      {"start_time", scenario.run.start},
      {"seed", fmt::format("{}", scenario.run.seed)},
      {"version", TIDEWATT_VERSION},
      {"weather", run.model.site.weather.source()},
      {"weather_file", run.model.site.from.file},
      {"weather_day", run.model.site.from.day},
      {"weather_kind", run.model.site.from.kind},
      {"weather_text", run.model.site.from.text()},
      {"wall_s", fmt::format("{:.3f}", wall_s)},
      {"steps",
       fmt::format(
           "{} jumps of {} iterations, {} slices, {} holds, {} macro steps; {:.0f} s of load booked as repetitions",
           counts.jumps, counts.repetitions, counts.slices, counts.holds, counts.macro_steps,
           static_cast<double>(stream.repeated_bins()) * 1e-3)},
      {"threads", fmt::format("{}", run.model.options.n_thread)},
      {"compiler", __VERSION__}};
  if (!run.state.outside.writes.empty()) result.provenance.emplace_back("writes", told_writes(run.state.outside));
  std::string defaults;
  for (const auto& d : scenario.defaults) defaults += fmt::format("{} = {}  # {}\n", d.key, d.value, d.source);
  if (!defaults.empty()) result.provenance.emplace_back("defaults", defaults);
  std::string open;
  for (const auto& l : levels)
    if (!(sim::closure(l, floor_J) <= most_closure))
      open += fmt::format("\n  {}: {:.2e} (in {:.9g} J, out {:.9g} J, stored {:.9g} J)", l.name,
                          sim::closure(l, floor_J), l.in_J, l.out_J, l.stored_J);
  if (!open.empty()) throw SolverError("the energy balance does not close to 1e-11:" + open);
  check_figures(result);
  const double missed = input_error(run);
  if (missed > 1e-12)
    throw SolverError(
        fmt::format("the engine's input energy differs from the schedule's by {:.2e}, above 1e-12", missed));
  return result;
}

}  // namespace TIDEWATT_NAMESPACE::sim
