#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tidewatt/grid/repeat.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// Stays outside a limit.
struct Excursions {
  std::int64_t count = 0;  ///< times the limit was crossed outwards
  std::int64_t bins = 0;   ///< 1 ms bins outside
  std::int64_t longest_bins = 0;
  double deepest = 0.0;  ///< largest distance beyond the limit, >= 0
  std::int64_t deepest_bin = -1;
  template <class A>
  void archive(A& a) {
    a(count, bins, longest_bins, deepest, deepest_bin);
  }
};

/// Excursions of voltage or frequency above and below two limits, in the unit of what is pushed.
class ExcursionMeter {
 public:
  /// @throws InputError unless low < high
  /// @param low, high any unit, that of what is pushed
  ExcursionMeter(double low, double high);
  /// A recorded interval begins at this absolute 1 ms bin.
  void begin(std::int64_t first_bin);
  /// The next 1 ms values, [n], in the limits' unit.
  void push(std::span<const double> x);
  const Excursions& below() const { return below_; }
  const Excursions& above() const { return above_; }

  struct Snapshot {
    std::int64_t next_bin = 0, run_below = 0, run_above = 0;
    Excursions below, above;
  };
  Snapshot snapshot() const { return {next_bin_, run_below_, run_above_, below_, above_}; }
  /// A stretch that is outside from end to end never settles: the stay grows. See repeat.hpp.
  bool settled(const Snapshot& before, const Repetition& r) const;
  /// Counts `n` periods at once; see repeat.hpp.
  std::int64_t repeat_since(const Snapshot& before, std::int64_t n);
  /// What the bins since a snapshot counted; see repeat.hpp.
  struct Share {
    std::int64_t n_bin = 0, count_below = 0, count_above = 0, bins_below = 0, bins_above = 0;
    template <class A>
    void archive(A& a) {
      a(n_bin, count_below, count_above, bins_below, bins_above);
    }
  };
  /// What the bins since `before` added; see repeat.hpp.
  Share since(const Snapshot& before) const;
  /// Counts `n_bin` further bins like the share's.
  void repeat_bins(const Share& share, std::int64_t n_bin);
  template <class A>
  void archive(A& a) {
    a(next_bin_, run_below_, run_above_, below_, above_);
  }

 private:
  void look(double beyond, std::int64_t bin, Excursions& e, std::int64_t& run);
  double low_, high_;
  std::int64_t next_bin_ = 0, run_below_ = 0, run_above_ = 0;
  Excursions below_, above_;
};

/// How often the load stepped by more than each of several sizes over a fixed distance in time:
///
///     a step begins where |x(t + w) − x(t)| passes the size upwards and ends where it falls below half of it
class StepCounter {
 public:
  /// @param window w in bins, 1…10^6  @param sizes_W > 0, rising, at most 16  @throws InputError
  StepCounter(std::int64_t window, std::vector<double> sizes_W);
  /// A recorded interval begins at this absolute 1 ms bin; the window is empty.
  void begin(std::int64_t first_bin);
  /// The next 1 ms means, [n].
  void push(std::span<const double> load_W);
  const std::vector<std::int64_t>& counts() const { return counts_; }  ///< in the order of the sizes

  struct Snapshot {
    std::int64_t next_bin = 0;
    std::vector<std::int64_t> counts;
    std::vector<bool> inside;
  };
  Snapshot snapshot() const { return {next_bin_, counts_, inside_}; }
  /// The window lies inside the repeated part and no step is half done; see repeat.hpp.
  bool settled(const Snapshot& before, const Repetition& r) const;
  /// Counts `n` periods at once; see repeat.hpp.
  std::int64_t repeat_since(const Snapshot& before, std::int64_t n);

 private:
  void change(double size_W);
  std::vector<double> sizes_W_;
  std::vector<double> ring_;  // the last w samples
  std::size_t at_ = 0, filled_ = 0;
  double wake_W_ = 0.0, sleep_W_ = 0.0;  // nothing begins below the first, nothing ends above the second
  std::vector<std::int64_t> counts_;
  std::vector<bool> inside_;
  std::int64_t next_bin_ = 0;
};

}  // namespace TIDEWATT_NAMESPACE::grid
