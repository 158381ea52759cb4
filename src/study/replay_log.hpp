#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// A hall of such servers and its cooling plant around the measured ones.
struct ReplayHallOptions {
  std::string plant;                    ///< catalog name; empty: no hall, servers alone
  std::int64_t n_server = 0;            ///< in the hall, the measured ones included
  std::string climate = "portland_or";  ///< catalog name
  std::string weather_epw;              ///< EPW or CSV file; wins over the climate
  std::string year = "typical";         ///< of the climate: typical, hot or extreme
  double day = 201.0;                   ///< of the year, when the log begins, 1 to 366
  double hour = 12.0;                   ///< of that day, local standard time, 0 to 24
  double altitude_m = 0.0;              ///< of a CSV file without pressures
  std::int64_t seed = 1;                ///< of drawn servers and the climate's days
};

struct ReplayOptions {
  std::string file;    ///< telemetry of GPUs: time, gpu, power; temperature and clock where they are to be compared
  std::string server;  ///< catalog server, in air or on cold plates
  std::string drive =
      "power";  ///< what drives the packages: power, or activity or clock, from which the gpu's model gives it
  std::string gpu = "h100_sxm_700W";  ///< catalog gpu, e.g. one made by `fit gpu`
  std::string catalog;                ///< folder of catalog entries of your own; empty: none
  std::string host;                   ///< which host of the log; empty: the first
  std::string node_log;               ///< measured node power: time, then watts; empty: none
  /// Air into the server, or liquid into its plates; none: the log's column, else the one that fits the mean of the dies.
  std::optional<double> inlet_degC;
  double power_window_s = 1.0;  ///< averaging window of each power reading, 0 to 30 s
  double cap_W = 0.0;           ///< power limit; 0: the log's column, else the gpu's own
  ReplayHallOptions hall;
};

/// Measured against predicted, in the unit of the quantity (K and °C, MHz, W).
struct ReplayComparison {
  std::string of;  ///< GPU, or "node"
  std::size_t n_sample = 0;
  double measured_mean = 0.0, predicted_mean = 0.0;
  double bias = 0.0;    ///< mean of predicted − measured
  double rms = 0.0;     ///< of predicted − measured
  double worst = 0.0;   ///< of largest size, with its sign
  double spread = 0.0;  ///< standard deviation of the measured values: the error of a constant
};

/// Results of the hall and its plant. Powers and temperatures are means over a step of the plant unless stated otherwise.
struct ReplayedHall {
  std::string plant, weather;
  std::int64_t n_server = 0;
  std::size_t n_measured = 0, n_drawn = 0;  ///< servers of the log; drawn servers, which represent the rest
  double it_mean_W = 0.0, it_max_W = 0.0;   ///< at the servers' AC inputs
  double plant_mean_W = 0.0, pue = 0.0;     ///< pue: of servers and cooling alone
  double supply_mean_degC = 0.0, supply_max_degC = 0.0, hot_aisle_max_degC = 0.0, die_max_degC = 0.0;
  double coolant_mean_degC = 0.0;  ///< coolant of the GPUs: the supply air, or the liquid at their plates
  double capacity_margin_min_frac = 1.0, water_kg = 0.0;
  double closure_frac = 0.0;  ///< |in − out − stored| ÷ in, of servers and plant over the replay
  struct Row {
    double time_s, it_W, plant_W, supply_degC, hot_aisle_degC, fan_frac, die_max_degC;
    double liquid_degC;  ///< at the plates; NaN in air
  };
  std::vector<Row> rows;  ///< [step of the plant]
};

struct ReplayReport {
  std::string server, gpu, host, drive;
  bool liquid = false;  ///< the server has cold plates
  double span_s = 0.0, inlet_degC = 0.0, fan_mean_frac = 0.0, gpu_mean_W = 0.0;
  std::string inlet_from;
  std::vector<std::string> findings;                 ///< what the log lacks, contradicts or leaves to an assumption
  std::vector<ReplayComparison> temperature, clock;  ///< [GPU]
  std::vector<ReplayComparison> memory;  ///< [GPU whose log has memory's watts or activity, and temperature]
  std::vector<ReplayComparison> power;   ///< [GPU whose watts are predicted and logged]
  std::optional<ReplayComparison> node;
  std::optional<ReplayComparison> inlet;  ///< air into the compared server, °C and K, if the log and a hall give it
  std::optional<ReplayedHall> hall;
  /// One row per temperature reading after the start.
  struct Row {
    double time_s, power_W, measured_degC, predicted_degC;
    std::size_t gpu;  ///< index into `temperature`
  };
  std::vector<Row> rows;
};

/// GPU watts drive the packages, the two rows of air and the fans of one server, or its plates (thermal/node_heat.hpp); its watts follow
/// (power/server.hpp). They are logged, or follow from activity or clocks (replay_drive.hpp). Memory is warmer than its die by
/// thermal::memory_lead with the memory's own watts. Clocks: the activity under load is taken from the first half of the record, and the second half's clocks are those
/// at which the model draws the measured watts at the predicted temperature. The server is at rest at the first power before the record.
/// With a hall, all hosts of the log are measured servers; the others of the hall each take one host's watts, drawn, in packages with
/// resistances of their own (the gpu's [spread]). At most 64 servers are drawn, each for an equal share of the rest. Their heat and
/// air move the plant every 10 s, and all of them get its air. Everything begins in the steady state of the first watts.
/// @throws InputError if the log cannot be read or lacks what drives, or if server, gpu and plant do not fit together
ReplayReport replay_log(const ReplayOptions& options);
std::string replay_text(const ReplayReport& report);      ///< for people
std::string replay_json(const ReplayReport& report);      ///< one JSON object on one line
std::string replay_csv(const ReplayReport& report);       ///< the rows
std::string replay_hall_csv(const ReplayReport& report);  ///< the hall's rows; empty without one

}  // namespace TIDEWATT_NAMESPACE::study
