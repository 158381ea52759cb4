#pragma once
// Private to sim: records of a run.
#include <map>
#include <span>
#include <string>
#include <vector>

#include "connection/site_stream.hpp"
#include "fleet_snapshot.hpp"
#include "hall_loop.hpp"
#include "job_series.hpp"
#include "result_column.hpp"
#include "tidewatt/sim/result.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// Swing of hourly throughput that steps' errors may make, percent (docs/engine.md): below it no hour is the slowest.
inline constexpr double swing_floor_percent = 0.02;

/// What happened in the fleet, the halls and at the connection: rows of macro steps and hours, events, and a picture of the fleet.
class Recorder {
 public:
  /// An occupant that trains.
  struct Trained {
    std::string name;
    double n_gpu = 0.0;
  };
  /// @param jobs the occupants that train; they come first
  Recorder(const fleet::Fleet& fleet, std::vector<Trained> jobs, Tick local_start);

  /// One step of the `occupant`-th occupant of the fleet, on its range of nodes, as a sequence of stretches.
  void fleet_step(std::span<const Stretch> step, std::size_t occupant, const NodeRange& nodes,
                  const fleet::FleetState& state, const fleet::FleetSignals& signals);
  /// What a neighbour on the same feeders drew.
  void neighbour(Tick begin, Tick end, double J);
  /// @param latest a job's step that ends by then is of this macro step, one that ends later only up to `end`
  void begin_macro(Tick end, Tick latest) { macro_end_ = end, latest_end_ = latest; }
  void macro_step(Tick begin, Tick end, const HallLoop& halls);
  /// What the connection drew in the macro step that has this row; comes after it.
  std::size_t last_row() const { return state_.day.at("time").size() - 1; }  ///< of /day
  void connection(const connection::SiteStream::Span& pcc, Tick begin, Tick end, std::size_t row);
  void event(Tick tick, std::string kind, std::string entity, std::string text);
  FleetSnapshot& snapshot() { return state_.snapshot; }
  const FleetSnapshot& snapshot() const { return state_.snapshot; }

  struct Swing {
    double percent = 0.0;
    std::vector<std::int64_t> min_hours;  ///< of the day, rising; none where the swing is below `swing_floor_percent`
    bool known = false;
  };
  /// Largest minus smallest hourly throughput over the mean of all; hours with under 15 iterating minutes left out. Of several jobs, an
  /// hour has the throughput of those that iterate for as long, over the mean of the same jobs. `min_hours` are the hours of the day in
  /// which the throughput of some day was in the lowest tenth of that range.
  Swing swing() const;
  const std::vector<JobSeries>& jobs() const { return state_.jobs; }
  double die_max_K() const { return state_.run.die_K; }
  double memory_max_K() const { return state_.run.memory_K; }
  double it_J() const { return state_.it_J.value(); }
  void add_arrays(std::vector<NamedArray>& arrays) const;

  struct Hourly {
    std::vector<double> tokens, iterating_s;  ///< [job]
    double it_J = 0, pcc_J = 0, water_kg = 0, inlet_Ks = 0, covered_s = 0;
    template <class A>
    void archive(A& a) {
      a(tokens, iterating_s, it_J, pcc_J, water_kg, inlet_Ks, covered_s);
    }
  };
  /// Highest temperatures of all occupants' GPUs.
  struct Hottest {
    double die_K = 0.0, memory_K = 0.0;
    template <class A>
    void archive(A& a) {
      a(die_K, memory_K);
    }
  };
  struct Event {
    double time_s;
    std::string kind, entity, text;
    template <class A>
    void archive(A& a) {
      a(time_s, kind, entity, text);
    }
  };
  struct State {
    std::vector<JobSeries> jobs;
    Hottest now, last, run;  ///< of this macro step, of the last in which a job took a step, of the run
    CompensatedSum it_J;
    std::map<std::int64_t, Hourly> hours;  ///< key: hours since local midnight of the first day
    std::map<std::string, std::vector<double>> day;
    FleetSnapshot snapshot;
    std::vector<Event> events;
    template <class A>
    void archive(A& a) {
      auto& [series, present, before, ever, energy, by_hour, rows, picture, log] = *this;
      a(series, present, before, ever, energy, by_hour, rows, picture, log);
    }
  };
  template <class A>
  void archive(A& a) {
    a(state_);
  }

 private:
  template <class Visit>
  void spread_over_hours(Tick begin, Tick end, Visit&& visit);
  void continue_hottest();
  Row site_figures() const;
  void add_hours(std::vector<NamedArray>& arrays) const;
  void add_events(std::vector<NamedArray>& arrays) const;
  void add_rows(const std::string& group, const std::map<std::string, std::vector<double>>& rows,
                std::vector<NamedArray>& arrays) const;
  const fleet::Fleet& fleet_;
  std::vector<Trained> trained_;
  Tick local_start_;
  Tick macro_end_ = 0, latest_end_ = 0;  ///< scratch
  State state_;
};

}  // namespace TIDEWATT_NAMESPACE::sim
