// Figures of the summary: what the site and all of its jobs did.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "fan_report.hpp"
#include "grid_case.hpp"
#include "grid_summary.hpp"
#include "run_result.hpp"
#include "scenario_rack.hpp"
#include "training_figures.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

using Figures = std::vector<std::pair<std::string, Value>>;

Value number(double x) { return std::isfinite(x) ? Value(x) : Value(); }
Value known(bool applies, Value x) { return applies ? std::move(x) : Value(); }

void append(Figures& s, Figures more) {
  s.insert(s.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

void add_training(const Simulation& run, const TrainingFigures& training, Figures& s) {
  const auto swing = run.recorder.swing();
  append(s, training_values(training));
  append(s, {{"mfu_attention", std::string(workload::Utilisation::mfu_attention)},
             {"hfu_attention", std::string(workload::Utilisation::hfu_attention)},
             {"tokens_per_s_mean", number(training.tokens_per_s)},
             {"throughput_swing_percent", known(swing.known, swing.percent)},
             {"throughput_swing_floor_percent", swing_floor_percent},
             {"throughput_min_hours", swing.min_hours}});
}

void add_gpus(const Simulation& run, const TrainingFigures& training, Figures& s) {
  const auto& r = run.recorder;
  append(s, clock_values(training));
  append(s, {{"die_max_degC", r.die_max_K() - 273.15},
             {"die_mean_degC", number(training.die_mean_K - 273.15)},
             {"memory_mean_degC", number(training.memory_mean_K - 273.15)},
             {"memory_max_degC", known(r.memory_max_K() > 0.0, r.memory_max_K() - 273.15)}});

  // Fans that move to and fro between two steps of their table.
  const auto fans = fan_report(run.model.fleet, r.snapshot().arrays());
  const bool cycle = fans && fans->n_cycling > 0;
  append(s, {{"fan_cycling_nodes", fans ? Value(fans->n_cycling) : Value()},
             {"fan_cycle_amplitude_K", cycle ? Value(fans->amplitude_K) : Value()},
             {"fan_cycle_period_s", cycle ? Value(fans->period_s) : Value()},
             {"limiter_share", known(!training.limiter_share.empty(), training.limiter_share)}});

  // Power over the caps, of all jobs.
  double over_W = 0.0, over_s = 0.0, worked_s = 0.0;
  for (const auto& u : run.occupants) {
    over_W = std::max(over_W, u.figures().cap_over_W);
    over_s += u.figures().cap_over_s;
    worked_s += u.figures().worked_s;
  }
  append(s,
         {{"cap_over_max_W", known(worked_s > 0.0, over_W)}, {"cap_over_percent", number(100.0 * over_s / worked_s)}});
}

/// One value per level of the feeder, in percent. @param of its fractions
template <class Fractions>
std::vector<std::pair<std::string, double>> by_level(const Fractions& of) {
  std::vector<std::pair<std::string, double>> out;
  out.reserve(power::FeederParams::n_level);
  for (std::size_t i = 0; i < power::FeederParams::n_level; ++i)
    out.emplace_back(power::FeederParams::level_names[i], 100.0 * of[i]);
  return out;
}

void add_power(const Simulation& run, double total_s, Figures& s) {
  const auto& stream = run.connection->stream();
  const auto spectrum = stream.spectrum();
  const auto line = spectrum.n_segment > 0 ? spectrum.dominant(0.02) : numerics::Line{};
  append(s, {{"it_mean_MW", run.recorder.it_J() / total_s * 1e-6},
             {"neighbours_mean_MW", known(!run.neighbours.empty(), neighbours_J(run) / total_s * 1e-6)},
             {"pcc_mean_MW", stream.connection_J() / total_s * 1e-6},
             {"pcc_max_MW", stream.max_W() * 1e-6},
             {"pcc_min_MW", stream.min_W() * 1e-6},
             {"pcc_step_1s_max_MW", stream.step_1s_W() * 1e-6},
             {"pcc_ramp_up_max_MW_per_s", stream.ramp_up_W_per_s() * 1e-6},
             {"pcc_ramp_down_max_MW_per_s", stream.ramp_down_W_per_s() * 1e-6},
             {"pcc_dominant_Hz", known(line.amplitude > 0, line.frequency_Hz)},
             {"pcc_dominant_MW", known(line.amplitude > 0, line.amplitude * 1e-6)},
             {"feeder_loading_max_percent", by_level(stream.feeder_meters().loading_max_frac)},
             {"feeder_loading_mean_max_percent", by_level(run.connection->loading().mean_max_frac())},
             {"freq_deviation_max_mHz", stream.grid().frequency_deviation_Hz() * 1e3},
             {"volt_deviation_max_percent", stream.grid().voltage_deviation_pu() * 100.0}});
}

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

void add_cooling(const Simulation& run, Figures& s) {
  const auto& scenario = run.model.scenario;
  const auto& stream = run.connection->stream();
  const auto& plants = run.halls.books();
  const double it_J = run.recorder.it_J();
  double supplied_J = stream.connection_J();
  if (const auto* d = stream.delivery()) supplied_J += d->local_J() - d->stored_J();

  const auto any_hall = [&](auto&& has) { return std::any_of(scenario.halls.begin(), scenario.halls.end(), has); };
  const bool has_plant =
      any_hall([](const HallSpec& h) { return h.own_plant || h.plant_kind != PlantKind::prescribed_inlet; });
  const bool has_heat_user = any_hall([](const HallSpec& h) {
    return h.own_plant || (h.plant_kind == PlantKind::hydronic && h.hydronic.reuse_max_W > 0.0);
  });
  const bool has_part = has_plant && plants.margin_part != cooling::PlantPart::none;
  const auto range = out_of_range(scenario, plants);
  append(s, {{"pue", number((supplied_J - stream.battery_stored_J()) / it_J)},
             {"wue_L_per_kWh", number(plants.water_kg.value() / (it_J / 3.6e6))},
             {"capacity_margin_min_percent", known(has_plant, 100.0 * plants.capacity_margin_min_frac)},
             {"capacity_margin_part", has_part ? Value(std::string(word_of(plants.margin_part))) : Value()},
             {"out_of_range", known(!range.empty(), range)},
             {"heat_reused_MWh", known(has_heat_user, plants.reuse.value() / 3.6e9)}});
}

void add_interruptions(const Simulation& run, Figures& s) {
  const auto& scenario = run.model.scenario;
  workload::JobBooks stops;  // of all jobs
  bool racks = false;
  for (std::size_t j = 0; j < scenario.jobs.size(); ++j) {
    const auto& books = run.occupants[j].life().books();
    stops.unexpected += books.unexpected, stops.thermal += books.thermal, stops.power += books.power;
    stops.planned += books.planned, stops.by_switch_tray += books.by_switch_tray, stops.by_rack += books.by_rack;
    racks = racks || domain_layout(scenario, scenario.jobs[j]).n_domain > 0;
  }
  append(s, {{"n_interruptions_unexpected", stops.unexpected},
             {"n_interruptions_thermal", stops.thermal},
             {"n_interruptions_power", stops.power},
             {"power_lost_s", known(run.connection->can_lose_power(), seconds(run.state.dark_ns))},
             {"n_interruptions_planned", stops.planned},
             {"n_interruptions_tray", known(racks, stops.by_node())},
             {"n_interruptions_switch_tray", known(racks, stops.by_switch_tray)},
             {"n_interruptions_rack", known(racks, stops.by_rack)}});
}

void add_smoothing(const Simulation& run, const TrainingFigures& training, Figures& s) {
  const auto& acts = training.smoothing;
  const bool acted = run.model.scenario.gpu_smoothing.has_value();
  const double burn_MWh = run.state.meters.smoothing_burn.value() / 3.6e9;
  append(s, {{"smoothing_burn_MWh", known(holds_power(run.model.scenario), burn_MWh)},
             {"smoothing_floor_s", known(acted, acts.floor_s)},
             {"smoothing_ramp_up_s", known(acted, acts.ramp_up_s)},
             {"smoothing_ramp_down_s", known(acted, acts.ramp_down_s)},
             {"smoothing_hysteresis_s", known(acted, acts.hysteresis_s)}});
}

double closure_of(const std::vector<AuditLevel>& levels) {
  double out = 0.0;
  const double floor_J = rounding_floor_J(levels);
  for (const auto& l : levels) out = std::max(out, closure(l, floor_J));
  return out;
}

}  // namespace

void add_summary(const Simulation& run, const std::vector<AuditLevel>& levels, Result& result) {
  const auto& scenario = run.model.scenario;
  const double total_s = seconds(run.model.end);
  const auto training = site_training(training_figures(run));
  auto& s = result.summary;
  append(s, {{"schema_version", std::int64_t{1}},
             {"simulated_s", total_s},
             {"n_gpu", static_cast<std::int64_t>(run.model.fleet.n_gpu())}});
  add_training(run, training, s);
  add_gpus(run, training, s);
  add_power(run, total_s, s);
  add_cooling(run, s);
  add_interruptions(run, s);
  s.emplace_back("effective_time_percent", number(100.0 * training.effective_frac));
  add_smoothing(run, training, s);
  append(s, {{"energy_closure", closure_of(levels)}, {"input_energy_error", input_error(run)}});
  add_grid_summary(run.connection->stream(), total_s, result);
  if (scenario.grid_case) add_grid_case(scenario, answer_of_grid_case(scenario, result.arrays), result);
}

}  // namespace TIDEWATT_NAMESPACE::sim
