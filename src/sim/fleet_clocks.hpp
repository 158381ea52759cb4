#pragma once
// Private to the library: what a run's GPUs could have done alone, for studies of other fleets.
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "job_series.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// Clocks that GPUs could have had without waiting for others, and the hottest that their dies were. If a run goes back in time
/// because power ended inside a step, the repeated time counts twice.
class FleetClocks {
 public:
  /// @param by_node also every node's clock in every hour
  explicit FleetClocks(bool by_node) : by_node_(by_node) {}

  /// A stretch of iterations of one job.
  struct Step {
    Tick local_start;  ///< time of day of the run's start
    std::size_t job;
    const Stretch& stretch;
    NodeRange nodes;
    std::size_t n_gpu_per_node;
    const double* own_Hz;  ///< [gpu of the fleet]
  };
  /// Splits it at full hours.
  void add(const Step& step);
  /// @param first_gpu of the fleet  @param die_peak_K highest die temperatures in a step of any kind
  void heat(std::size_t first_gpu, std::span<const double> die_peak_K);

  /// Sums over the time that a job iterated in an hour of the calendar.
  struct Hour {
    double s = 0.0, tokens = 0.0, iteration_s2 = 0.0, n_gpu = 0.0;
    double slowest_Hzs = 0.0;        ///< of the job's slowest GPU over its host's slowness
    std::vector<double> node_Hzs{};  ///< [node of the job] its slowest GPU, not over its host's slowness
  };
  /// [job][hours since midnight before the start], of jobs that iterated.
  const std::vector<std::map<std::int64_t, Hour>>& hours() const { return hours_; }
  /// Mean over the time that its job iterated. @param gpu of the fleet
  double own_mean_Hz(std::size_t gpu) const { return own_Hzs_[gpu] / own_s_[gpu]; }
  /// Steps of GPUs of any kind, a count: how dear the run was, the same on every machine.
  double gpu_steps() const { return gpu_steps_; }
  /// Whether a GPU's job iterated.
  bool iterated(std::size_t gpu) const { return gpu < own_s_.size() && own_s_[gpu] > 0.0; }
  /// [gpu of the fleet] over the run, K.
  const std::vector<double>& die_peak_K() const { return die_peak_K_; }

 private:
  bool by_node_;
  std::vector<std::map<std::int64_t, Hour>> hours_;
  double gpu_steps_ = 0.0;
  std::vector<double> own_Hzs_, own_s_, die_peak_K_;  ///< [gpu of the fleet]
};

}  // namespace TIDEWATT_NAMESPACE::sim
