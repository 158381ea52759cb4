#pragma once
// Private to sim: a run, macro step by macro step.
#include <chrono>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "build_fleet.hpp"
#include "fleet/schedule_audit.hpp"
#include "hall_controls.hpp"
#include "hall_loop.hpp"
#include "job_run.hpp"
#include "neighbour_load.hpp"
#include "outside.hpp"
#include "recorder.hpp"
#include "site_connection.hpp"
#include "site_weather.hpp"
#include "step_planner.hpp"
#include "tidewatt/sim/run.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// Stands in front of every saved state. A change of what any `archive` writes takes another number: states of other layouts are refused.
inline constexpr std::string_view state_layout = "tidewatt state 19";

/// What a run is made of; it never changes.
struct RunModel {
  RunModel(const Scenario& s, const RunOptions& o);
  Scenario scenario;
  RunOptions options;  ///< with the number of threads that is used
  Tick end;
  SiteWeather site;
  fleet::Fleet fleet;
};

/// Saved states that a loss of power in the coming step may need, oldest first.
class Rewind {
 public:
  /// All that a restart needs, when no occupant's clock was beyond `clocks`.
  struct Moment {
    Tick now = 0, clocks = 0;
    std::string bytes;
    std::size_t n_flush = 0;  ///< of the trace
    StepCounts counts{};
    template <class A>
    void archive(A& a) {
      a(now, clocks, bytes);
    }
  };
  /// Power ends after `now`: of the moments that serve for all that is to come, the newest is enough.
  void keep(Moment moment, Tick now);
  /// The newest saved state from which every occupant can stop at `to`; drops later ones.
  const Moment& back_to(Tick to);
  void clear() { kept_.clear(); }
  bool empty() const { return kept_.empty(); }
  /// Empty memory for the next saved state: reused, or new and large enough not to be reallocated.
  std::string spare(Tick now);
  template <class A>
  void archive(A& a) {
    a(kept_);
  }

 private:
  /// Those that a later one makes needless.
  void drop(Tick now);
  std::deque<Moment> kept_;
  std::string spare_;
};

/// Fleet, halls and connection of a site in one simulation. Parts own their state; their parameters are in `model`.
class Simulation {
 public:
  Simulation(const Scenario& scenario, const RunOptions& options);

  /// One macro step; repeated in part if the site's power ends or returns inside it.
  void step();
  /// Waits for what passes beside.
  void settle() { connection->settle(0, recorder, halls.outdoor()); }
  /// Sets the present limits of every hall's GPUs. A changed limit interrupts the repetition of jobs; the thermal target follows
  /// the last macro step smoothly and interrupts none.
  void apply_controls();
  /// What a controller outside gives from now on. @throws InputError if a plant cannot have its set point, with nothing changed
  void set_outside(Outside given);
  /// @param memory of a string that is no longer needed
  std::string save(std::string memory = {});
  /// @throws InputError if the bytes do not fit
  void load(std::string_view bytes);

  /// All state that a restart needs, besides that of the parts.
  struct State {
    Tick now = 0;
    fleet::FleetState fleet;
    fleet::FleetMeters meters;
    fleet::ScheduleAudit audit;
    bool dark = false;  ///< the site has no power
    Tick dark_ns = 0;   ///< time without it
    Outside outside;    ///< values of a controller outside, by `set_outside`
    template <class A>
    void archive(A& a) {
      auto& [at, gpus, books, scheduled, no_power, without_ns, given] = *this;
      a(at, gpus, books, scheduled, no_power, without_ns, given);
    }
  };
  /// Recomputed by every step, or for the log.
  struct Scratch {
    fleet::FleetSignals signals;
    std::vector<connection::LaneLoad> loads;
    StepCounts counts;
    std::chrono::steady_clock::time_point wall_start = std::chrono::steady_clock::now();
  };

  const RunModel model;
  State state;
  Scratch scratch;
  HallLoop halls;
  Recorder recorder;
  HallControls controls;
  Agenda agenda;
  std::vector<JobRun> occupants;          ///< the jobs in the scenario's order, then ranges of idle nodes
  std::vector<NeighbourLoad> neighbours;  ///< their lanes come after the occupants'
  std::optional<SiteConnection> connection;

 private:
  void advance();
  void spin_up();
  void apply_outside(bool anew);
  void note_brakes();
  void apply_pauses();
  void advance_neighbours(Tick until);
  void pass_on(Tick until, double plant_W);
  // Where power ends (simulation_power.cpp).
  void remember();
  void go_back(Tick to);
  void reach(connection::PowerChange& change);
  void set_power(const connection::PowerChange& change);
  template <class A>
  void archive_moment(A& a) {
    // Of the signals, what an iteration that passes in pieces keeps from the last whole one.
    a(agenda, state, halls, *connection, recorder, controls, scratch.signals.memory_K);
    for (auto& occupant : occupants) occupant.archive(a);
    for (auto& neighbour : neighbours) neighbour.archive(a);
  }
  Rewind rewind_;
  StepContext context_;
};

/// How the air moves through the macro step that comes now, which the agenda plans with it.
HallForecast plan_macro_step(Agenda& agenda, const Simulation& s);
/// Where it will end, without planning it.
Tick planned_end(const Simulation& s);
/// Orders of the utility as they stand now: caps of all GPUs, or caps and pauses of jobs tier by tier.
void follow_orders(Simulation& s);
/// Hottest die of a hall's GPUs: means over the last complete iteration, or the value now where nothing iterates.
double hottest_mean_K(const Simulation& s, std::size_t hall);
/// The hottest die of a hall now.
double hottest_now_K(const Simulation& s, std::size_t hall);
/// Energy that all neighbours drew.
double neighbours_J(const Simulation& s);
/// Tokens that all jobs trained.
double tokens(const Simulation& s);
/// The furthest clock of the occupants: where an iteration that reaches beyond the step ends.
Tick furthest_occupant(const Simulation& s);
/// Longest last iteration of the occupants; 0: there was none.
Tick longest_period(const Simulation& s);

}  // namespace TIDEWATT_NAMESPACE::sim
