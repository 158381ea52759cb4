#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::study {

struct ReplayOptions {
  std::string file;    ///< telemetry of GPUs: time, gpu, power; temperature and clock where they are to be compared
  std::string server;  ///< catalog server, air-cooled
  std::string gpu = "h100_sxm_700W";  ///< catalog gpu, e.g. one made by `fit gpu`
  std::string catalog;                ///< folder of catalog entries of your own; empty: none
  std::string host;                   ///< which host of the log; empty: the first
  std::string node_log;               ///< measured node power: time, then watts; empty: none
  /// Air into the server; none: the log's column, else the one that fits the mean of the dies.
  std::optional<double> inlet_degC;
  double power_window_s = 1.0;  ///< trailing mean behind each power reading, 0 to 30 s
  double cap_W = 0.0;           ///< power limit; 0: the log's column, else the gpu's own
};

/// Measured against predicted, in the unit of the quantity (K and °C, MHz, W).
struct ReplayComparison {
  std::string of;  ///< GPU, or "node"
  std::size_t n_sample = 0;
  double measured_mean = 0.0, predicted_mean = 0.0;
  double bias = 0.0;    ///< mean of predicted − measured
  double rms = 0.0;     ///< of predicted − measured
  double worst = 0.0;   ///< of largest size, with its sign
  double spread = 0.0;  ///< standard deviation of the measured: what a constant would miss
};

struct ReplayReport {
  std::string server, gpu, host;
  double span_s = 0.0, inlet_degC = 0.0, fan_mean_frac = 0.0, gpu_mean_W = 0.0;
  std::string inlet_from;
  std::vector<std::string> findings;                 ///< what the log lacks, contradicts or leaves to an assumption
  std::vector<ReplayComparison> temperature, clock;  ///< [GPU]
  std::optional<ReplayComparison> node;
  /// One row per temperature reading after the start.
  struct Row {
    double time_s, power_W, measured_degC, predicted_degC;
    std::size_t gpu;  ///< index into `temperature`
  };
  std::vector<Row> rows;
};

/// Measured GPU watts drive the packages, the two rows of air and the fans of one server (thermal/node_heat.hpp); its watts follow
/// (power/server.hpp). Clocks: the activity under load is taken from the first half of the record, and the second half's clocks are those
/// at which the model draws the measured watts at the predicted temperature. The server is at rest at the first power before the record.
/// @throws InputError if the log cannot be read or the server is liquid-cooled
ReplayReport replay_log(const ReplayOptions& options);
std::string replay_text(const ReplayReport& report);  ///< for people
std::string replay_json(const ReplayReport& report);  ///< one JSON object on one line
std::string replay_csv(const ReplayReport& report);   ///< the rows

}  // namespace TIDEWATT_NAMESPACE::study
