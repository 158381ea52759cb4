#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tidewatt/base/version.hpp"
#include "tidewatt/sim/result.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// Means of every GPU and server over each hour of a run. They serve to compare two ways of advancing a fleet. If a run goes
/// back in time because power ended inside a step, the repeated time counts twice.
class TIDEWATT_API GpuHours {
 public:
  /// One step of a range of servers. Spans begin at the range.
  struct Step {
    std::int64_t begin_ns = 0, end_ns = 0;
    std::size_t first_node = 0, n_node = 0, n_gpu_per_node = 8;
    const double* die_K = nullptr;     ///< [gpu of the fleet] mean over the step
    const double* fan_frac = nullptr;  ///< [node of the fleet] fan speed now
    /// [node of the fleet] the two fan steps between which its fans cycle; equal: no cycle
    const double *fan_low_frac = nullptr, *fan_high_frac = nullptr;
    double fan_J = 0.0;  ///< of all fans of the site since the start
  };
  /// A step that spans full hours has the same means in each of them.
  void add(const Step& step);
  /// `/gpu_hours/…`: hour by hour, all GPUs or servers of an hour side by side.
  std::vector<NamedArray> arrays() const;
  /// For a checkpoint: all that the hours so far have collected.
  template <class A>
  void archive(A& a) {
    a(hours_, fan_before_frac_, fan_before_J_);
  }

 private:
  struct Hour {
    double fan_J = 0.0;
    std::vector<double> die_Ks, s;                        ///< [gpu]
    std::vector<double> fan_moved_frac, cycled_s, fan_s;  ///< [node]
    template <class A>
    void archive(A& a) {
      a(fan_J, die_Ks, s, fan_moved_frac, cycled_s, fan_s);
    }
  };
  Hour& hour(std::size_t i, const Step& step);
  std::vector<Hour> hours_;
  std::vector<double> fan_before_frac_;  ///< [node]
  double fan_before_J_ = 0.0;
};

}  // namespace TIDEWATT_NAMESPACE::sim
