#include "tidewatt/study/new_scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tidewatt/base/error.hpp"
#include "tidewatt/sim/scenario.hpp"
#include "toml_value.hpp"

namespace tidewatt::study {
namespace {

using Values = std::map<std::string, std::string>;  // key -> TOML text

/// Text that TOML reads as what it is, without quotes.
bool is_bare(const std::string& text) {
  return text == "true" || text == "false" || (!text.empty() && text.find_first_not_of("0123456789+-.einfa[], ") == std::string::npos);
}

std::string range_of(const FieldInfo& f) {
  if (std::isfinite(f.range.lo) && std::isfinite(f.range.hi)) return fmt::format("; {} to {}{}{}", f.range.lo, f.range.hi, f.unit.empty() ? "" : " ", f.unit);
  return f.unit.empty() ? "" : "; " + f.unit;
}

/// Every field with its meaning; those without a value of ours stand as comments with their default.
template <class Params>
std::string fields_text(const Values& values, const Params& params = {}) {
  std::string out;
  for (const auto& f : list_fields(params)) {
    out += fmt::format("# {}{}{}\n", f.doc, range_of(f), f.required ? "" : "; optional");
    const auto at = values.find(f.key);
    if (at != values.end())
      out += fmt::format("{} = {}\n", f.key, at->second);
    else
      out += fmt::format("# {} = {}\n", f.key, is_bare(f.value) ? f.value : toml_value(std::string_view(f.value)));
  }
  return out;
}

/// A key that names a catalog entry.
std::string name_text(const char* key, const std::string& name, const char* what) {
  return fmt::format("# {}: a name of 'tidewatt catalog list', or a table with `catalog = name` and keys that differ\n{} = {}\n", what, key,
                     toml_value(std::string_view(name)));
}

}  // namespace

std::string new_scenario(const NewScenario& o) {
  if (o.n_gpu <= 0 || o.n_gpu % 32 != 0 || o.n_gpu > 10'000'000)
    throw InputError(fmt::format("{} GPUs: a new scenario needs a multiple of 32, for tensor groups of 8 in pipelines of 4", o.n_gpu));
  const std::string n_gpu = toml_value(o.n_gpu);
  const std::string hour = toml_value(o.duration_h);
  std::string out = "# A scenario of tidewatt. Every key says its unit at its end; 'tidewatt check FILE' checks it,\n"
                    "# 'tidewatt run FILE' runs it, 'tidewatt run FILE --set key.path=value' changes a value for once.\nschema = 1\n";
  out += "\n[run]\n" + fields_text<sim::RunParams>({{"start", "\"2024-07-20T12:00:00\""}, {"duration_h", hour}, {"seed", "1"}});
  out += "\n[weather]\n" + fields_text<sim::WeatherParams>({{"climate", toml_value(std::string_view(o.climate))}, {"day", "\"hot\""}});
  out += "\n[site]\n" + name_text("feeder", o.feeder, "transformers and cables between the halls and the grid");
  out += "\n[grid]\n" + name_text("catalog", o.grid, "the grid behind the connection");
  out += "# With a case beside it, such as ieee9, the recorded window plays on a power system of several machines: docs/grid.md.\n";
  out += "\n[[hall]]\n" + fields_text<sim::HallParams>({{"name", "\"a\""}, {"n_gpu", n_gpu}, {"servers_per_rack", "2"}, {"racks_per_row", "2"},
                                                       {"recirculation_frac", "0.05"}, {"recirculation_sigma_ratio", "0.5"}});
  out += name_text("gpu", o.gpu, "GPU") + name_text("server", o.server, "server") + name_text("plant", o.plant, "cooling plant");
  out += "\n[[job]]\n# name of the job\nname = \"main\"\n";
  out += name_text("model", o.model, "what is trained") + name_text("network", o.network, "network between the servers");
  out += "\n[job.plan]\n" + fields_text<workload::ParallelPlan>({{"n_gpu", n_gpu}, {"tp", "8"}, {"pp", "4"}, {"virtual_stages", "2"},
                                                                {"micro_batch_sequences", "1"}, {"global_batch_sequences", toml_value(o.n_gpu / 2)},
                                                                {"sequence_tokens", "8192"}, {"gradient_bytes", "4"}, {"sequence_parallel", "true"},
                                                                {"fused_attention", "true"}, {"dp_overlap", "true"}, {"pp_overlap", "true"},
                                                                {"tp_overlap_frac", "0.0"}, {"recompute", "\"none\""}, {"sharding", "\"fsdp\""}});
  out += "\n[job.life]\n" + fields_text<workload::JobParams>({{"start_s", "0"}, {"initialise_base_s", "30"}, {"load_per_gpu_GB_per_s", "2"},
                                                             {"storage_GB_per_s", "2000"}, {"warm_up_s", "20"}, {"checkpoint_interval_s", "0"},
                                                             {"checkpoint_base_s", "1"}, {"checkpoint_per_gpu_GB_per_s", "2"}, {"copy_link_frac", "0.02"},
                                                             {"detect_s", "60"}, {"replace_s", "120"}, {"planned_stop_s", "600"}});
  const double middle_s = std::max(0.0, std::min(0.5 * o.duration_h * 3600.0, o.duration_h * 3600.0 - 30.0));
  out += "\n# Remedies are [[mitigation]] tables: gpu_smoothing, ballast, site_battery (with wear), iteration_beat, job_stagger.\n"
         "# [economics] with a tariff and a footprint prices the run; site.hall_transformer and site.site_transformer watch hot spots.\n"
         "# docs/grid.md has an example of each.\n";
  out += "\n# A window of time that is recorded at full resolution.\n[[record.window]]\n" +
         fields_text<sim::WindowParams>({{"name", "\"sample\""}, {"start_s", toml_value(std::floor(middle_s))}, {"duration_s", "30.0"}});
  out += "\n# What happens on the way is an [[event]] with name, kind, at_s and duration_s: failure, planned_stop, pause, power_brake, sag,\n"
         "# utility_loss, islanding, curtailment, or parts of a plant that fail: fan_wall_out, cdu_out, pump_out, rejection_out, chiller_out.\n";
  return out;
}

}  // namespace tidewatt::study
