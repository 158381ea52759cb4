#include "summary_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "summary_figures.hpp"

namespace TIDEWATT_NAMESPACE::io {
namespace {

/// A line of the table. The unit is that of the key, or given where the key has none.
struct Row {
  const char* topic;
  const char* key;
  const char* label;
  const char* unit;
  int digits = 3;
};

constexpr std::array rows = {
    Row{"Training", "tokens_per_s_mean", "throughput while training", "tokens/s"},
    Row{"Training", "iteration_s", "iteration", "s"},
    Row{"Training", "tflops_per_gpu", "model arithmetic per GPU", "TFLOP/s"},
    Row{"Training", "mfu_percent", "MFU, causal attention", "%"},
    Row{"Training", "mfu_bf16_percent", "the same of the bf16 peak", "%"},
    Row{"Training", "hfu_percent", "HFU, full attention, recomputed", "%"},
    Row{"Training", "utilisation_peak_TF", "dense peak of MFU and HFU", "TFLOP/s", 4},
    Row{"Training", "utilisation_precision", "its format, of linear layers", ""},
    Row{"Training", "tokens_per_J", "tokens per joule drawn", "tokens/J"},
    Row{"Training", "throughput_swing_percent", "swing of hourly throughput", "%"},
    Row{"Training", "throughput_min_hours", "slowest hours begin at", "h"},
    Row{"Training", "effective_time_percent", "effective training time", "%"},
    Row{"Training", "n_interruptions_unexpected", "unexpected interruptions", ""},
    Row{"Training", "n_interruptions_thermal", "of them by overheating", ""},
    Row{"Training", "n_interruptions_tray", "of them by trays", ""},
    Row{"Training", "n_interruptions_switch_tray", "of them by switch trays", ""},
    Row{"Training", "n_interruptions_rack", "of them by whole racks", ""},
    Row{"Training", "n_interruptions_planned", "planned stops", ""},
    Row{"GPUs", "clock_mean_MHz", "mean clock", "MHz", 4},
    Row{"GPUs", "clock_slowest_MHz", "slowest GPU", "MHz", 4},
    Row{"GPUs", "clock_alone_MHz", "mean clock without waiting", "MHz", 4},
    Row{"GPUs", "slowest_behind_percent", "slowest GPU below that, mean", "%"},
    Row{"GPUs", "straggler_loss_percent", "tokens lost to that wait", "%"},
    Row{"GPUs", "limiter_share", "compute time by limiter", ""},
    Row{"GPUs", "die_mean_degC", "mean die", "°C"},
    Row{"GPUs", "die_max_degC", "hottest die", "°C"},
    Row{"GPUs", "memory_max_degC", "hottest memory", "°C"},
    Row{"Power", "it_mean_MW", "servers, mean", "MW"},
    Row{"Power", "neighbours_mean_MW", "of them neighbours", "MW"},
    Row{"Power", "pcc_mean_MW", "connection, mean", "MW"},
    Row{"Power", "pcc_max_MW", "connection, highest", "MW"},
    Row{"Power", "pcc_min_MW", "connection, lowest", "MW"},
    Row{"Power", "pcc_step_1s_max_MW", "largest change over 1 s", "MW"},
    Row{"Power", "pcc_ramp_up_max_MW_per_s", "steepest rise over 0.1 s", "MW/s"},
    Row{"Power", "pcc_ramp_down_max_MW_per_s", "steepest fall over 0.1 s", "MW/s"},
    Row{"Power", "stops_failure", "stops by failures", ""},
    Row{"Power", "stops_kill", "stops by a scheduler's kill", ""},
    Row{"Power", "stops_power_loss", "stops by loss of power", ""},
    Row{"Power", "pcc_dominant_Hz", "largest spectral line", "Hz"},
    Row{"Grid", "freq_deviation_max_mHz", "largest frequency deviation", "mHz"},
    Row{"Grid", "volt_deviation_max_percent", "largest voltage deviation", "%"},
    Row{"Grid", "flicker_P_st_230V_50Hz", "flicker P_st, 230 V lamp", ""},
    Row{"Grid", "flicker_P_st_120V_60Hz", "flicker P_st, 120 V lamp", ""},
    Row{"Grid", "compliance", "rules of the utility", ""},
    Row{"Grid", "compliance_not_passed", "not passed", ""},
    Row{"Grid", "order_kept", "order to draw less", ""},
    Row{"Grid", "load_lost_MW", "load lost", "MW"},
    Row{"Grid", "unserved_MWh", "energy not served", "MWh"},
    Row{"Cooling", "pue", "PUE", "", 4},
    Row{"Cooling", "wue_L_per_kWh", "WUE", "L/kWh"},
    Row{"Cooling", "capacity_margin_min_percent", "smallest cooling margin", "%"},
    Row{"Cooling", "capacity_margin_part", "its part", ""},
    Row{"Cooling", "out_of_range", "out of range", ""},
    Row{"Cooling", "heat_reused_MWh", "heat reused", "MWh"},
    Row{"Mitigation", "smoothing_burn_MWh", "burned to hold power up", "MWh"},
    Row{"Mitigation", "smoothing_floor_s", "floor held power up for", "s per GPU"},
    Row{"Mitigation", "smoothing_ramp_down_s", "ramp down held power up for", "s per GPU"},
    Row{"Mitigation", "smoothing_ramp_up_s", "ramp up held power down for", "s per GPU"},
    Row{"Mitigation", "smoothing_hysteresis_s", "hysteresis kept the floor for", "s per GPU"},
    Row{"Mitigation", "battery_discharged_MWh", "battery discharged", "MWh"},
    Row{"Mitigation", "battery_loss_MWh", "battery losses", "MWh"},
    Row{"Mitigation", "battery_soc_min", "battery, lowest state of charge", ""},
    Row{"Mitigation", "rack_storage_loss_MWh", "rack storage losses", "MWh"},
    Row{"Supply", "ups_loss_MWh", "supplies' losses", "MWh"},
    Row{"Supply", "generator_MWh", "generators", "MWh"},
    Row{"Supply", "turbine_parallel_MWh", "turbines in parallel", "MWh"},
    Row{"Supply", "island_frequency_min_Hz", "island, lowest frequency", "Hz", 4},
    Row{"Costs", "cost_USD", "cost", "USD"},
    Row{"Costs", "carbon_t", "carbon dioxide", "t"},
    Row{"Costs", "water_m3", "water", "m³"},
};

/// An entry of a list: `ramp_down_max_MW_per_s` is "ramp down max 21.7 MW/s", and a count has no decimals.
std::string entry_text(std::string key, double x, int digits) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> units = {{{"_MW_per_s", " MW/s"},
                                                                                   {"_MWh", " MWh"},
                                                                                   {"_MW", " MW"},
                                                                                   {"_mHz", " mHz"},
                                                                                   {"_Hz", " Hz"},
                                                                                   {"_percent", " %"},
                                                                                   {"_degC", " °C"},
                                                                                   {"_s", " s"}}};
  std::string unit;
  for (const auto& [end, word] : units)
    if (unit.empty() && key.ends_with(end)) key.resize(key.size() - end.size()), unit = word;
  const bool count = key == "n" || key.starts_with("n_");
  if (count) key = key == "n" ? "number" : "number " + key.substr(2);
  std::replace(key.begin(), key.end(), '_', ' ');
  return fmt::format("{} {}{}", key, shown(x, count ? every_digit : digits), unit);
}

std::string value_text(const sim::Value& v, int digits) {
  if (const auto* d = std::get_if<double>(&v)) return shown(*d, digits);
  if (const auto* i = std::get_if<std::int64_t>(&v)) return shown(static_cast<double>(*i), every_digit);
  if (const auto* s = std::get_if<std::string>(&v)) return *s;
  if (const auto* whole = std::get_if<std::vector<std::int64_t>>(&v)) return fmt::format("{}", fmt::join(*whole, ", "));
  std::string out;
  if (const auto* l = std::get_if<FigureList>(&v))
    for (const auto& [k, x] : *l)
      if (x != 0.0) out += fmt::format("{}{}", out.empty() ? "" : ", ", entry_text(k, x, digits));
  return out.empty() ? "0" : out;
}

/// Six digits, as a machine would read them.
std::string exact(const sim::Value& v) {
  if (const auto* d = std::get_if<double>(&v)) return fmt::format("{:.6g}", *d);
  if (const auto* i = std::get_if<std::int64_t>(&v)) return fmt::format("{}", *i);
  if (const auto* s = std::get_if<std::string>(&v)) return *s;
  if (const auto* whole = std::get_if<std::vector<std::int64_t>>(&v)) return fmt::format("{}", fmt::join(*whole, " "));
  std::string out;
  if (const auto* l = std::get_if<FigureList>(&v))
    for (const auto& [k, x] : *l) out += fmt::format("{}{} {:.6g}", out.empty() ? "" : ", ", k, x);
  return out;
}

void add_figures(std::string& out, const std::vector<std::pair<std::string, sim::Value>>& figures) {
  for (const auto& [key, value] : figures)
    if (!std::holds_alternative<std::monostate>(value)) out += fmt::format("{:<32} {}\n", key, exact(value));
}

}  // namespace

std::string summary_table(const sim::Result& result) {
  const Figures f(result);
  std::string out, topic;
  for (const auto& row : rows) {
    const bool twice = std::string_view(row.key) == "mfu_bf16_percent" && f.text("utilisation_precision") == "bf16";
    if (!f.has(row.key) || twice) continue;
    const auto at = std::find_if(result.summary.begin(), result.summary.end(),
                                 [&](const auto& item) { return item.first == row.key; });
    if (topic != row.topic) out += fmt::format("{}{}\n", out.empty() ? "" : "\n", row.topic);
    topic = row.topic;
    out += fmt::format("  {:<32} {}{}{}\n", row.label, value_text(at->second, row.digits), *row.unit == '\0' ? "" : " ",
                       row.unit);
  }
  return out;
}

std::string summary_text(const sim::Result& result) { return summary_sentences(result) + "\n" + summary_table(result); }

std::string summary_all(const sim::Result& result) {
  std::string out = "Every figure\n";
  add_figures(out, result.summary);
  const Figures f(result);
  if (const auto file = f.provenance("weather_file"); !file.empty())
    out += fmt::format("{:<32} file {}, day {}, kind {}\n", "weather_from", file, f.provenance("weather_day"),
                       f.provenance("weather_kind"));
  if (result.jobs.size() > 1)
    for (const auto& job : result.jobs) {
      out += fmt::format("\njob {}\n", exact(job.front().second));
      add_figures(out, {job.begin() + 1, job.end()});
    }
  const std::string defaults = f.provenance("defaults");
  if (!defaults.empty()) out += "\nDefaults: left out by the scenario\n" + defaults;
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::io
