#include "run_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "common_key.hpp"
#include "fan_report.hpp"
#include "grid_case.hpp"
#include "grid_summary.hpp"
#include "scenario_inputs.hpp"
#include "scenario_rack.hpp"
#include "training_figures.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

constexpr double most_figure = 1e30;  ///< nothing that a site has is so large in SI units

Value number(double x) { return std::isfinite(x) ? Value(x) : Value(); }

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
    for (auto& [name, value] : figures) std::visit(CheckValue{name, value}, Value(value));
  };
  check(result.summary);
  for (auto& job : result.jobs) check(job);
  for (const auto& a : result.arrays)
    if (const auto* real = std::get_if<std::vector<double>>(&a.values))
      for (const double x : *real) check_figure(a.path, x);
}

std::vector<std::uint64_t> shape_of(std::size_t n) { return {n}; }

/// Fluids that were warmer than servers, or they themselves, take.
std::string out_of_range(const Scenario& scenario, const HallBooks& books) {
  std::string out;
  const auto add = [&](const FluidRange& r, std::string_view fluid, std::string_view limit) {
    if (r.since < 0) return;
    out += fmt::format("{}{} of hall {} reaches {:.3g} °C, {} {:.3g} °C, from {:.6g} s on", out.empty() ? "" : "; ",
                       fluid, scenario.halls[r.hall].hall.name, r.warmest_K - 273.15, limit, r.limit_K - 273.15,
                       seconds(r.since));
  };
  add(books.air, "supply air", "servers start up to");
  add(books.liquid, "supply liquid", "servers start up to");
  add(books.water, "liquid in the plant", "water boils at");
  return out;
}

}  // namespace

void add_summary(const Simulation& run, const std::vector<AuditLevel>& levels, Result& result) {
  const auto& scenario = run.model.scenario;
  const auto& stream = run.connection->stream();
  const auto& halls = run.halls;
  const auto& r = run.recorder;
  const double total_s = seconds(run.model.end);
  const auto training = site_training(training_figures(run));
  const auto swing = r.swing();
  const auto spectrum = stream.spectrum();
  const auto strongest = spectrum.n_segment > 0 ? spectrum.dominant(0.02) : numerics::Line{};
  double closure = 0.0;
  const double floor_J = rounding_floor_J(levels);
  for (const auto& l : levels) closure = std::max(closure, sim::closure(l, floor_J));
  auto& s = result.summary;
  const auto put = [&](const char* key, Value v) { s.emplace_back(key, std::move(v)); };
  const auto append = [&](std::vector<std::pair<std::string, Value>> more) {
    s.insert(s.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  put("schema_version", std::int64_t{1});
  put("simulated_s", total_s);
  put("n_gpu", static_cast<std::int64_t>(run.model.fleet.n_gpu()));
  append(training_values(training));
  put("mfu_attention", std::string(workload::Utilisation::mfu_attention));
  put("hfu_attention", std::string(workload::Utilisation::hfu_attention));
  put("tokens_per_s_mean", number(training.tokens_per_s));
  put("throughput_swing_percent", swing.known ? Value(swing.percent) : Value());
  put("throughput_swing_floor_percent", swing_floor_percent);
  put("throughput_min_hours", swing.min_hours);
  append(clock_values(training));
  put("die_max_degC", r.die_max_K() - 273.15);
  put("die_mean_degC", number(training.die_mean_K - 273.15));
  put("memory_mean_degC", number(training.memory_mean_K - 273.15));
  put("memory_max_degC", r.memory_max_K() > 0.0 ? Value(r.memory_max_K() - 273.15) : Value());
  const auto fans = fan_report(run.model.fleet, r.snapshot().arrays());
  put("fan_cycling_nodes", fans ? Value(fans->n_cycling) : Value());
  put("fan_cycle_amplitude_K", fans && fans->n_cycling > 0 ? Value(fans->amplitude_K) : Value());
  put("fan_cycle_period_s", fans && fans->n_cycling > 0 ? Value(fans->period_s) : Value());
  put("limiter_share", training.limiter_share.empty() ? Value() : Value(training.limiter_share));
  double over_W = 0.0, over_s = 0.0, worked_s = 0.0;
  for (const auto& u : run.occupants) {
    over_W = std::max(over_W, u.figures().cap_over_W);
    over_s += u.figures().cap_over_s;
    worked_s += u.figures().worked_s;
  }
  put("cap_over_max_W", worked_s > 0.0 ? Value(over_W) : Value());
  put("cap_over_percent", number(100.0 * over_s / worked_s));
  put("it_mean_MW", r.it_J() / total_s * 1e-6);
  put("neighbours_mean_MW", run.neighbours.empty() ? Value() : Value(neighbours_J(run) / total_s * 1e-6));
  put("pcc_mean_MW", stream.connection_J() / total_s * 1e-6);
  put("pcc_max_MW", stream.max_W() * 1e-6);
  put("pcc_min_MW", stream.min_W() * 1e-6);
  put("pcc_step_1s_max_MW", stream.step_1s_W() * 1e-6);
  put("pcc_ramp_up_max_MW_per_s", stream.ramp_up_W_per_s() * 1e-6);
  put("pcc_ramp_down_max_MW_per_s", stream.ramp_down_W_per_s() * 1e-6);
  put("pcc_dominant_Hz", strongest.amplitude > 0 ? Value(strongest.frequency_Hz) : Value());
  put("pcc_dominant_MW", strongest.amplitude > 0 ? Value(strongest.amplitude * 1e-6) : Value());
  std::vector<std::pair<std::string, double>> loading;
  loading.reserve(power::FeederParams::n_level);
  for (std::size_t i = 0; i < power::FeederParams::n_level; ++i)
    loading.emplace_back(power::FeederParams::level_names[i], 100.0 * stream.feeder_meters().loading_max_frac[i]);
  put("feeder_loading_max_percent", loading);
  const auto mean_frac = run.connection->loading().mean_max_frac();
  for (std::size_t i = 0; i < power::FeederParams::n_level; ++i) loading[i].second = 100.0 * mean_frac[i];
  put("feeder_loading_mean_max_percent", loading);
  put("freq_deviation_max_mHz", stream.grid().frequency_deviation_Hz() * 1e3);
  put("volt_deviation_max_percent", stream.grid().voltage_deviation_pu() * 100.0);
  double supplied_J = stream.connection_J();
  if (const auto* d = stream.delivery()) supplied_J += d->local_J() - d->stored_J();
  put("pue", number((supplied_J - stream.battery_stored_J()) / r.it_J()));
  put("wue_L_per_kWh", number(halls.books().water_kg.value() / (r.it_J() / 3.6e6)));
  const auto any_hall = [&](auto&& has) { return std::any_of(scenario.halls.begin(), scenario.halls.end(), has); };
  const bool has_plant =
      any_hall([](const HallSpec& h) { return h.own_plant || h.plant_kind != PlantKind::prescribed_inlet; });
  const bool has_heat_user = any_hall([](const HallSpec& h) {
    return h.own_plant || (h.plant_kind == PlantKind::hydronic && h.hydronic.reuse_max_W > 0.0);
  });
  const auto& plants = halls.books();
  put("capacity_margin_min_percent", has_plant ? Value(100.0 * plants.capacity_margin_min_frac) : Value());
  put("capacity_margin_part", has_plant && plants.margin_part != cooling::PlantPart::none
                                  ? Value(std::string(word_of(plants.margin_part)))
                                  : Value());
  const auto range = out_of_range(scenario, plants);
  put("out_of_range", range.empty() ? Value() : Value(range));
  put("heat_reused_MWh", has_heat_user ? Value(halls.books().reuse.value() / 3.6e9) : Value());
  // Of all jobs.
  workload::JobBooks stops;
  bool racks = false;
  for (std::size_t j = 0; j < scenario.jobs.size(); ++j) {
    const auto& books = run.occupants[j].life().books();
    stops.unexpected += books.unexpected, stops.thermal += books.thermal, stops.power += books.power;
    stops.planned += books.planned, stops.by_switch_tray += books.by_switch_tray, stops.by_rack += books.by_rack;
    racks = racks || domain_layout(scenario, scenario.jobs[j]).n_domain > 0;
  }
  put("n_interruptions_unexpected", stops.unexpected);
  put("n_interruptions_thermal", stops.thermal);
  put("n_interruptions_power", stops.power);
  put("power_lost_s", run.connection->can_lose_power() ? Value(seconds(run.state.dark_ns)) : Value());
  put("n_interruptions_planned", stops.planned);
  put("n_interruptions_tray", racks ? Value(stops.by_node()) : Value());
  put("n_interruptions_switch_tray", racks ? Value(stops.by_switch_tray) : Value());
  put("n_interruptions_rack", racks ? Value(stops.by_rack) : Value());
  put("effective_time_percent", number(100.0 * training.effective_frac));
  put("smoothing_burn_MWh", holds_power(scenario) ? Value(run.state.meters.smoothing_burn.value() / 3.6e9) : Value());
  const auto& acts = training.smoothing;
  const auto acted = [&](double spent_s) { return scenario.gpu_smoothing ? Value(spent_s) : Value(); };
  put("smoothing_floor_s", acted(acts.floor_s));
  put("smoothing_ramp_up_s", acted(acts.ramp_up_s));
  put("smoothing_ramp_down_s", acted(acts.ramp_down_s));
  put("smoothing_hysteresis_s", acted(acts.hysteresis_s));
  put("energy_closure", closure);
  put("input_energy_error", input_error(run));
  add_grid_summary(stream, total_s, result);
  if (scenario.grid_case) add_grid_case(scenario, answer_of_grid_case(scenario, result.arrays), result);
}

namespace {

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
    effect.push_back(known_effect_frac(a.key));
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
