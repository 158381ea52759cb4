#pragma once
#include <cstdint>
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
#include "tidewatt/grid/machine_case.hpp"
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
}

namespace TIDEWATT_NAMESPACE::sim {

struct TIDEWATT_API RunParams {
  std::string start = "2024-07-20T00:00:00";  ///< local standard time
  double duration_s = 0.0;
  std::int64_t seed = 1;
  double macro_step_s = 60.0;
  double macro_step_max_s = 1800.0;  ///< longest macro step, reached while only the weather changes
  double tolerance_K = 0.05;         ///< tolerated error of the predicted mean die temperature per jump
  bool reference = false;            ///< set by `reference_of`; no key
  bool own_clocks = true;   ///< false: one clock for all of an iteration (shows the effect of own ones); no key
  bool air_density = true;  ///< false: servers' air has room conditions at sea level (shows what it does); no key
  std::int64_t replica_groups = 4;  ///< groups of replicas whose phases begin and end together
  bool spread = true;               ///< false: all chips are nominal (shows the effect of unequal chips)
  bool gating = true;               ///< false: every GPU runs at the fleet's mean pace (shows the effect of waiting)
  void fields(FieldVisitor& v);
};

struct TIDEWATT_API WindowParams {
  std::string name;
  double start_s = 0.0, duration_s = 0.0;
  void fields(FieldVisitor& v);
};

struct TIDEWATT_API WeatherParams {
  std::string epw;                       ///< path of an EPW file, or
  std::string csv;                       ///< path of measured weather (cooling/weather_csv.hpp), as dated, or
  std::string climate;                   ///< name of a catalog climate
  double altitude_m = 0.0;               ///< of a CSV file without a pressure column
  WeatherDay day = WeatherDay::typical;  ///< of a climate: typical | hot | extreme; of an EPW: dated | hot_clear | …
  void fields(FieldVisitor& v);
};

struct TIDEWATT_API HallParams {
  std::string name;
  std::int64_t n_gpu = 0;
  std::int64_t servers_per_rack = 2;
  std::int64_t racks_per_row = 16;
  double recirculation_frac = 0.0;         ///< mean share of hot-aisle air in a server's inlet
  double recirculation_sigma_ratio = 0.0;  ///< sigma of its logarithm between racks
  double cap_W = 0.0;                      ///< user's power cap per GPU; 0: the board limit
  double clock_lock_Hz = 0.0;              ///< user's clock lock; 0: none
  /// One limit of a rack's module, a CPU and its GPUs: what the CPU draws is taken from the GPUs' share, W; 0: none.
  double module_limit_W = 0.0;
  SwitchProfile switch_profile = SwitchProfile::networking;  ///< of a rack's scale-up links
  void fields(FieldVisitor& v);
};

/// The memory stacks on a GPU's package and the temperature at which the governor slows down for them.
struct TIDEWATT_API MemorySpec {
  thermal::HbmBranchParams branch;
  double limit_K = 0.0;
  void fields(FieldVisitor& v);
};

struct TIDEWATT_API HallSpec {
  HallParams hall;
  power::GpuPowerParams gpu;
  dvfs::GovernorParams governor;
  dvfs::SampledGovernorParams sampling;  ///< brake, and replays of single GPUs
  power::SiliconSpreadParams spread;
  std::optional<power::PositionSpreadParams> position;  ///< absent: resistances do not know each other
  std::optional<MemorySpec> memory;                     ///< absent: no memory temperatures
  thermal::PackageParams package;
  workload::ComputeParams compute;
  power::ServerPowerParams server;
  thermal::ServerAirParams air;
  std::optional<thermal::FanControllerParams> fans;  ///< of its board controller; absent: the air's straight line
  std::optional<thermal::LiquidCooling> liquid;      ///< absent: an air-cooled server
  /// Absent: nothing is known of the racks but how many servers each has.
  std::optional<catalog::RackEntry> rack;
  PlantKind plant_kind = PlantKind::outside_air;
  cooling::OutsideAirParams outside_air;
  cooling::HydronicParams hydronic;
  cooling::PrescribedInletParams prescribed;
  /// The caller's own plant instead of the catalog's; any thread may call it. Null: none.
  std::shared_ptr<const cooling::CoolingPlant> own_plant;
};
/// Limit in force on one GPU: the board's, the user's cap, or its share of the module's, W.
TIDEWATT_API double gpu_limit_W(const HallSpec& hall);

/// What a job gives up for an order of the utility that is met by tiers (`OrderMeans::tiers`). A job without it gives nothing.
struct TIDEWATT_API OrderTierParams {
  OrderMay may = OrderMay::never;
  std::int64_t tier = 1;      ///< jobs of tier 1 give first; those of the next when these have given all they may
  double lowest_cap_W = 0.0;  ///< cap: its GPUs are not capped lower; 0: what the lowest clock needs
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
  std::optional<mitigation::BeatParams> beat;          ///< iterations on a fixed beat; absent: as fast as they go
  std::string beat_name;                               ///< of the mitigation that sets it
  std::optional<workload::PlacementParams> placement;  ///< absent in all jobs: consecutively from the first node
  std::optional<OrderTierParams> curtailment;          ///< absent: orders met by tiers do not touch the job
};

/// A disturbance at a time. Failures and pauses act on a job; the power brake limits GPUs to the governor's brake clock from
/// one of its samples after the event until one after its end; sags, utility losses and islands come from the grid; a
/// curtailment is an order to draw less, met by caps, a pause, storage or tiers of jobs.
struct TIDEWATT_API EventParams {
  std::string name;
  EventKind kind = EventKind::failure;
  std::string job;   ///< on which a failure acts
  std::string hall;  ///< whose plant loses parts, or whose GPUs are braked (all halls where it is empty)
  double at_s = 0.0;
  double duration_s = 0.0;          ///< how long it lasts; 0: parts that failed stay so, a brake is not released
  std::int64_t rack = 0;            ///< filter_blocked: rack of the hall, counted from 0
  double out_frac = 1.0;            ///< share of the parts that fail, or of a rack's flow
  double voltage_ratio = 1.0;       ///< sag: remaining voltage
  double limit_W = 0.0;             ///< curtailment
  double notice_s = 0.0;            ///< curtailment: time from notice to begin
  OrderMeans by = OrderMeans::cap;  ///< curtailment
  void fields(FieldVisitor& v);
};

/// A power system of several machines that feeds the site (`grid.case`); its response is in sim/grid_case.hpp.
struct TIDEWATT_API GridCaseParams {
  std::string name;  ///< catalog entry of kind grid_case
  grid::MachineCase system;
  double bus = 0.0;                      ///< number of the bus where the site connects, a count
  std::string window;                    ///< recorded window whose power is applied
  double begin_s = 0.0, length_s = 0.0;  ///< part of the window
};

/// Names of a scenario's mitigations, as its key paths have them; empty: none was read from a file.
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
  std::optional<grid::ReserveParams> reserves;  ///< beside governors without a deadband; none: those alone
  std::optional<GridCaseParams> grid_case;
  std::optional<mitigation::GpuSmoothingParams> gpu_smoothing;
  std::optional<mitigation::BallastParams> ballast;
  std::optional<mitigation::SiteBatteryParams> battery;
  std::optional<mitigation::BatteryWearParams> battery_wear;
  MitigationNames mitigation_names;
  std::optional<EconomicsParams> economics;
  std::optional<cooling::ClimateParams> climate;
  std::string text;                ///< the scenario's TOML, what it inherits and the overrides
  std::vector<std::string> notes;  ///< keys that are valid but have no effect
  std::string folder;              ///< base folder of paths in the scenario
  std::vector<catalog::AssumedInput> assumed;
  std::vector<DefaultInput> defaults;  ///< defaults taken, in the order of the file
};

/// Whether GPU power is kept between bounds (smoothing, ballast).
inline bool holds_power(const Scenario& s) { return s.gpu_smoothing || s.ballast; }

struct TIDEWATT_API LoadOptions {
  std::vector<std::string> set;  ///< key=value
  std::string weather_epw;       ///< user's EPW file, or CSV where its name ends so; wins over the scenario's weather
  std::string catalog_overlay;
  /// NAME=FILE: a replayed neighbour's recording, wins over the scenario's `file`.
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
/// The same scenario with every segment of every iteration integrated and the waveform passed millisecond by millisecond: what the
/// steps of `run` are compared with. Some hundred times slower; `tidewatt run FILE --reference`.
TIDEWATT_API Scenario reference_of(Scenario scenario);
/// Checks a scenario that was changed in code as reading a file does: every value against its range, the parts against one another.
/// Weather files are read again; recordings are not.
/// @return keys that are valid but have no effect, as `Scenario::notes`
/// @throws InputError with every finding, under the keys of a scenario file; RefusedError if too large
TIDEWATT_API std::vector<std::string> check(const Scenario& scenario);
/// As `load_scenario`, of a parsed file.
/// @param folder base folder of paths in the scenario  @param log notes every key that is asked for; null: none
TIDEWATT_API Scenario read_scenario(const Node& root, const std::string& folder, const LoadOptions& options = {},
                                    FieldLog* log = nullptr);

}  // namespace TIDEWATT_NAMESPACE::sim
