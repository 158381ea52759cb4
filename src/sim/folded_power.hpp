#pragma once
// Power by place in an iteration. Private to sim.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "tidewatt/base/tick.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// Mean power by place in the iteration, over many iterations whose samples fall on other places: what many GPUs draw together.
class FoldedPower {
 public:
  /// @param period of the iteration, ns
  explicit FoldedPower(Tick period)
      : period_(period), J_(static_cast<std::size_t>(std::max<Tick>(1, period / part)), 0.0), s_(J_.size(), 0.0) {}
  /// A piece of constant power counts in each part by its share there: counted where it begins, an edge would move by up to a piece.
  /// @param begin, end on the timeline's clock, ns
  void add(Tick begin, Tick end, double W, double s) {
    if (end <= begin) return;
    const double per_tick = static_cast<double>(J_.size()) / static_cast<double>(period_);
    double at = static_cast<double>(begin) * per_tick;
    const double until = static_cast<double>(end) * per_tick, s_per_part = s / (until - at);
    while (at < until) {
      const auto i = std::min(static_cast<std::size_t>(at), J_.size() - 1);
      const double to = i + 1 < J_.size() ? std::min(until, static_cast<double>(i + 1)) : until;
      J_[i] += W * s_per_part * (to - at), s_[i] += s_per_part * (to - at);
      at = to;
    }
  }
  /// Largest |P(t + 1 s) − P(t)|, of means over 20 ms, in W.
  double largest_step_W() const {
    const std::size_t n = J_.size();
    const double part_s = seconds(period_) / static_cast<double>(n);
    const auto apart = static_cast<std::size_t>(std::lround(1.0 / part_s));
    const auto mean_W = [&](std::size_t from) {
      double J = 0.0, s = 0.0;
      for (std::size_t i = from; i < from + n_mean; ++i) J += J_[i % n], s += s_[i % n];
      return s > 0.0 ? J / s : 0.0;
    };
    double most_W = 0.0;
    for (std::size_t i = 0; i < n; ++i) most_W = std::max(most_W, std::abs(mean_W(i + apart) - mean_W(i)));
    return most_W;
  }

 private:
  static constexpr Tick part = 5 * ns_per_ms;
  static constexpr std::size_t n_mean = 4;
  Tick period_;
  std::vector<double> J_, s_;  ///< [part of the iteration]
};

}  // namespace TIDEWATT_NAMESPACE::sim
