#pragma once
// Private to sim: what an Engine holds.
#include <chrono>
#include <deque>
#include <optional>

#include "hall_controls.hpp"
#include "hall_loop.hpp"
#include "job_run.hpp"
#include "neighbour_load.hpp"
#include "recorder.hpp"
#include "schedule_walk.hpp"
#include "stream_line.hpp"
#include "tidewatt/sim/build_fleet.hpp"
#include "tidewatt/sim/run.hpp"
#include "tidewatt/sim/transformer_watch.hpp"

namespace tidewatt::sim {

cooling::Weather make_weather(const Scenario& scenario);

/// One line of the energy audit, J.
struct AuditLevel {
  std::string name;
  double in_J, out_J, stored_J;
  /// |in − out − stored| over the largest of the three, or over `floor_J` where hardly anything flowed.
  double closure(double floor_J) const;
};
/// Energy below which a level's closure is lost in rounding: the largest level carries ε of its own energy through every sum, and
/// that is 1e-11, the limit, of so much.
double rounding_floor_J(const std::vector<AuditLevel>& levels);

struct Engine::Impl {
  Impl(const Scenario& s, const RunOptions& o);

  void step();     // one macro step; again in part where the site's power ends or comes back inside it
  void advance();  // the step itself
  void advance_neighbours(Tick until);
  double neighbours_J() const;
  void pass_on(Tick until, double plant_W);
  /// Sets every hall's GPUs to what holds them now.
  void apply_controls();
  void note_brakes();
  double hottest_mean_K(std::size_t hall) const;
  double hottest_now_K(std::size_t hall) const;
  std::string save();
  void load(std::string_view bytes);
  void settle(std::size_t behind = 0);  // waits for what passes beside
  template <class A>
  void archive_moment(A& a) {
    a(now, agenda, state, meters, audit_of_schedule, halls, *stream, recorder, controls, last_peak_W, transformers, dark, dark_ns);
    for (auto& user : occupants) user.archive(a);
    for (auto& neighbour : neighbours) neighbour.archive(a);
  }
  template <class A>
  void archive(A& a) {
    archive_moment(a);
    a(kept);
  }
  // Where power ends (engine_power.cpp).
  void remember();
  void go_back(Tick to);
  void reach(PowerChange& change);
  void set_power(const PowerChange& change);
  Tick furthest_clock() const;
  Result finish();
  void spin_up();
  std::vector<AuditLevel> audit() const;
  double input_error() const;
  void add_jobs(Result& result) const;
  void add_costs(Result& result) const;
  void add_transformers(Result& result) const;
  void summarise(Result& result, const std::vector<AuditLevel>& levels);
  const JobRun& first_job() const { return occupants.front(); }

  Scenario scenario;
  RunOptions options;
  std::chrono::steady_clock::time_point wall_start = std::chrono::steady_clock::now();
  Tick end;
  cooling::Weather weather;
  const Fleet fleet;
  // State: all and only what a restart needs; parts hold their own memory.
  Tick now = 0;
  FleetState state;
  FleetMeters meters;
  ScheduleWalk audit_of_schedule;
  HallLoop halls;
  std::optional<SiteStream> stream;
  Recorder recorder;
  HallControls controls;
  Agenda agenda;
  TransformerWatch transformers;
  double last_peak_W = 0.0;      ///< of the connection in the last macro step
  std::vector<JobRun> occupants;  ///< the jobs in the scenario's order, then ranges of idle nodes
  std::vector<NeighbourLoad> neighbours;  ///< their lanes come after the occupants'
  bool dark = false;     ///< the site has no power
  Tick dark_ns = 0;      ///< time without it
  /// A moment to go back to: all that a restart needs, when no occupant's clock was beyond `clocks`.
  struct Moment {
    Tick now = 0, clocks = 0;
    std::string bytes;
    std::size_t n_flush = 0;  ///< of the tape
    StepCounts counts{};
    template <class A>
    void archive(A& a) {
      a(now, clocks, bytes);
    }
  };
  std::deque<Moment> kept;  ///< moments that a loss of power in the coming step may ask for, oldest first
  bool can_lose_power = false;
  // Signals: recomputed each step.
  FleetSignals signals;
  std::vector<LaneLoad> loads;
  StepCounts counts;
  StepContext context;
  struct Flushed {
    Tick begin, end;
    std::size_t row;  ///< of /day
  };
  std::deque<Flushed> flushed;      ///< handed to the stream and not settled
  std::optional<StreamLine> line;   ///< ends before the stream does
};

}  // namespace tidewatt::sim
