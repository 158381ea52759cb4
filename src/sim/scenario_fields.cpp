#include <algorithm>

#include "scenario_rack.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::sim {

void RunParams::fields(FieldVisitor& v) {
  v.text("start", start,
         "local standard time at which the run begins, YYYY-MM-DDThh:00:00 (on the hour) or YYYY-MM-DD, 1678 to 2262",
         Need::optional);
  v.number("duration_h", duration_s, {1e-6, 24 * 400}, "simulated time");
  v.integer("seed", seed, {0, 9e15}, "seed of all random draws", Need::optional);
  v.number("macro_step_s", macro_step_s, {1, 3600},
           "time step of plant, hall air and weather; also the first one after a change", Need::optional);
  v.number("macro_step_max_s", macro_step_max_s, {1, 3600},
           "longest time step of plant, hall air and weather, reached while nothing else changes", Need::optional);
  v.number("tolerance_K", tolerance_K, {1e-4, 10},
           "tolerated error of the mean die temperature in a step over many iterations", Need::optional);
  v.integer("replica_groups", replica_groups, {1, 256},
            "groups of data-parallel replicas whose phases begin and end together", Need::optional);
  v.flag("spread", spread, "true: chips differ; false: identical chips", Need::optional);
  v.flag("gating", gating,
         "true: ranks wait for the slowest; false: the job runs at the mean clock (no straggler effect)",
         Need::optional);
}

void WindowParams::fields(FieldVisitor& v) {
  v.text("name", name, "name of the recorded window");
  v.number("start_s", start_s, {0, 3.5e7}, "begin, since the start of the run");
  v.number("duration_s", duration_s, {0.001, 86400}, "length");
}

void WeatherParams::fields(FieldVisitor& v) {
  v.text("epw", epw, "EPW file, in the scenario's folder or below", Need::optional);
  v.text("csv", csv, "measured weather as CSV, in the scenario's folder or below; with its years", Need::optional);
  v.number("altitude_m", altitude_m, {-500, 9000}, "altitude, for a CSV file without pressures", Need::optional);
  v.text("climate", climate, "catalog climate", Need::optional);
  choose(v, "day", day,
         "which day: of a file dated (the date of run.start and on from there; default), or its typical, hot_clear or "
         "extreme day and on from there; of a climate a typical (default), hot or extreme day of run.start's month "
         "(repeated), or the date in a typical_year, hot_year or extreme_year",
         Need::optional);
}

void MemorySpec::fields(FieldVisitor& v) {
  branch.fields(v);
  v.number("limit_degC", limit_K, {40, 125}, "temperature of the memory stacks above which clocks are lowered");
}

void ServerProtection::fields(FieldVisitor& v) {
  v.number("air_off_degC", air_off_K, {35, 120}, "air at its front at which the server switches itself off");
}

void HallParams::fields(FieldVisitor& v) {
  v.text("name", name, "name of the hall");
  v.integer("n_gpu", n_gpu, {1, 1e15}, "GPUs in the hall");
  v.integer("servers_per_rack", servers_per_rack, {1, 64}, "servers in a rack", Need::optional);
  v.integer("racks_per_row", racks_per_row, {1, 1000}, "racks in a row", Need::optional);
  v.number("recirculation_frac", recirculation_frac, {0, 0.85}, "mean fraction of hot-aisle air in a server's inlet",
           Need::optional);
  v.number("recirculation_sigma_ratio", recirculation_sigma_ratio, {0, 2},
           "standard deviation of its logarithm between racks ", Need::optional);
  v.number("cap_W", cap_W, {0, 5000}, "power cap per GPU; 0: the board limit", Need::optional);
  v.number("clock_lock_MHz", clock_lock_Hz, {0, 5000}, "highest clock of the GPUs; 0: not locked", Need::optional);
  v.number(
      "module_limit_W", module_limit_W, {0, 20000},
      "one limit of a rack's module, a CPU with its GPUs: what the CPU draws is taken from the GPUs' share; 0: none",
      Need::optional);
  choose(v, "switch_profile", switch_profile,
         "switches of a rack's scale-up domain: all links, or half of them at the lowest power", Need::optional);
}

double gpu_cap_max_W(const HallSpec& h) { return std::min(h.gpu.tdp_W, module_share_W(h)); }

double gpu_limit_W(const HallSpec& h) {
  const double most_W = gpu_cap_max_W(h);
  return std::min(dvfs::cap_in_force_W(h.hall.cap_W, most_W), most_W);
}

double gpu_clock_limit_Hz(const HallSpec& h) {
  return h.hall.clock_lock_Hz > 0.0 ? h.hall.clock_lock_Hz : h.gpu.vf_clock_Hz.back();
}

void OrderTierParams::fields(FieldVisitor& v) {
  choose(v, "may", may, "what orders met by tiers may take from the job: caps of its GPUs, a pause, or nothing");
  v.integer("tier", tier, {1, 100}, "jobs of tier 1 give first, those of the next tier once these have given all",
            Need::optional);
  v.number("lowest_cap_W", lowest_cap_W, {0, 5000},
           "may = cap: lowest power cap per GPU; 0: the driver's lowest limit, or what the lowest clock needs",
           Need::optional);
}

void SiteDevices::fields(FieldVisitor& v) {
  v.number("rules_from_s", rules_from_s, {0, 3.5e7},
           "rules and grid figures begin at this time, since the start of the run ", Need::optional);
  v.number("rules_until_s", rules_until_s, {0, 3.5e7}, "rules and grid figures end at this time; 0: the end of the run",
           Need::optional);
  v.number("figure_spread_frac", figure_spread_frac, {0, 1},
           "relative uncertainty of a figure; verdicts with a smaller margin are undecided", Need::optional);
}

void EconomicsParams::fields(FieldVisitor& v) {
  v.number("devices_USD_per_year", devices_USD_per_year, {0, 1e12},
           "yearly cost of mitigations, e.g. from tidewatt size", Need::optional);
}

void EventParams::fields(FieldVisitor& v) {
  v.text("name", name, "name of the event");
  choose(v, "kind", kind, "what happens");
  v.text("job", job, "failure, planned_stop, pause: the job that is interrupted", Need::optional);
  v.text(
      "hall", hall,
      "plant failures: the hall whose plant loses parts; power_brake: the hall whose GPUs are slowed down, empty: all",
      Need::optional);
  v.number("at_s", at_s, {0, 3.5e7}, "begin, since the start of the run");
  v.number("duration_s", duration_s, {0, 3.5e7},
           "duration; a failure needs none; plant failures and power_brake: 0 lasts until the end of the run; pause: "
           "the job stands from the first end of an iteration after at_s until at_s + duration_s",
           Need::optional);
  v.integer("rack", rack, {0, 1e7}, "filter_blocked: rack of the hall, counted from 0", Need::optional);
  v.number(
      "out_frac", out_frac, {0, 1},
      "plant failures: fraction of the parts that fail; filter_blocked: fraction of the rack's flow that is lost. Of "
      "events of one kind that overlap in a hall (or a rack) the largest holds",
      Need::optional);
  v.number("voltage_ratio", voltage_ratio, {0, 1}, "sag: remaining voltage", Need::optional);
  v.number("limit_MW", limit_W, {0, 1e5}, "curtailment: highest power that may be drawn", Need::optional);
  v.number("notice_s", notice_s, {0, 3.5e7}, "curtailment: time from the notice to the begin of the order",
           Need::optional);
  choose(v, "by", by, "curtailment: what meets the order; tiers: the jobs as [job.curtailment] says", Need::optional);
}

void AssumedParams::fields(FieldVisitor& v) {
  constexpr Range any{-1e18, 1e18};
  v.text("key", key, "full key path of a number, or of a key that takes one word of a list");
  v.number("low", low, any, "lowest value, in the key's unit", Need::optional);
  v.number("high", high, any, "highest value, in the key's unit", Need::optional);
  v.numbers("values", values, any, "instead of low and high: values that are equally likely, in the key's unit",
            Need::optional);
  v.texts("words", words, "of a key that takes one word of a list: words that are equally likely", Need::optional);
  v.text("source", source, "what the range or the words rest on");
}

}  // namespace TIDEWATT_NAMESPACE::sim
