#pragma once
// Private to sim: how a controller outside drives an engine.
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "engine.hpp"
#include "port_table.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// The table of ports, and the state of an engine at a time inside one of its steps.
///
/// Reading must not change the run. The engine therefore saves the beginning of its step and computes the step up to the
/// requested time. A write that changes a value makes this part final. Otherwise the engine later returns to the beginning and
/// takes the whole step.
struct Engine::Ports {
  explicit Ports(Impl& engine);
  /// @throws InputError for a time in the past, beyond the end or between milliseconds
  void advance_to(Impl& engine, double t_s);
  /// @param value nothing: the site's own again
  void write(Impl& engine, std::string_view name, std::optional<double> value);
  const PortEntry& find(std::string_view name) const;
  void step(Impl& engine);          ///< one step of the engine
  void leave_inside(Impl& engine);  ///< back to where the engine's own step begins
  std::string save(Impl& engine);
  void restore(Impl& engine, std::string_view bytes, bool other_scenario);

  std::vector<PortEntry> entries;
  Tick asked = 0;
  PortCounters last;    ///< sums at the last `advance_to`
  PortCounters before;  ///< by so much below `last` is what its means are of

 private:
  void end_step(Impl& engine);
  /// Beginning of one of the engine's own steps.
  struct Moment {
    Tick now = 0, clocks = 0, planned_end = 0;  ///< `clocks`: the furthest of the occupants
    std::string bytes;                          ///< empty: `way_` leads to it
    template <class A>
    void archive(A& a) {
      a(now, clocks, planned_end, bytes);
    }
  };
  /// From a saved state to the present step, where every step since was computed once and ended by a write. Such a controller will
  /// hardly return to the beginning of a step, so the state is not copied each time: it can be computed again.
  struct Way {
    struct Act {
      Tick to = 0;                         ///< played to this time
      const PortEntry* written = nullptr;  ///< or a value was written; null: none
      std::optional<double> value;
    };
    std::string bytes;  ///< saved state; empty: there is no way
    std::vector<Act> acts;
    int n_write = 0;  ///< steps in a row that a write ended
  };
  void keep(Impl& engine, Tick planned_end);
  bool keep_on_way(const Impl& engine, Tick planned_end);
  void leave_way();
  void find_back(Impl& engine, Moment& moment);
  void set(Impl& engine, const PortEntry& entry, std::optional<double> value);
  void forget(std::size_t n_kept);
  void play_to(Impl& engine, Tick t);
  void look_inside(Impl& engine, Tick t);
  std::optional<PortCounters> passed_inside(Impl& engine, Tick t);
  void tell(Impl& engine, Tick t, std::optional<PortCounters> passed);
  void take_own_steps(Impl& engine, Tick t);
  std::deque<Moment> moments_;  ///< oldest first; while inside, the last one is the beginning of the engine's own step
  std::string spare_;           ///< memory of a dropped saved state
  bool inside_ = false;         ///< the engine has computed part of a step, up to `asked`
  PortCounters told_;           ///< sums that all means so far are of
  std::size_t from_ = 0;        ///< saved state from which it was computed
  int n_look_ = 0;              ///< how often it was moved since
  Way way_;
};

}  // namespace TIDEWATT_NAMESPACE::sim
