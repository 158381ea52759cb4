#include "size_fleet.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "io/durable_file.hpp"
#include "option_checks.hpp"
#include "sim/gpu_step.hpp"
#include "sim/site_weather.hpp"
#include "study/cap_study.hpp"
#include "study/gpu_capacity.hpp"
#include "study/scenario_toml.hpp"
#include "study/scenario_tree.hpp"

using namespace tidewatt;

namespace {

nlohmann::ordered_json to_json(const study::GpuCapacity& c) {
  nlohmann::ordered_json object{{"n_gpu", c.n_gpu},
                                {"n_rack", c.n_rack},
                                {"unit_gpus", c.unit_gpus},
                                {"binds", c.binds},
                                {"connection_MW", c.connection_W * 1e-6},
                                {"W_per_gpu_at_connection", c.W_per_gpu},
                                {"pue_design_hour", c.pue},
                                {"design_hour", c.hour},
                                {"peak_MW", c.peak_W * 1e-6}};
  if (c.supply_max_K > 0.0) object["liquid_supply_max_degC"] = c.supply_max_K - 273.15;
  if (c.cooling_used_frac > 0.0) object["cooling_used_one_unit_out_percent"] = 100.0 * c.cooling_used_frac;
  for (const auto& i : c.items) object["limits"].push_back({{"name", i.name}, {"n_gpu", i.n_gpu}});
  return object;
}

void print_gpus(const FleetOptions& o, const study::GpuCapacity& c) {
  fmt::print("most GPUs: {}, bound by {}\n", c.n_gpu, c.binds);
  fmt::print("racks: {}, counted in whole units of {} GPUs\n", c.n_rack, c.unit_gpus);
  fmt::print(
      "design hour {} h of the day: {:.1f} W per GPU at the connection, PUE {:.3f}, {:.3f} MW drawn in its "
      "mean\n",
      c.hour, c.W_per_gpu, c.pue, c.connection_W * 1e-6);
  fmt::print("largest millisecond of the day: {:.3f} MW{}\n", c.peak_W * 1e-6,
             o.contract_MW > 0.0 && c.peak_W > o.contract_MW * 1e6
                 ? ", above the contract, which is held to the hour's mean (--peak: to the millisecond)"
                 : "");
  if (c.supply_max_K > 0.0)
    fmt::print("liquid at the servers: at most {:.1f} degC during the day\n", c.supply_max_K - 273.15);
  if (o.new_site && c.cooling_used_frac > 0.0)
    fmt::print("cooling at its worst moment with one unit out: {:.0f} % of the rest in use{}\n",
               100.0 * c.cooling_used_frac, c.cooling_used_frac > 1.0 ? "; this plant has no unit to spare" : "");
  fmt::print(
      "GPUs that each limit alone would allow{}\n",
      o.new_site ? ", feeder and plant built for them" : "; \"one out\": with one of its branches out of service");
  for (const auto& i : c.items) fmt::print("  {:<28} {:>10}\n", i.name, i.n_gpu);
}

/// The batch that the plan gives for all replicas, where it does: it grows with them.
bool batch_is_global(const FleetOptions& o) {
  const Node tree = study::whole_tree(o.file);
  const Node* jobs = tree.find("job");
  if (jobs == nullptr || !std::holds_alternative<Node::Array>(jobs->value)) return false;
  const auto& list = std::get<Node::Array>(jobs->value);
  const Node* plan = list.empty() ? nullptr : list.front().find("plan");
  return plan != nullptr && plan->find("global_batch_sequences") != nullptr;
}

/// The scenario with the number found, on the day for which it was found.
std::string with_gpus(const FleetOptions& o, const sim::Scenario& s, const study::GpuCapacity& c) {
  const std::string hall = s.halls.front().hall.name;
  std::string tables;
  if (o.extreme_day) tables += "\n[weather]\nday = \"extreme\"\n";
  tables += fmt::format("\n[[hall]]\nname = \"{}\"\nn_gpu = {}\n", hall, c.n_gpu);
  if (const sim::JobSpec* job = sim::sole_job(s)) {
    tables += fmt::format("\n[[job]]\nname = \"{}\"\n[job.plan]\nn_gpu = \"all\"\n", job->name);
    const std::int64_t per_replica = job->plan.global_batch_sequences / job->plan.dp(),
                       model_gpus = job->plan.n_gpu / job->plan.dp();
    if (batch_is_global(o))
      tables += fmt::format("global_batch_sequences = {}\n", per_replica * (c.n_gpu / model_gpus));
  }
  // What was found comes last: it also replaces an override of the same key.
  auto set = o.set;
  if (!set.empty()) set.push_back(fmt::format("hall.{}.n_gpu={}", hall, c.n_gpu));
  return scenario_found(o.file,
                        fmt::format("with the GPUs that `tidewatt size --for gpus` found behind {:g} MW{}",
                                    o.contract_MW, o.extreme_day ? ", on an extreme day" : ""),
                        tables, set);
}

}  // namespace

std::string scenario_found(const std::string& file, const std::string& comment, const std::string& tables,
                           const std::vector<std::string>& set) {
  const std::string base = std::filesystem::path(file).filename().string();
  const std::string text = fmt::format("schema = 1\nbase = \"{}\"\n{}", base, tables);
  return fmt::format("# {} {}.\n", base, comment) +
         (set.empty() ? text : study::scenario_toml(text, "the scenario found", study::folder_of(file), set));
}

void add_fleet_options(CLI::App& c, FleetOptions& o) {
  c.add_option("--contract-MW", o.contract_MW,
               "gpus, cap: highest power at the connection, mean of the design hour (cap: of the run); 0: not limited "
               "(cap: what the scenario draws without a cap)")
      ->check(within(0, 1e6))
      ->capture_default_str();
  c.add_flag("--peak", o.peak, "gpus: compare the largest 1 ms mean with the contract instead of the hour's mean");
  c.add_option("--breaker-frac", o.breaker_frac,
               "gpus: continuous load of the rows' breakers over the busway's rating (the 80 % rule); 0: not limited")
      ->check(within(0, 10))
      ->capture_default_str();
  c.add_option("--cooling-unit-frac", o.cooling_unit_frac,
               "gpus: fraction of a hall's fan walls or heat rejection that one unit has (assumed; chillers are "
               "counted); 0: ignore cooling")
      ->check(within(0.0, 1.0))
      ->capture_default_str();
  c.add_flag("--new-site", o.new_site,
             "gpus: feeder and plant are built for the number found, so only the contract and rules limit it");
  c.add_option("--lowest-cap-frac", o.lowest_cap_frac, "cap: lowest cap, as a fraction of the board limit")
      ->check(within(0.05, 0.99))
      ->capture_default_str();
  c.add_option("--caps", o.n_cap, "cap: number of caps from the board limit down, one run each")
      ->check(within(3, 1000))
      ->capture_default_str();
}

void size_gpus(const FleetOptions& o, const sim::Scenario& scenario) {
  const auto c = study::most_gpus(scenario, {.contract_W = o.contract_MW * 1e6,
                                             .breaker_frac = o.breaker_frac,
                                             .cooling_unit_frac = o.cooling_unit_frac,
                                             .by_peak = o.peak,
                                             .new_site = o.new_site,
                                             .n_thread = o.n_thread});
  auto object = to_json(c);
  const auto from = sim::site_weather(scenario).from;
  object["weather_from"] = {{"file", from.file}, {"day", from.day}, {"kind", from.kind}};
  if (!o.json) print_gpus(o, c);
  if (!o.json) fmt::print("outdoor air: {}\n", from.text());
  if (!o.write.empty()) {
    const auto text = with_gpus(o, scenario, c);
    io::write_durably(o.write, {text.data(), text.size()});
    object["scenario"] = o.write;
    if (!o.json) fmt::print("{}: written. Run it: tidewatt run {}\n", o.write, o.write);
  }
  if (o.json) fmt::print("{}\n", object.dump());
}

void size_caps(const FleetOptions& o, const sim::Scenario& scenario) {
  const auto s = study::study_caps(
      scenario,
      {.contract_W = o.contract_MW * 1e6, .lowest_frac = o.lowest_cap_frac, .n_cap = o.n_cap, .n_thread = o.n_thread});
  fmt::print("{}", o.json ? study::caps_json(s) + "\n" : study::caps_text(s));
}
