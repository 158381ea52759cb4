#include "new_scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "new_scenario_hardware.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/sim/scenario.hpp"
#include "toml_value.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

using Values = std::map<std::string, std::string>;  // key -> TOML text

/// Values that TOML reads without quotes.
bool is_bare(const std::string& text) {
  return text == "true" || text == "false" ||
         (!text.empty() && text.find_first_not_of("0123456789+-.einfa[], ") == std::string::npos);
}

std::string quoted(const std::string& text) { return toml_value(std::string_view(text)); }

std::string range_of(const FieldInfo& f) {
  if (std::isfinite(f.range.lo) && std::isfinite(f.range.hi))
    return fmt::format("; {} to {}{}{}", f.range.lo, f.range.hi, f.unit.empty() ? "" : " ", f.unit);
  return f.unit.empty() ? "" : "; " + f.unit;
}

std::string default_of(const FieldInfo& f) { return is_bare(f.value) ? f.value : quoted(f.value); }

/// Every field with its meaning; those without a value here are comments with their default.
template <class Params>
std::string fields_text(const Values& values, const Params& params = {}) {
  std::string out;
  for (const auto& f : list_fields(params)) {
    out += fmt::format("# {}{}{}\n", f.doc, range_of(f), f.required ? "" : "; optional");
    const auto at = values.find(f.key);
    out += at != values.end() ? fmt::format("{} = {}\n", f.key, at->second)
                              : fmt::format("# {} = {}\n", f.key, default_of(f));
  }
  return out;
}

/// Fields that are set: one line each, followed by its meaning.
template <class Params>
std::string short_text(const Values& values) {
  std::string out;
  for (const auto& f : list_fields(Params{}))
    if (const auto at = values.find(f.key); at != values.end())
      out += fmt::format("{:<34} # {}{}\n", f.key + " = " + at->second, f.doc, range_of(f));
  return out;
}

/// The optional fields of a table above, as comments to copy.
template <class Params>
std::string further_text(const char* table, const std::set<std::string>& set) {
  std::string out = fmt::format("# {}\n", table);
  for (const auto& f : list_fields(Params{}))
    if (!set.contains(f.key))
      out += fmt::format("#   {:<32} # {}{}\n", f.key + " = " + default_of(f), f.doc, range_of(f));
  return out;
}

std::string entry_line(const char* key, const std::string& name, const char* what) {
  return fmt::format("{:<34} # {}\n", fmt::format("{} = {}", key, quoted(name)), what);
}

Values plan_values(const workload::ParallelPlan& plan) {
  const workload::ParallelPlan usual;
  Values out;
  const auto before = list_fields(usual);
  const auto fields = list_fields(plan);
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (fields[i].required || fields[i].value != before[i].value) out[fields[i].key] = default_of(fields[i]);
  out["n_gpu"] = "\"all\"";
  out.erase("global_batch_sequences");
  return out;
}

std::string plan_text(const workload::ParallelPlan& plan) {
  std::string out = fields_text<workload::ParallelPlan>(plan_values(plan));
  // The batch is given per replica, so that one number scales the job.
  const std::string key = "# global_batch_sequences = 0\n";
  const auto at = out.find(key);
  out.replace(
      at, key.size(),
      fmt::format("# given per replica here, so that n_gpu alone scales the job\nreplica_batch_sequences = {}\n",
                  plan.global_batch_sequences / plan.dp()));
  return out;
}

/// The life of the defaults' entry: what stops, saves and starts of a job take.
std::string life_text(const workload::JobParams& life) {
  static const std::set<std::string> written = {"start_s",
                                                "initialise_base_s",
                                                "arrive_s",
                                                "load_per_gpu_GB_per_s",
                                                "storage_GB_per_s",
                                                "warm_up_s",
                                                "checkpoint_interval_s",
                                                "checkpoint_base_s",
                                                "checkpoint_per_gpu_GB_per_s",
                                                "copy_link_frac",
                                                "detect_s",
                                                "replace_s",
                                                "planned_stop_s"};
  Values values;
  for (const auto& f : list_fields(life))
    if (written.contains(f.key)) values[f.key] = default_of(f);
  return fields_text<workload::JobParams>(values);
}

/// The plant's entry, and set points of its own.
std::string plant_text(const Hardware& h) {
  std::string out = fmt::format("[hall.plant]\ncatalog = {}\n", quoted(h.plant));
  for (const auto& [key, degC] : h.plant_set_degC) out += fmt::format("{} = {}\n", key, toml_value(degC));
  return out;
}

std::string site_text(const Hardware& h) {
  std::string out = "\n[site.feeder]\n" +
                    entry_line("catalog", h.feeder, "transformers and cables between the halls and the connection") +
                    short_text<power::FeederParams>({{"fit_transformers", "true"}});
  if (h.rack_storage)
    out += "\n[site.rack_storage]\nfrom_rack = true                    # the storage that the rack ships with\n";
  return out;
}

std::string window_text(double duration_h) {
  const double run_s = duration_h * 3600.0, length_s = std::min(30.0, run_s);
  return fields_text<sim::WindowParams>(
      {{"name", "\"sample\""},
       {"start_s", toml_value(std::floor(std::max(0.0, std::min(0.5 * run_s, run_s - length_s))))},
       {"duration_s", toml_value(length_s)}});
}

std::string text_of(const NewScenario& o, const Hardware& h) {
  std::string out =
      "# A scenario of tidewatt. Keys end with their unit. 'tidewatt run FILE' runs it, 'tidewatt check FILE' checks "
      "it,\n"
      "# '--set run.duration_h=2' overrides a key for one run, 'tidewatt schema --keys' explains every key.\nschema = "
      "1\n"
      "\n# ---- What you will change ----\n";
  out += "[run]\n" +
         short_text<sim::RunParams>({{"start", "\"2024-07-20T12:00:00\""}, {"duration_h", toml_value(o.duration_h)}});
  out += "\n[weather]\n" + short_text<sim::WeatherParams>({{"climate", quoted(o.climate)}}) +
         "# day = \"hot\"                      # the month's hot day, or \"extreme\"; left out: a typical one\n";
  Values hall = {{"n_gpu", toml_value(h.n_gpu)}};
  if (h.servers_per_rack > 0) hall["servers_per_rack"] = toml_value(h.servers_per_rack);
  out += "\n[[hall]]\nname = \"a\"\n" + short_text<sim::HallParams>(hall) +
         entry_line("gpu", h.gpu, "GPU, a name of 'tidewatt catalog list'");
  if (!h.rack.empty()) out += entry_line("rack", h.rack, "its servers are trays of this rack");
  out += "\n[[job]]\nname = \"main\"\n" +
         entry_line("model", o.model, "what is trained, a name of 'tidewatt catalog list'");
  out += "\n# ---- Chosen to fit: change these together ----\n";
  for (const auto& choice : h.choices) out += "# " + choice + "\n";
  out += fmt::format("[hall.server]\ncatalog = {}\n\n{}\n[job.network]\ncatalog = {}\n", quoted(h.server),
                     plant_text(h), quoted(h.network));
  out += "\n[job.plan]\n" + plan_text(h.plan);
  out += "\n# ---- The job's life, the site and what is recorded ----\n[job.life]\n" + life_text(h.life);
  out += site_text(h);
  out += "\n[grid]\n" + entry_line("catalog", o.grid, "grid behind the connection");
  out += "\n# A window of time that is recorded every millisecond.\n[[record.window]]\n" + window_text(o.duration_h);
  std::set<std::string> further_hall = {"name"};
  for (const auto& [key, value] : hall) further_hall.insert(key);
  out += "\n# ---- Further keys of the tables above with their defaults: copy a line below its table's header ----\n";
  out += further_text<sim::RunParams>("[run]", {"start", "duration_h"}) +
         further_text<sim::WeatherParams>("[weather]", {"climate"}) +
         further_text<sim::HallParams>("[[hall]]", further_hall);
  out +=
      "# Further tables: [[event]] (a disturbance at a time), [[mitigation]], [economics], [[site.neighbour]], devices "
      "in [site];\n"
      "# 'tidewatt schema --keys event' lists the keys of one.\n";
  return out;
}

}  // namespace

NewScenarioFile write_scenario(const NewScenario& o) {
  const Hardware hardware = choose_hardware(o);
  NewScenarioFile out{text_of(o, hardware), hardware.choices};
  sim::read_scenario(parse_toml(out.text, "new scenario"), ".");
  return out;
}

std::string new_scenario(const NewScenario& o) { return write_scenario(o).text; }

}  // namespace TIDEWATT_NAMESPACE::study
