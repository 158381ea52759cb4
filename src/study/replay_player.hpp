#pragma once
// The node of a replayed log: its hardware, which GPU sits where, and packages and fans driven by the logged watts.
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "replay_drive.hpp"
#include "replay_log.hpp"
#include "thermal/node_heat.hpp"
#include "tidewatt/dvfs/operating_point.hpp"
#include "tidewatt/power/server.hpp"
#include "tidewatt/thermal/cold_plate.hpp"

namespace TIDEWATT_NAMESPACE::study::log_replay {

constexpr double zero_degC_K = 273.15;
constexpr double start_s = 10.0;  // left out of the comparison: it depends on what was before the record

struct Hardware {
  thermal::PackageParams package;
  power::GpuPowerParams gpu;
  power::ServerPowerParams server;
  thermal::ServerAirParams air;
  thermal::HbmBranchParams memory;
  power::SiliconSpreadParams spread;
  std::optional<thermal::LiquidCooling> liquid;  ///< none: in air
  dvfs::GovernorParams governor;
};

Hardware hardware_of(const ReplayOptions& options);

/// GPUs of one host by slot: their own number where it is one, else their order.
struct Slots {
  std::string host;
  std::vector<GpuTelemetry> gpu;
  std::vector<std::size_t> slot;
};

/// [host] every host of the log, the chosen one first. @throws InputError if there is no such host or one has too many GPUs
std::vector<Slots> hosts_of(const ReplayOptions& options, std::size_t n_slot, ReplayReport& report);

struct Played {
  std::vector<double> time_s, fan_frac, gpu_sum_W;  ///< [step]
  std::vector<std::vector<double>> die_K, gpu_W;    ///< [GPU of the log][step]
  std::vector<std::vector<double>> memory_K;  ///< [GPU of the log][step], NaN where the memory's watts are unknown
};

/// Watts of a server's slots over time; slots without a GPU in the log take the mean of the others.
class SlotWatts {
 public:
  SlotWatts(const Slots& slots, const ReplayOptions& options, const Hardware& h);
  double begin_s() const { return begin_s_; }  ///< all its GPUs have readings from here
  double end_s() const { return end_s_; }      ///< to here
  /// Means over a time, [slot]. @param die_K [slot], on which watts from activity and clocks depend
  std::vector<double> mean_W(double from_s, double to_s, std::span<const double> die_K) const;
  /// Of the GPU in the log's order.
  const GpuDrive& drive(std::size_t gpu) const { return drives_[gpu]; }

 private:
  std::vector<GpuDrive> drives_;
  std::vector<std::size_t> slot_;
  std::size_t n_slot_;
  double begin_s_ = -1e300, end_s_ = 1e300;
};

/// One server of the replay: packages and fans under the logged watts.
class ReplayedServer {
 public:
  /// @param resistance_ratio [slot] of each package to the entry's
  ReplayedServer(const Hardware& h, const SlotWatts& watts, std::vector<double> resistance_ratio);
  /// At rest under the watts of the first seconds. @param inlet_K air
  void rest(double from_s, double inlet_K);
  struct Step {
    double gpu_W, ac_W, air_W, liquid_W;  ///< of the GPUs; at the server's input; heat that air and liquid take
    double stored_J;                      ///< in the packages
  };
  Step step(double from_s, double to_s, double inlet_K);
  double die_K(std::size_t slot) const { return state_.store_K[slot][thermal::die_store]; }
  double slot_W(std::size_t slot) const { return slot_W_[slot]; }  ///< mean of the last step
  /// Memory of a slot that draws these watts (thermal::memory_lead).
  double memory_K(std::size_t slot, double memory_W) const;
  double all_W() const { return std::accumulate(slot_W_.begin(), slot_W_.end(), 0.0); }
  double fan_frac() const { return state_.fan_frac; }
  double hottest_K() const;

 private:
  const Hardware& hardware_;
  const SlotWatts& watts_;
  std::vector<double> dies() const;
  std::vector<double> ratio_, none_, slot_W_;
  thermal::NodeHeat node_;
  thermal::NodeHeatState state_;
};

/// Whether a server's GPUs are in a job, by their watts.
bool is_busy(const Hardware& h, double gpu_W);

/// Appends where a server stands at a time. @param step_s length of the step that ends there
void note(Played& played, const ReplayedServer& server, const Slots& slots, const SlotWatts& watts, double at_s,
          double step_s);

/// The record from its start to its end with air of this temperature, K at each time.
Played play(const Hardware& h, const Slots& slots, const SlotWatts& watts, double from_s, double to_s,
            const std::function<double(double)>& inlet_K);

constexpr double replay_step_s = 0.5;

/// Value of a simulated series at a time: the nearest end of a step, since steps are short.
double played_at(const Played& played, const std::vector<double>& x, double at_s);

}  // namespace TIDEWATT_NAMESPACE::study::log_replay
