#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// What is kept of a stretch of a waveform.
struct Bucket {
  std::int64_t first_bin = 0;  ///< absolute 1 ms bin
  std::int64_t n_bin = 0;      ///< shorter than the level's length where a recorded interval begins or ends
  double min_W = std::numeric_limits<double>::infinity();
  double mean_W = 0.0;
  double max_W = -std::numeric_limits<double>::infinity();
  template <class A>
  void archive(A& a) {
    a(first_bin, n_bin, min_W, mean_W, max_W);
  }
};

/// A waveform at several resolutions at once: (min, mean, max) per bucket, never every n-th sample. The shortest spike
/// is in every level, and a level's Σ mean · n is its energy (to the last bits). Buckets begin at whole multiples of
/// their length in absolute time. Finished buckets wait until the caller takes them.
class Pyramid {
 public:
  /// @param lengths bins per bucket, each a multiple of the one before, e.g. {10, 100, 1000, 10000, 60000}
  /// @throws InputError
  explicit Pyramid(std::vector<std::int64_t> lengths);

  void begin(std::int64_t first_bin);  ///< a recorded interval; ends the running one
  /// The next 1 ms means, [n].
  void push(std::span<const double> load_W);
  /// `n_bin` bins at once, of which these are known; not across a bucket of the finest level.
  void push_part(std::int64_t n_bin, double min_W, double sum_W, double max_W);
  /// Whole consecutive buckets of a level; the next bin begins one. Levels below it do not see them.
  void push_buckets(std::size_t level, std::span<const double> min_W, std::span<const double> sum_W,
                    std::span<const double> max_W);
  void end();  ///< closes the buckets that are still open
  /// Finished buckets in order of time, handed over into memory that is used again and again.
  void take(std::size_t level, std::vector<Bucket>& into);
  const std::vector<std::int64_t>& lengths() const { return lengths_; }
  template <class A>
  void archive(A& a) {
    a(open_, done_, next_bin_);
  }

 private:
  struct Open {
    std::int64_t first_bin = 0, n_bin = 0;
    double min_W = 0.0, sum_W = 0.0, max_W = 0.0;
    template <class A>
    void archive(A& a) {
      a(first_bin, n_bin, min_W, sum_W, max_W);
    }
  };
  void raise(const Open& part, std::size_t level);
  void close(std::size_t level);
  void finish(const Open& part, std::size_t level);
  std::vector<std::int64_t> lengths_;
  std::vector<Open> open_;
  std::vector<std::vector<Bucket>> done_;
  std::vector<std::int64_t> edge_;  ///< scratch: [level] where the bucket ends that parts were last added to
  std::int64_t next_bin_ = 0;
};

}  // namespace TIDEWATT_NAMESPACE::grid
