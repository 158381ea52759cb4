#pragma once
// Private to sim: one job's GPUs, macro step by macro step.
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fleet/fleet_state.hpp"
#include "fleet/site.hpp"
#include "workload/job_state.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// What an occupant of the fleet did for a while.
struct Stretch {
  Tick begin = 0, end = 0;
  workload::JobState state = workload::JobState::queued;
  double tokens = 0.0;       ///< of completed iterations
  double iteration_s = 0.0;  ///< 0: not iterating
  double slowest_Hz = 0.0;
  double alone_Hz = 0.0;  ///< mean of the clocks that the GPUs would have without waiting for the slowest
  double load_J = 0.0;    ///< AC energy of the occupant's nodes
};

/// Nodes of one occupant.
struct NodeRange {
  std::size_t first_node, n_node;
  /// [gpu of the fleet] → [gpu of the range]
  std::span<const double> of_gpus(const std::vector<double>& all, std::size_t n_gpu_per_node) const {
    return std::span(all).subspan(first_node * n_gpu_per_node, n_node * n_gpu_per_node);
  }
};

/// Clock of the slowest GPU, and mean of what all would have without waiting for it, over a time.
struct PaceSums {
  double slowest_Hzs = 0, alone_Hzs = 0;
  template <class A>
  void archive(A& a) {
    a(slowest_Hzs, alone_Hzs);
  }
};

/// Sums over a time.
struct JobSums {
  double iterating_s = 0, tokens = 0, iteration_s2 = 0, clock_Hzs = 0;
  double die_Ks = 0, fan_s = 0, time_s = 0, die_max_K = 0, memory_Ks = 0, memory_max_K = 0, load_J = 0;
  PaceSums pace;
  double spread_Hz[2] = {};  ///< 5th and 95th percentile of the clocks
  double limiter_s[dvfs::n_limiter] = {};
  double state_s[workload::n_job_state] = {};
  template <class A>
  void archive(A& a) {
    a(iterating_s, tokens, iteration_s2, clock_Hzs, pace, die_Ks, fan_s, time_s, die_max_K, memory_Ks, memory_max_K,
      load_J, spread_Hz, limiter_s, state_s);
  }
};

/// A row of figures: name and value.
using Row = std::vector<std::pair<const char*, double>>;
/// The figures of a job in a macro step; NaN: it has none.
Row row_of(const JobSums& sums);
/// A job's share in a site's row.
struct JobShare {
  const JobSums& sums;
  double n_gpu;
};
/// The same of a site: throughputs are sums, the slowest clock and the hottest parts extremes, and all others means over the jobs' GPUs and
/// time. The state is that of most GPUs. One job's row is its own.
Row site_row(std::span<const JobShare> jobs);

/// Clocks, temperatures, work and limiters of one job's GPUs, time-weighted.
class JobSeries {
 public:
  /// One step of the job, as a sequence of stretches. @param macro_end the part after it belongs to the next macro step
  void step(std::span<const Stretch> step, const NodeRange& nodes, Tick macro_end, const fleet::Fleet& fleet,
            const fleet::FleetState& state, const fleet::FleetSignals& signals);
  /// The macro step that began at `begin` ends. A step that spans several macro steps leaves some without sums; it continues in
  /// them.
  void macro_step(Tick begin);
  /// Rows of macro steps, by name.
  const std::map<std::string, std::vector<double>>& rows() const { return state_.rows; }
  /// Of the macro step that ended last, and whether a step of the job had a share in it.
  const JobSums& row() const { return state_.row; }
  /// Tokens per iterating second over the run.
  double mean_throughput() const { return state_.total.tokens / state_.total.iterating_s; }
  double mean_iteration_s() const { return state_.total.iteration_s2 / state_.total.iterating_s; }
  double clock_mean_Hz() const { return state_.total.clock_Hzs / state_.total.iterating_s; }
  double clock_slowest_Hz() const { return state_.clock_slowest_Hz; }
  /// Means over the run: clock of the slowest GPU, and of what the GPUs would have without waiting for it.
  double slowest_mean_Hz() const { return state_.total.pace.slowest_Hzs / state_.total.iterating_s; }
  double alone_mean_Hz() const { return state_.total.pace.alone_Hzs / state_.total.iterating_s; }
  const JobSums& total() const { return state_.total; }
  double die_mean_K() const { return state_.total.die_Ks / state_.total.time_s; }
  /// 0: none of its GPUs has a memory branch.
  double memory_mean_K() const { return state_.total.memory_Ks / state_.total.time_s; }
  std::vector<std::pair<std::string, double>> limiter_share() const;

  struct State {
    JobSums now, next, total;  ///< of this macro step, of what reaches into the next, of the run
    JobSums last;              ///< of the last macro step in which the job took a step
    JobSums row;
    double clock_slowest_Hz = 0.0;
    std::map<std::string, std::vector<double>> rows;
    template <class A>
    void archive(A& a) {
      auto& [present, coming, run, before, shown, slowest, columns] = *this;
      a(present, coming, run, before, shown, slowest, columns);
    }
  };
  template <class A>
  void archive(A& a) {
    a(state_);
  }

 private:
  State state_;
};

}  // namespace TIDEWATT_NAMESPACE::sim
