#pragma once
#include <cstdint>

#include "grid_meters.hpp"
#include "tidewatt/base/tick.hpp"
#include "tidewatt/grid/frequency.hpp"

namespace TIDEWATT_NAMESPACE::connection {

/// Whether the load continues to repeat itself, and the contribution of one unit of repetitions to the meters.
class RepeatDetector {
 public:
  /// What is compared from stretch to stretch.
  struct Shape {
    Tick period = 0;
    double range_W = 0.0, high_W = 0.0;
    bool like(const Shape& o, double share) const;  ///< within a share of it
    template <class A>
    void archive(A& a) {
      a(period, range_W, high_W);
    }
  };
  /// Bins passed so far do not predict what follows.
  void begin_anew() {
    state_.last = state_.kept = {};
    state_.rest = {};
  }
  /// The stretch does not repeat.
  void forget() { state_.last = {}; }
  /// Whether a constant stretch is a pause, after which the earlier repetitions continue.
  bool is_pause(double range_W, std::int64_t n_bin) const;
  /// What a pause disturbs passes bin by bin.
  void pause(std::int64_t end_bin);
  /// A stretch begins. @return it continues the last one, which repeats
  bool begin(const Shape& shape, std::int64_t bin);
  /// Bins from `bin` on in which a new stretch has to settle, its units being measured. @param unit of two repetition units, and of one
  std::int64_t settle_bins(std::int64_t bin, std::int64_t two_units, std::int64_t unit) const;
  /// The same where it is known what a unit adds.
  std::int64_t known_settle_bins(std::int64_t bin) const;
  /// First bin from which no ramp reaches back to the last change or pause.
  std::int64_t far_bin() const;
  /// Whether what one unit adds is known, as long as the load moves by no more than a twentieth of a percent; also of a load that is
  /// constant, as it was at another level.
  bool knows() const { return knows_unit() || rests(); }
  bool knows_unit() const { return state_.last.like(state_.kept, 0.0005); }
  bool rests() const { return state_.last.range_W == 0.0 && state_.rest.n_bin > 0; }
  const GridMeters::Share& share() const { return knows_unit() ? state_.share : state_.rest; }
  const grid::FrequencyState::Deviation& deviation() const { return state_.deviation; }
  /// What the unit that just passed bin by bin added, and where it left the grid.
  void keep(const grid::FrequencyState::Deviation& deviation, GridMeters::Share share);
  /// What one more unit added to the power's meters.
  void renew(LoadMeters::Share load);
  void found() { state_.found = true; }
  /// The stretch ends.
  void end(std::int64_t end_bin) { state_.repeated_until = end_bin; }

  struct State {
    std::int64_t alike_since = 0;  ///< bin since which the load has repeated much the same
    Shape last;
    Shape kept;                                   ///< of the unit that last passed bin by bin
    grid::FrequencyState::Deviation deviation{};  ///< where that left the grid
    GridMeters::Share share;                      ///< its contribution to the meters
    GridMeters::Share rest;                       ///< that of a constant load, whatever its level
    bool found = false;                           ///< the last stretch, in closed form
    std::int64_t repeated_until = 0;              ///< bin at which it ended
    std::int64_t disturbed_until = 0;             ///< bin at which the last pause ended
    template <class A>
    void archive(A& a) {
      auto& [alike, before, unit, where, added, nothing, closed, until, disturbed] = *this;
      a(alike, before, unit, where, added, nothing, closed, until, disturbed);
    }
  };
  template <class A>
  void archive(A& a) {
    a(state_);
  }

 private:
  State state_;
};

}  // namespace TIDEWATT_NAMESPACE::connection
