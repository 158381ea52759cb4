#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "tidewatt/base/version.hpp"

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

/// Excursions of voltage or frequency above and below two limits, in the unit of the pushed values.
class ExcursionMeter {
 public:
  /// @throws InputError unless low < high
  /// @param low, high in the unit of the pushed values
  ExcursionMeter(double low, double high);
  /// A recorded interval begins at this absolute 1 ms bin.
  void begin(std::int64_t first_bin);
  /// The next 1 ms values, [n], in the limits' unit.
  void push(std::span<const double> x);
  bool outside() const { return run_below_ > 0 || run_above_ > 0; }  ///< the last bin was
  const Excursions& below() const { return below_; }
  const Excursions& above() const { return above_; }

  struct Snapshot {
    std::int64_t next_bin = 0;
    Excursions below, above;
  };
  Snapshot snapshot() const { return {next_bin_, below_, above_}; }
  /// Counts of the bins since a snapshot; see metrics.hpp.
  struct Share {
    std::int64_t n_bin = 0, count_below = 0, count_above = 0, bins_below = 0, bins_above = 0;
    bool calm() const { return bins_below == 0 && bins_above == 0; }  ///< no bin outside
    template <class A>
    void archive(A& a) {
      a(n_bin, count_below, count_above, bins_below, bins_above);
    }
  };
  /// Contribution of the bins since `before`; see metrics.hpp.
  Share since(const Snapshot& before) const;
  /// Counts `n_bin` further bins like the share's.
  void repeat_bins(const Share& share, std::int64_t n_bin);
  template <class A>
  void archive(A& a) {
    a(next_bin_, run_below_, run_above_, below_, above_);
  }

 private:
  void look_at_each(std::span<const double> x);
  void look(double beyond, std::int64_t bin, Excursions& e, std::int64_t& run);
  double low_, high_;
  std::int64_t next_bin_ = 0, run_below_ = 0, run_above_ = 0;
  Excursions below_, above_;
};

}  // namespace TIDEWATT_NAMESPACE::grid
