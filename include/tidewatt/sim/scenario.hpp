#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tidewatt/base/version.hpp"
#include "tidewatt/catalog/catalog.hpp"
#include "tidewatt/catalog/rack.hpp"
#include "tidewatt/cooling/climate.hpp"
#include "tidewatt/cooling/cooling_plant.hpp"
#include "tidewatt/cooling/hydronic_plant.hpp"
#include "tidewatt/cooling/outside_air_plant.hpp"
#include "tidewatt/cooling/prescribed_inlet.hpp"
#include "tidewatt/cooling/weather.hpp"
#include "tidewatt/dvfs/governor.hpp"
#include "tidewatt/dvfs/operating_point.hpp"
#include "tidewatt/grid/frequency.hpp"
#include "tidewatt/grid/frequency_reserves.hpp"
#include "tidewatt/grid/source.hpp"
#include "tidewatt/mitigation/ballast.hpp"
#include "tidewatt/mitigation/battery_wear.hpp"
#include "tidewatt/mitigation/beat.hpp"
#include "tidewatt/mitigation/gpu_smoothing.hpp"
#include "tidewatt/mitigation/site_battery.hpp"
#include "tidewatt/power/feeder.hpp"
#include "tidewatt/power/gpu.hpp"
#include "tidewatt/power/server.hpp"
#include "tidewatt/sim/economics.hpp"
#include "tidewatt/sim/kinds.hpp"
#include "tidewatt/sim/neighbour.hpp"
#include "tidewatt/sim/site_devices.hpp"
#include "tidewatt/thermal/cold_plate.hpp"
#include "tidewatt/thermal/fan_controller.hpp"
#include "tidewatt/thermal/hbm_package.hpp"
#include "tidewatt/thermal/package.hpp"
#include "tidewatt/thermal/server_air.hpp"
#include "tidewatt/workload/compute.hpp"
#include "tidewatt/workload/failures.hpp"
#include "tidewatt/workload/job_params.hpp"
#include "tidewatt/workload/model.hpp"
#include "tidewatt/workload/network.hpp"
#include "tidewatt/workload/placement.hpp"
#include "tidewatt/workload/plan.hpp"

namespace TIDEWATT_NAMESPACE {
class FieldLog;
namespace grid {
struct GridCase;
}
}  // namespace TIDEWATT_NAMESPACE

namespace TIDEWATT_NAMESPACE::sim {

struct TIDEWATT_API RunParams {
  std::string start = "2024-07-20T00:00:00";  ///< local standard time
  double duration_s = 0.0;                    ///< simulated time
  std::int64_t seed = 1;                      ///< seed of all random draws
  double macro_step_s = 60.0;        ///< time step of plant, hall air and weather; also the first one after a change
  double macro_step_max_s = 3600.0;  ///< longest macro step, reached while only the weather changes
  double tolerance_K = 0.05;         ///< accepted error of the mean die temperature that a jump predicts
  bool reference = false;            ///< set by `reference_of`; no key
  bool own_clocks = true;            ///< false: one clock for all work of an iteration, to show the effect; no key
  bool air_density = true;           ///< false: servers' air has the density of 20 degC at sea level; no key
  std::int64_t replica_groups = 4;   ///< groups of replicas whose phases begin and end together
  bool spread = true;                ///< false: identical chips, to show the effect of their spread
  bool gating = true;                ///< false: every GPU runs at the fleet's mean pace, to show the effect of waiting
  void fields(FieldVisitor& v);
};

struct TIDEWATT_API WindowParams {
  std::string name;         ///< name of the recorded window
  double start_s = 0.0;     ///< begin, since the start of the run
  double duration_s = 0.0;  ///< length
  void fields(FieldVisitor& v);
};

struct TIDEWATT_API WeatherParams {
  std::string epw;                       ///< path of an EPW file, or
  std::string csv;                       ///< path of measured weather in columns, as dated, or
  std::string climate;                   ///< name of a catalog climate
  double altitude_m = 0.0;               ///< of a CSV file without a pressure column
  WeatherDay day = WeatherDay::typical;  ///< of a climate: typical | hot | extreme; of an EPW: dated | hot_clear | …
  void fields(FieldVisitor& v);
};

struct TIDEWATT_API HallParams {
  std::string name;                        ///< name of the hall
  std::int64_t n_gpu = 0;                  ///< GPUs in the hall
  std::int64_t servers_per_rack = 2;       ///< servers in a rack
  std::int64_t racks_per_row = 16;         ///< racks in a row
  double recirculation_frac = 0.0;         ///< mean share of hot-aisle air in a server's inlet
  double recirculation_sigma_ratio = 0.0;  ///< sigma of its logarithm between racks
  double cap_W = 0.0;                      ///< user's power cap per GPU; 0: the board limit
  double clock_lock_Hz = 0.0;              ///< user's clock lock; 0: none
  /// Power limit of a module, a CPU and its GPUs, W; the CPU's power reduces the GPUs' share; 0: none.
  double module_limit_W = 0.0;
  SwitchProfile switch_profile = SwitchProfile::networking;  ///< of a rack's scale-up links
  void fields(FieldVisitor& v);
};

/// The memory stacks on a GPU's package, and the temperature above which the governor slows the GPU to cool them.
struct TIDEWATT_API MemorySpec {
  thermal::HbmBranchParams branch;  ///< thermal branch of the stacks beside the die
  double limit_K = 0.0;             ///< temperature of the memory stacks above which clocks are lowered
  void fields(FieldVisitor& v);
};

/// What a server's own protection does beside its GPUs'.
struct TIDEWATT_API ServerProtection {
  double air_off_K = 0.0;  ///< air at its front at which it switches itself off, K
  void fields(FieldVisitor& v);
};

struct TIDEWATT_API HallSpec {
  HallParams hall;
  std::string gpu_name;  ///< of its GPUs' catalog entry; empty: none is named
  power::GpuPowerParams gpu;
  dvfs::GovernorParams governor;
  dvfs::SampledGovernorParams sampling;  ///< used for the power brake and for replays of single GPUs
  power::SiliconSpreadParams spread;
  std::optional<power::PositionSpreadParams> position;  ///< absent: resistances are independent
  std::optional<ServerProtection> protection;           ///< absent: hot air does not switch servers off
  std::optional<MemorySpec> memory;                     ///< absent: no memory temperatures
  thermal::PackageParams package;
  workload::ComputeParams compute;
  power::ServerPowerParams server;
  thermal::ServerAirParams air;
  std::optional<thermal::FanControllerParams> fans;  ///< the board's fan controller; absent: the straight line in `air`
  std::optional<thermal::LiquidCooling> liquid;      ///< absent: an air-cooled server
  /// Absent: of the racks only the number of servers is known.
  std::optional<catalog::RackEntry> rack;
  PlantKind plant_kind = PlantKind::outside_air;
  cooling::OutsideAirParams outside_air;
  cooling::HydronicParams hydronic;
  cooling::PrescribedInletParams prescribed;
  /// A plant of the caller that replaces the catalog's; any thread may call it. Null: none.
  std::shared_ptr<const cooling::CoolingPlant> own_plant;
};
/// Highest cap that a GPU of the hall may have: the board's limit, or its share of the module's where that is lower, W.
TIDEWATT_API double gpu_cap_max_W(const HallSpec& hall);
/// Limit in force on one GPU without an order: the user's cap, at most `gpu_cap_max_W`, W.
TIDEWATT_API double gpu_limit_W(const HallSpec& hall);
/// Highest clock of one GPU: the user's lock, or the end of its voltage curve, Hz.
TIDEWATT_API double gpu_clock_limit_Hz(const HallSpec& hall);

/// How a job is reduced for an order of the utility that is met by tiers (`OrderMeans::tiers`). A job without it is not reduced.
struct TIDEWATT_API OrderTierParams {
  OrderMay may = OrderMay::never;  ///< what orders may do to the job: never | cap | pause
  std::int64_t tier = 1;           ///< tier 1 is reduced first; the next tier only when this is not enough
  double lowest_cap_W = 0.0;       ///< lowest cap of its GPUs; 0: the lowest that the device has
  void fields(FieldVisitor& v);
};

struct TIDEWATT_API JobSpec {
  std::string name;
  std::string model_name;
  workload::ModelShape model;
  workload::ParallelPlan plan;
  workload::NetworkParams network;
  workload::JobParams life;
  std::optional<workload::FailureRates> failures;      ///< absent: no random failures
  std::optional<mitigation::BeatParams> beat;          ///< iterations on a fixed beat; absent: without waiting
  std::string beat_name;                               ///< of the mitigation that sets it
  std::optional<workload::PlacementParams> placement;  ///< absent in all jobs: consecutively from the first node
  std::optional<OrderTierParams> curtailment;          ///< absent: orders met by tiers do not touch the job
};

/// A disturbance at a time. Failures and pauses act on a job. The power brake limits GPUs to the governor's brake clock, from
/// the governor's first sample after the event until its first sample after the event's end. Sags, utility losses and islands
/// come from the grid. A curtailment is an order to draw less, met by caps, a pause, storage or tiers of jobs.
struct TIDEWATT_API EventParams {
  std::string name;                     ///< name of the event
  EventKind kind = EventKind::failure;  ///< what happens
  std::string job;                      ///< on which a failure acts
  std::string hall;            ///< whose plant loses parts, or whose GPUs are braked (all halls where it is empty)
  double at_s = 0.0;           ///< begin, since the start of the run
  double duration_s = 0.0;     ///< 0: failed parts and brakes last until the end of the run
  std::int64_t rack = 0;       ///< filter_blocked: rack of the hall, counted from 0
  double out_frac = 1.0;       ///< share of the parts that fail, or of a rack's flow; of several at once the largest
  double voltage_ratio = 1.0;  ///< sag: remaining voltage
  double limit_W = 0.0;        ///< curtailment
  double notice_s = 0.0;       ///< curtailment: time from notice to begin
  OrderMeans by = OrderMeans::cap;  ///< curtailment
  void fields(FieldVisitor& v);
};

/// A number or word of the scenario that nobody knows well (`[[assumed]]`): chance, Monte Carlo and tornado draw it, as they draw what
/// the catalog assumes.
struct TIDEWATT_API AssumedParams {
  std::string key;             ///< full key path of a number or word, e.g. `job.main.plan.virtual_stages`
  double low = 0.0;            ///< lowest value in the key's unit; equal to `high`: one of `values`
  double high = 0.0;           ///< highest value in the key's unit
  std::vector<double> values;  ///< equally likely ones in the key's unit, [n]; empty: any from low to high
  std::vector<std::string>
      words;           ///< equally likely ones, of a key that takes one word of a list, [n]; empty: a number
  std::string source;  ///< what the range or the words rest on
  void fields(FieldVisitor& v);
};

/// A power system of several machines that feeds the site (`grid.case`); its response is part of the result.
struct TIDEWATT_API GridCaseParams {
  std::string name;  ///< catalog entry of kind grid_case
  std::shared_ptr<const grid::GridCase> system;
  double bus = 0.0;                      ///< number of the bus where the site connects, a count
  std::string window;                    ///< recorded window whose power is applied
  double begin_s = 0.0, length_s = 0.0;  ///< part of the window
};

/// Names of a scenario's mitigations, as in its key paths; empty: no such mitigation was read from a file.
struct TIDEWATT_API MitigationNames {
  std::string gpu_smoothing, ballast, battery;
};

/// A key that the scenario leaves out and the value that is used instead.
struct TIDEWATT_API DefaultInput {
  std::string key;     ///< full key path, e.g. `site.feeder`
  std::string value;   ///< as TOML
  std::string source;  ///< where the value comes from
};

/// The checked description of one case: the editable tree with every catalog entry resolved.
struct TIDEWATT_API Scenario {
  RunParams run;
  std::vector<WindowParams> windows;
  WeatherParams weather;
  std::vector<HallSpec> halls;
  std::vector<JobSpec> jobs;
  std::vector<EventParams> events;
  power::FeederParams feeder;
  SiteDevices devices;
  std::vector<NeighbourSpec> neighbours;  ///< other loads on the same feeders
  grid::SourceParams source;
  grid::FrequencyParams frequency;
  std::optional<grid::ReserveParams> reserves;  ///< deadband, fast reserve and load shedding; absent: none of them
  std::optional<GridCaseParams> grid_case;
  std::optional<mitigation::GpuSmoothingParams> gpu_smoothing;
  std::optional<mitigation::BallastParams> ballast;
  std::optional<mitigation::SiteBatteryParams> battery;
  std::optional<mitigation::BatteryWearParams> battery_wear;
  MitigationNames mitigation_names;
  std::optional<EconomicsParams> economics;
  std::optional<cooling::ClimateParams> climate;
  std::string text;                ///< the scenario's TOML, including inherited tables and overrides
  std::vector<std::string> notes;  ///< keys that are valid but have no effect, assumed words that cannot be drawn
  std::string folder;              ///< base folder of paths in the scenario
  std::vector<catalog::AssumedInput> assumed;
  std::vector<DefaultInput> defaults;  ///< defaults taken, in the order of the file
};

/// Whether GPU power is kept between bounds (smoothing, ballast).
inline bool holds_power(const Scenario& s) { return s.gpu_smoothing || s.ballast; }

struct TIDEWATT_API LoadOptions {
  std::vector<std::string> set;  ///< key=value
  std::string
      weather_epw;  ///< the user's EPW or CSV file, told apart by the end of its name; replaces the scenario's weather
  std::string catalog_overlay;
  /// NAME=FILE: recording of a replayed neighbour; replaces the scenario's `file`.
  std::vector<std::string> recording{};
};

/// Time of day of `run.start`, local standard time. @throws InputError unless it is YYYY-MM-DDThh:00:00.
TIDEWATT_API Tick local_time_of_day(const std::string& start);

/// Reads, inherits, overrides, resolves and checks. @throws InputError with every finding; RefusedError if too large.
TIDEWATT_API Scenario load_scenario(const std::string& path, const LoadOptions& options = {});
/// The same from TOML text. @param file its name in findings  @param folder that `base`, weather files and
/// recordings are below; empty: the current one  @throws as load_scenario
TIDEWATT_API Scenario load_scenario_text(const std::string& text, const std::string& file, const std::string& folder,
                                         const LoadOptions& options = {});
/// The same scenario with every segment of every iteration integrated and the waveform computed millisecond by millisecond. The
/// steps of `run` are compared with this reference, which is some hundred times slower (`tidewatt run FILE --reference`).
TIDEWATT_API Scenario reference_of(Scenario scenario);
/// Checks a scenario that was changed in code, as the file reader does: every value against its range, all parts against one another.
/// Weather files are read again; recordings are not.
/// @return keys that are valid but have no effect, as in `Scenario::notes`
/// @throws InputError with every finding, under the keys of a scenario file; RefusedError if too large
TIDEWATT_API std::vector<std::string> check(const Scenario& scenario);
/// The same scenario with other values of some of its numbers and words, set where they act: it does not matter whether a file, a catalog
/// entry or a default gave them. What the parts must agree on is not checked: `check` and `run` do that.
/// @param values by full key path, e.g. `hall.a.gpu.power.leakage_W`, in the key's unit; those of whole numbers are rounded; of a key
/// that takes one word of a list the word's place in it, counted from 0 (`AssumedInput::values`)
/// @throws InputError with every key that is no number or word of the scenario, and every value outside its range or list
TIDEWATT_API Scenario with_values(Scenario scenario, const std::map<std::string, double>& values);
/// As `load_scenario`, of a parsed file.
/// @param folder base folder of paths in the scenario  @param log records every key that is read; null: no record
TIDEWATT_API Scenario read_scenario(const Node& root, const std::string& folder, const LoadOptions& options = {},
                                    FieldLog* log = nullptr);

}  // namespace TIDEWATT_NAMESPACE::sim
