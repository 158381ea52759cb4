#pragma once
#include <deque>
#include <optional>
#include <span>

#include "load_template.hpp"

namespace TIDEWATT_NAMESPACE::connection {

/// One source of the site's load (a job, the idle nodes): a queue of templates with their repetitions, laid onto
/// absolute 1 ms bins on demand. A template bin that straddles two absolute ones is split in proportion to time, so
/// every repetition's energy arrives whole.
class LoadLane {
 public:
  struct Stretch {
    LoadTemplate load;
    Tick begin = 0, end = 0;  ///< end = begin + repetitions × period
    bool iterating = false;
    bool constant() const { return load.min_W == load.max_W; }
    template <class A>
    void archive(A& a) {
      a(load, begin, end, iterating);
    }
  };
  /// Adds a template, to be repeated `repetitions` times from the lane's end on. @param iterating a job trains
  void append(LoadTemplate load, std::int64_t repetitions, bool iterating);
  Tick end() const { return end_; }
  /// The stretch that contains `at`; drops everything before it.
  const Stretch& at(Tick at);
  /// Adds the energies of the bins from `from` to `to` (whole milliseconds, inside the appended range), J.
  void lay(Tick from, Tick to, std::span<double> bin_J);
  template <class A>
  void archive(A& a) {
    a(queue_, end_);
  }

 private:
  std::deque<Stretch> queue_;
  Tick end_ = 0;
};

/// One lane repeats and the others are constant.
struct PeriodicLoad {
  const LoadTemplate* load;
  Tick begin;         ///< of the lane's stretch
  double constant_W;  ///< of the others
};
/// The repeating lane and the constant rest at a time; empty if the load has not this form.
std::optional<PeriodicLoad> periodic_load(std::span<LoadLane> lanes, Tick at);

/// Energy of a template from `from` to `to`, both within one repetition, J.
double energy_between_J(const LoadTemplate& load, Tick from, Tick to);
/// Energy of a repeating template over any interval, from the phase `from` on, J.
double repeated_energy_J(const LoadTemplate& load, Tick from, Tick length);

}  // namespace TIDEWATT_NAMESPACE::connection
