// Figures of the plant, of devices and costs, and of the run itself.
#include "figure_list.hpp"

namespace TIDEWATT_NAMESPACE::sim::detail {
namespace {

constexpr const char* no_smoothing = "GPU smoothing is off";
constexpr const char* no_battery = "there is no site battery";
constexpr const char* no_wear = "the battery has no `wear`";
constexpr const char* no_rack_storage = "the racks have no storage";
constexpr const char* no_ups = "there is no UPS";
constexpr const char* no_generators = "there are no generators";
constexpr const char* no_turbines = "there are no turbines";
constexpr const char* no_transformer = "neither `site.hall_transformer` nor `site.site_transformer` is set";
constexpr const char* no_economics = "the scenario has no `[economics]`";
constexpr const char* no_tokens = "no iteration is completed, or the scenario has no `[economics]`";

constexpr Figure cooling[] = {
    {"pue",
     "",
     "PUE",
     "(energy at the connection + energy of generators, turbines and own supply − increase of the energy stored in "
     "batteries, UPS and racks) ÷ energy at the servers' AC inputs",
     "the servers draw nothing",
     {.digits = 4, .headline = 9, .of_model = true}},
    {"wue_L_per_kWh",
     "L/kWh",
     "WUE",
     "water ÷ energy at the servers' AC inputs",
     "the servers draw nothing",
     {.headline = 10}},
    {"capacity_margin_min_percent", "%", "smallest cooling margin",
     "smallest unused cooling capacity over run and halls. Below 0, the plant cannot supply the flow (air "
     "recirculates, or liquid flow is too small) or does not hold the facility water's set point",
     "the inlet is prescribed"},
    {"capacity_margin_part", "", "whose margin that is",
     "the part of the plant whose margin that is: fans, distribution (units with their pumps), pumps, rejection or "
     "chillers",
     "the inlet is prescribed"},
    {"out_of_range", "", "out of range",
     "air or liquid that was warmer at the servers than they may start in, or liquid in a plant above 100 °C: where, "
     "how warm, from when",
     "there is none"},
    {"heat_reused_MWh", "MWh", "heat reused", "heat delivered to a heat user", "the site has no heat user"},
};

constexpr Figure mitigation[] = {
    {"smoothing_burn_MWh", "MWh", "burned to hold power up",
     "energy that GPU power smoothing and ballast burn to keep power up", "the site has neither"},
    {"smoothing_floor_s", "s per GPU", "floor held power up for",
     "time in which each part of GPU power smoothing set the power, mean over the jobs' GPUs: held up at the floor, "
     "held up by the ramp down, held down by the ramp up",
     no_smoothing},
    {"smoothing_ramp_down_s", "s per GPU", "ramp down held power up for", "", no_smoothing},
    {"smoothing_ramp_up_s", "s per GPU", "ramp up held power down for", "", no_smoothing},
    {"smoothing_hysteresis_s", "s per GPU", "hysteresis kept the floor for",
     "time in which work is below the floor and the hysteresis keeps the floor in force, even if power is still above "
     "the floor",
     no_smoothing},
    {"battery_charged_MWh",
     "MWh",
     "battery charged",
     "the site battery: energies, losses, lowest and highest charge; how often its rating (in control periods) or a "
     "limit of its charge (in bins) reduced the requested power",
     no_battery,
     {.in_tables = false}},
    {"battery_discharged_MWh", "MWh", "battery discharged", "", no_battery},
    {"battery_loss_MWh", "MWh", "battery losses", "", no_battery},
    {"battery_soc_min", "", "battery, lowest state of charge", "", no_battery},
    {"battery_soc_max", "", "battery, highest charge", "", no_battery, {.in_tables = false}},
    {"battery_limited", "", "battery limited", "", no_battery, {.in_tables = false}},
    {"battery_full_cycles",
     "",
     "battery, full cycles",
     "with `wear`: half of the total movement of the charge, in capacities; life used by cycles and by time, in "
     "millionths",
     no_wear,
     {.in_tables = false}},
    {"battery_life_used_ppm", "ppm", "battery, life used", "", no_wear, {.in_tables = false}},
    {"rack_storage_soc_min",
     "",
     "rack storage, lowest charge",
     "storage in the racks: lowest and highest charge, how often a limit reduced the requested power, losses",
     no_rack_storage,
     {.in_tables = false}},
    {"rack_storage_soc_max", "", "rack storage, highest charge", "", no_rack_storage, {.in_tables = false}},
    {"rack_storage_limited", "", "rack storage limited", "", no_rack_storage, {.in_tables = false}},
    {"rack_storage_loss_MWh", "MWh", "rack storage losses", "", no_rack_storage},
};

constexpr Figure supply[] = {
    {"ups_loss_MWh", "MWh", "UPS losses",
     "UPS: losses, transfers to their batteries, those that dropped the load, lowest and last charge", no_ups},
    {"ups_transfers", "", "UPS transfers", "", no_ups, {.in_tables = false}},
    {"ups_dropped", "", "UPS that dropped the load", "", no_ups, {.in_tables = false}},
    {"ups_soc_min", "", "UPS, lowest charge", "", no_ups, {.in_tables = false}},
    {"ups_soc_end", "", "UPS, charge at the end", "", no_ups, {.in_tables = false}},
    {"generator_starts",
     "",
     "starts of generators",
     "standby generators: starts, energy, fuel, lowest frequency",
     no_generators,
     {.in_tables = false}},
    {"generator_MWh", "MWh", "generators", "", no_generators},
    {"generator_fuel_MWh", "MWh", "fuel of generators", "", no_generators, {.in_tables = false}},
    {"generator_frequency_min_Hz",
     "Hz",
     "generators, lowest frequency",
     "",
     "they never supply the load",
     {.digits = 4, .in_tables = false}},
    {"turbine_parallel_MWh", "MWh", "turbines in parallel",
     "turbines: energy in parallel with the grid, energy on the island, its lowest and highest frequency, trips",
     no_turbines},
    {"island_MWh", "MWh", "turbines on the island", "", no_turbines, {.in_tables = false}},
    {"island_frequency_min_Hz", "Hz", "island, lowest frequency", "", "the site is never an island", {.digits = 4}},
    {"island_frequency_max_Hz",
     "Hz",
     "island, highest frequency",
     "",
     "the site is never an island",
     {.digits = 4, .in_tables = false}},
    {"island_trips", "", "trips of turbines", "", no_turbines, {.in_tables = false}},
    {"own_supply_MWh",
     "MWh",
     "own supply",
     "energy of the racks' and servers' own supply while the load is disconnected",
     "there is none",
     {.in_tables = false}},
    {"transformer_hot_spot_max_degC",
     "°C",
     "transformers, hottest spot",
     "with `site.hall_transformer`, `site.site_transformer`, per level: highest hot-spot temperature and its hour of "
     "the run; life lost, in hours at the reference temperature; ageing rate (1: normal); time above the limit; "
     "largest root-mean-square loading of a macro step",
     no_transformer,
     {.in_tables = false}},
    {"transformer_hottest_hour", "h", "transformers, hottest hour", "", no_transformer, {.in_tables = false}},
    {"transformer_life_lost_h", "h", "transformers, life lost", "", no_transformer, {.in_tables = false}},
    {"transformer_ageing_ratio", "", "transformers, ageing rate", "", no_transformer, {.in_tables = false}},
    {"transformer_above_limit_s", "s", "transformers, above the limit", "", no_transformer, {.in_tables = false}},
    {"transformer_loading_rms_max", "", "transformers, largest loading", "", no_transformer, {.in_tables = false}},
};

constexpr Figure costs[] = {
    {"cost_USD", "USD", "cost",
     "with `[economics]`: energy by the hour, demand and fixed charges in proportion to the run's share of a month, "
     "water, devices, total, and the total at low and high prices; the mean power on which the demand charge is based. "
     "`/economics` has the hours",
     no_economics},
    {"demand_charged_MW", "MW", "power that demand is charged for", "", no_economics, {.in_tables = false}},
    {"carbon_t", "t", "carbon dioxide", "carbon dioxide of the energy; water evaporated on site and used in generation",
     no_economics},
    {"water_m3", "m³", "water", "", no_economics},
    {"cost_USD_per_Ttoken",
     "USD",
     "cost per trillion tokens",
     "per trillion tokens of all jobs",
     no_tokens,
     {.in_tables = false}},
    {"carbon_t_per_Ttoken", "t", "carbon dioxide per trillion tokens", "", no_tokens, {.in_tables = false}},
    {"water_m3_per_Ttoken", "m³", "water per trillion tokens", "", no_tokens, {.in_tables = false}},
};

constexpr Figure of_run[] = {
    {"simulated_s", "s", "simulated time", "simulated time; run time of the program", "", {.in_tables = false}},
    {"wall_s", "s", "wall time", "", "in the result file", {.in_tables = false}},
    {"schema_version", "", "version of the keys", "of these keys", "", {.in_tables = false}},
    {"weather_from",
     "",
     "air",
     "which air the run has: `file`, `day` (2023-07-09 of measured weather, 07-09 of a file of a typical year, 07 of a "
     "climate: its month) and `kind`, the word of `weather.day`",
     "",
     {.in_tables = false}},
    {"energy_closure", "", "energy closure error",
     "largest |in − out − stored| ÷ in of any level; a run above 1e-11 fails. The divisor is at least 2.2e-5 of the "
     "largest level's energy, because its rounding would exceed 1e-11 of a smaller level"},
    {"input_energy_error", "", "input energy error",
     "relative error between the engine's input and a second walk of the schedule; above 1e-12 fails"},
    {"payload_sha256",
     "",
     "hash of the arrays",
     "SHA-256 over all datasets outside `/provenance`; `scripts/hash_result` recomputes it",
     "",
     {.in_tables = false}},
    {"result_file",
     "",
     "result file",
     "the HDF5 file. A line after the HDF5 data has the SHA-256 of the file. Every command, `tidewatt verify FILE` and "
     "`tidewatt.open` check it; xarray and h5py ignore it. `inputs` in `/provenance` is a hash of weather, recordings "
     "and catalog",
     "the result was not written",
     {.in_tables = false}},
};

constexpr FigureTopic topics[] = {
    {"Cooling", cooling}, {"Mitigation", mitigation}, {"Supply", supply}, {"Costs", costs}, {"Run", of_run}};

}  // namespace

std::span<const FigureTopic> site_topics() { return topics; }

}  // namespace TIDEWATT_NAMESPACE::sim::detail
