#pragma once
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "hall_loop.hpp"
#include "tidewatt/sim/load_template.hpp"
#include "tidewatt/sim/result.hpp"
#include "tidewatt/sim/site_stream.hpp"
#include "tidewatt/sim/training_task.hpp"

namespace tidewatt::sim {

/// What happened in the fleet since the last macro step, time-weighted, and what the run remembers of it.
class Recorder {
 public:
  Recorder(const Fleet& fleet, Tick local_start);

  struct Stretch {
    Tick begin = 0, end = 0;
    workload::JobState state = workload::JobState::queued;
    double tokens = 0.0;        ///< of completed iterations
    double iteration_s = 0.0;   ///< 0: not iterating
    double slowest_Hz = 0.0;
    double load_J = 0.0;        ///< AC energy of the user's nodes
  };
  struct Moment {
    double mean_inlet_K = 0.0;
    bool settled = false, full_hour = false;
  };
  /// One step of the `user`-th user of the fleet, on its range of nodes, as what it did one after the other. The series
  /// describe the first user's GPUs.
  void fleet_step(std::span<const Stretch> step, std::size_t user, std::size_t first_node, std::size_t n_node, const FleetState& state,
                  const FleetSignals& signals);
  /// What a neighbour on the same feeders drew.
  void neighbour(Tick begin, Tick end, double J);
  void begin_macro(Tick end) { macro_end_ = end; }
  void macro_step(Tick begin, Tick end, const HallLoop& halls);
  /// What the connection drew in the macro step that has this row; comes after it.
  std::size_t last_row() const { return day_.at("time").size() - 1; }  ///< of /day
  void connection(const SiteStream::Span& pcc, Tick begin, Tick end, std::size_t row);
  void snapshot(const FleetState& state, const FleetSignals& signals, const TrainingTask& task,
                std::span<const double> inlet_K, const LoadEdges& edges, const Moment& moment);
  /// Whether this is the warmest moment so far; one that a start has long left behind wins over all that it has not, and
  /// full hours, which every way to advance hits, win over moments between.
  bool better(const Moment& m) const { return std::tuple(m.settled, m.full_hour, m.mean_inlet_K) > std::tuple(moment_.settled, moment_.full_hour, moment_.mean_inlet_K); }
  void event(Tick tick, std::string kind, std::string entity, std::string text);

  struct Hourly {
    double tokens = 0, iterating_s = 0, it_J = 0, pcc_J = 0, water_kg = 0, inlet_Ks = 0, covered_s = 0;
    template <class A>
    void archive(A& a) {
      a(tokens, iterating_s, it_J, pcc_J, water_kg, inlet_Ks, covered_s);
    }
  };
  struct Swing {
    double percent = 0.0;
    std::int64_t min_hour = -1;
    bool known = false;
  };
  /// Largest minus smallest hourly throughput over the mean of all; hours with under 15 iterating minutes left out.
  Swing swing() const;
  double mean_throughput() const;  ///< tokens per iterating second over the run
  double mean_iteration_s() const;
  double clock_mean_Hz() const;
  double clock_slowest_Hz() const { return clock_slowest_Hz_; }
  double die_mean_K() const;
  double die_max_K() const { return die_max_K_; }
  double memory_mean_K() const;  ///< 0: none of the first job's GPUs has a memory branch
  double memory_max_K() const { return memory_max_K_; }
  std::vector<std::pair<std::string, double>> limiter_share() const;
  double it_J() const { return it_J_.value(); }
  template <class A>
  void archive(A& a) {
    a(now_, next_, total_, clock_slowest_Hz_, die_max_K_, memory_max_K_, moment_.mean_inlet_K, moment_.settled, moment_.full_hour, it_J_, hours_, day_, last_, fleet_arrays_, events_);
  }
  void add_arrays(std::vector<Array>& arrays) const;

 private:
  struct Running {  // sums over the current macro step
    double iterating_s = 0, tokens = 0, iteration_s2 = 0, clock_Hzs = 0, slowest_Hzs = 0, p05_Hz = 0, p95_Hz = 0;
    double die_Ks = 0, fan_s = 0, time_s = 0, die_max_K = 0, memory_Ks = 0, memory_max_K = 0;
    double limiter_s[dvfs::n_limiter] = {};
    double state_s[workload::n_job_state] = {};
    template <class A>
    void archive(A& a) {
      a(iterating_s, tokens, iteration_s2, clock_Hzs, slowest_Hzs, p05_Hz, p95_Hz, die_Ks, fan_s, time_s, die_max_K, memory_Ks, memory_max_K, limiter_s, state_s);
    }
  };
  void add_pipeline(const TrainingTask& task);
  template <class Visit>
  void spread_over_hours(Tick begin, Tick end, Visit&& visit);
  const Fleet& fleet_;
  Tick local_start_;
  Running now_, next_, total_;  ///< of this macro step, of what reaches into the next, of the run
  Tick macro_end_ = 0;
  double clock_slowest_Hz_ = 0.0, die_max_K_ = 0.0, memory_max_K_ = 0.0;
  Moment moment_;  ///< of the snapshot
  CompensatedSum it_J_;
  std::map<std::int64_t, Hourly> hours_;  ///< key: hours since local midnight of the first day
  std::map<std::string, std::vector<double>> day_;
  Running last_;  ///< of the last macro step in which the first user took a step
  std::vector<Array> fleet_arrays_;
  struct Event {
    double time_s;
    std::string kind, entity, text;
    template <class A>
    void archive(A& a) {
      a(time_s, kind, entity, text);
    }
  };
  std::vector<Event> events_;
};

/// Array of doubles along one dimension.
Array column(std::string path, std::string dim, std::vector<double> values, std::string unit, std::string long_name);

}  // namespace tidewatt::sim
