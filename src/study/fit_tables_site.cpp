#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fit_levels.hpp"
#include "fit_plant.hpp"
#include "fit_poles.hpp"
#include "fit_rows.hpp"
#include "fit_table_parts.hpp"
#include "fit_words.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/cooling/psychrometrics.hpp"
#include "tidewatt/thermal/server_air.hpp"

namespace TIDEWATT_NAMESPACE::study::table_fit {
namespace {

constexpr std::size_t most_readings = 60;  // of a plant, whose every reading is two hours of its own model

}  // namespace

FittedEntry server(const FitTableOptions& o) {
  const Columns c(o.files.front());
  const auto time_s = c.time_s();
  const auto gpu_W = c.needed({"gpu_sum_W"}), node_W = c.needed({"node_W"}), fan = c.optional({"fan_frac"}),
             busy = c.optional({"busy"});
  std::vector<ServerReading> readings;
  for (std::size_t i = 0; i < time_s.size(); ++i)
    if (std::isfinite(gpu_W[i]) && std::isfinite(node_W[i]) && std::isfinite(fan[i]) == c.has({"fan_frac"}))
      readings.push_back({time_s[i], gpu_W[i], node_W[i], fan[i], !(busy[i] == 0.0)});
  const EntryBase base("server", o.base);
  EntryMaker out(base, o);
  out.add("server", fit_server(base, readings), times_of(readings), "W",
          {{"host_W", "power.host_W"},
           {"host_idle_W", "power.host_idle_W"},
           {"gpu_conversion_ratio", "power.gpu_conversion_ratio"},
           {"fans_W", "power.fans_W"}});
  if (!c.has({"fan_frac"})) out.say("without a column fan_frac the fans' share cannot be told from the host's");
  return out.done();
}

FittedEntry rows(const FitTableOptions& o) {
  const auto telemetry = read_gpu_telemetry(o.files.front());
  std::vector<bool> rear;
  rear.reserve(telemetry.size());
  for (std::size_t i = 0; i < telemetry.size(); ++i)
    rear.push_back(o.rear.empty() ? thermal::in_rear_row(i, telemetry.size())
                                  : std::find(o.rear.begin(), o.rear.end(), telemetry[i].gpu) != o.rear.end());
  if (std::count(rear.begin(), rear.end(), true) == 0 || std::count(rear.begin(), rear.end(), false) == 0)
    throw InputError(fmt::format("{}: no GPU in the {} row; name the rear row's with --rear", o.files.front(),
                                 std::count(rear.begin(), rear.end(), true) ? "front" : "rear"));
  const EntryBase base("server", o.base), gpu("gpu", o.gpu);
  const auto poles = package_poles(gpu.read<thermal::PackageParams>("package"), o.fan_frac);
  const auto log = rows_log(telemetry, rear, poles.fast_s, poles.slow_s);
  const auto fit = fit_rows(base, gpu, o.fan_frac, log);
  std::vector<double> index;
  index.reserve(fit.residual.size());
  for (std::size_t i = 0; i < fit.residual.size(); ++i) index.push_back(5.0 * static_cast<double>(i));
  EntryMaker out(base, o);
  out.add(fmt::format("rows of {} GPUs", telemetry.size()), fit, index, "K",
          {{"preheat_mixing_ratio", "air.preheat_mixing_ratio"}});
  out.say(fmt::format("at a fan speed of {:g} of the full one, constant over the log", o.fan_frac));
  return out.done();
}

FittedEntry feeder(const FitTableOptions& o) {
  const Columns c(o.files.front());
  const auto time_s = c.time_s(), in_W = c.needed({"input_W"}), out_W = c.needed({"output_W"}),
             out_var = c.optional({"output_var"});
  std::vector<FeederReading> readings;
  for (std::size_t i = 0; i < time_s.size(); ++i)
    if (std::isfinite(in_W[i]) && std::isfinite(out_W[i]))
      readings.push_back({time_s[i], in_W[i], out_W[i], out_var[i]});
  const auto& names = power::FeederParams::level_names;
  const auto at = std::find(names.begin(), names.end(), o.level);
  if (at == names.end()) throw InputError(fmt::format("level '{}' is none of rack, row, hall, site", o.level));
  const EntryBase base("feeder", o.base);
  EntryMaker out(base, o);
  out.add(fmt::format("{} level, {:g} branches", o.level, o.branches),
          fit_feeder_level(base, static_cast<std::size_t>(at - names.begin()), o.branches, o.meter_frac, readings),
          times_of(readings), "W",
          {{o.level + "_load_loss_W", o.level + "_load_loss_W"},
           {o.level + "_no_load_loss_W", o.level + "_no_load_loss_W"}});
  return out.done();
}

FittedEntry plant(const FitTableOptions& o) {
  const Columns c(o.files.front());
  const auto time_s = c.time_s(), it_W = c.needed({"it_W"}), dry = c.needed({"drybulb_degC"});
  const auto wet = c.optional({"wetbulb_degC"}), dew = c.optional({"dewpoint_degC"}), rh = c.optional({"rh_frac"}),
             pressure = c.optional({"pressure_Pa"});
  const auto all_W = c.optional({"plant_W"}), fan_W = c.optional({"fan_W"}), pump_W = c.optional({"pump_W"}),
             chiller_W = c.optional({"chiller_W"}), rejection_W = c.optional({"rejection_W"});
  if (!c.has({"plant_W"}) && !c.has({"fan_W"}) && !c.has({"chiller_W"}))
    throw InputError(fmt::format("{}: no column 'plant_W'", c.file()));
  if (!c.has({"wetbulb_degC"}) && !c.has({"dewpoint_degC"}) && !c.has({"rh_frac"}))
    throw InputError(fmt::format("{}: no humidity: 'wetbulb_degC', 'dewpoint_degC' or 'rh_frac'", c.file()));
  std::vector<PlantReading> all;
  for (std::size_t i = 0; i < time_s.size(); ++i) {
    if (!(it_W[i] > 0.0) || !std::isfinite(dry[i])) continue;
    cooling::WeatherSample w{dry[i] + 273.15, 0.0, 0.0, std::isfinite(pressure[i]) ? pressure[i] : 101325.0};
    if (std::isfinite(wet[i]))
      w.humidity_ratio = cooling::humidity_ratio_from_wet_bulb(w.drybulb_K, wet[i] + 273.15, w.pressure_Pa);
    else if (std::isfinite(dew[i]))
      w.humidity_ratio = cooling::humidity_ratio_from_dew_point(dew[i] + 273.15, w.pressure_Pa);
    else if (std::isfinite(rh[i]))
      w.humidity_ratio = cooling::humidity_ratio_from_relative_humidity(w.drybulb_K, rh[i], w.pressure_Pa);
    else
      continue;
    w.wetbulb_K = cooling::wet_bulb_K(w.drybulb_K, w.humidity_ratio, w.pressure_Pa);
    all.push_back({time_s[i], it_W[i], w, all_W[i], fan_W[i], pump_W[i], chiller_W[i], rejection_W[i]});
  }
  std::vector<PlantReading> readings;
  const std::size_t every = 1 + (all.empty() ? 0 : (all.size() - 1) / most_readings);
  for (std::size_t i = 0; i < all.size(); i += every) readings.push_back(all[i]);
  double rated_W = o.rated_it_W;
  for (const auto& r : readings)
    if (o.rated_it_W == 0.0) rated_W = std::max(rated_W, r.it_W);
  const EntryBase base("plant", o.base);
  const auto fit = fit_plant(base, rated_W, readings);
  std::vector<double> index;
  index.reserve(fit.residual.size());
  for (std::size_t i = 0; i < fit.residual.size(); ++i) index.push_back(static_cast<double>(i));
  EntryMaker out(base, o);
  std::vector<std::pair<std::string, std::string>> keys;
  for (const auto& p : plant_priors(base)) keys.emplace_back(p.key, p.key);
  out.add(fmt::format("plant of {:.3g} MW", rated_W * 1e-6), fit, index, "W", keys);
  if (every > 1) out.say(fmt::format("every {}th of {} rows", every, all.size()));
  return out.done();
}

}  // namespace TIDEWATT_NAMESPACE::study::table_fit
