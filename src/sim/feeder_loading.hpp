#pragma once
// Private to sim: how a feeder's levels are loaded as their conductors feel it.
#include <array>

#include "tidewatt/base/tick.hpp"
#include "tidewatt/power/feeder.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// Largest root mean square loading of each level over 15 minutes, from the feeder's own meters.
///
///     K = √((1/Δt) ∫ (S/(n S_r))² dt)
///
/// Ratings are thermal: copper follows the mean square, with time constants of minutes in windings and busways and of hours
/// in oil [K]. The quarter of an hour is that of utilities' meters. A shorter run counts as a whole.
class FeederLoading {
 public:
  static constexpr Tick window = 900 * ns_per_s;
  /// A step that ended at `end`. @param feeder meters since the start of the run
  void step(Tick end, const power::FeederMeters& feeder);
  std::array<double, power::FeederParams::n_level> mean_max_frac() const;
  template <class A>
  void archive(A& a) {
    a(begin_, last_, begin_s_, last_s_, largest_frac_, any_);
  }

 private:
  using PerLevel = std::array<double, power::FeederParams::n_level>;
  PerLevel open_frac() const;
  Tick begin_ = 0, last_ = 0;  ///< of the open window
  PerLevel begin_s_{}, last_s_{}, largest_frac_{};
  bool any_ = false;  ///< a whole window has ended
};

}  // namespace TIDEWATT_NAMESPACE::sim
