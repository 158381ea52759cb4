#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// Cycles of one class of ranges.
struct RainflowClass {
  double range_W = 0.0;  ///< middle of the class
  double count = 0.0;    ///< cycles; an open one counts as a half
};

/// Rainflow counting of a stream in constant memory: how often the load swung by how much.
///
/// Four-point rule: of four turning points in a row the inner pair is a cycle if its range lies within the outer one;
/// it is counted and taken out. What remains widens and then narrows, and counts as half cycles. Turning points are
/// rounded down to whole classes of width `class_W`; swings smaller than one are dropped, and the open rest never exceeds
/// twice the number of classes that the load spans. Source: [@astm_e1049], four-point form.
class Rainflow {
 public:
  /// @param class_W width of a class, > 0  @param n_class classes, 2…4096; larger swings count in the last one
  /// @throws InputError
  Rainflow(double class_W, std::size_t n_class);
  void begin(std::int64_t first_bin);  ///< a recorded interval; cycles that the last one left open count as halves
  /// The next 1 ms means, [n].
  void push(std::span<const double> load_W);
  std::vector<RainflowClass> cycles() const;  ///< classes with a count, smallest first, the open rest included
  std::size_t n_open() const { return open_.size(); }

  struct Snapshot {
    std::int64_t next_bin = 0;
    std::vector<std::int64_t> closed;
  };
  Snapshot snapshot() const { return {next_bin_, closed_}; }
  /// Cycles closed by the bins since a snapshot; see metrics.hpp.
  struct Share {
    std::int64_t n_bin = 0;
    std::vector<std::int64_t> classes, closed;  ///< those that closed any
    template <class A>
    void archive(A& a) {
      a(n_bin, classes, closed);
    }
  };
  /// Contribution of the bins since `before`; see metrics.hpp.
  Share since(const Snapshot& before) const;
  /// Counts `n_bin` further bins with the share's cycles per bin.
  void repeat_bins(const Share& share, std::int64_t n_bin);
  template <class A>
  void archive(A& a) {
    a(next_bin_, open_, direction_, low_W_, high_W_, closed_, half_);
  }

 private:
  std::int64_t level_of(double W) const;
  std::size_t first_direction(std::span<const double> load_W);
  void settle();
  void turn(double W, int direction);
  void reduce();
  std::size_t class_of(std::int64_t range) const;
  double class_W_, inverse_W_;
  std::int64_t next_bin_ = 0;
  std::vector<std::int64_t> open_;           // turning points, in classes; the last one may still move on
  int direction_ = 0;                        // +1 rising, −1 falling, 0 not yet known
  double low_W_ = 0.0, high_W_ = 0.0;        // nothing turns or moves on while the load stays between these
  std::vector<std::int64_t> closed_, half_;  // per class: cycles, and halves of earlier intervals
};

}  // namespace TIDEWATT_NAMESPACE::grid
