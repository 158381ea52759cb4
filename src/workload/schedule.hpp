#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tidewatt/base/tick.hpp"

namespace TIDEWATT_NAMESPACE::workload {

/// One pass of one micro-batch through one virtual stage.
struct PipelineOp {
  std::uint32_t stage = 0;
  std::uint32_t virtual_stage = 0;  ///< 0 … stages·chunks - 1 in the order of the model
  std::uint32_t micro_batch = 0;
  bool backward = false;
  std::int32_t waits_for = -1;  ///< index of the op whose result it needs; -1 = none
  bool crosses = false;         ///< that result comes from another stage
};

/// The order of a pipeline's work, fixed once: 1F1B (chunks = 1), interleaved 1F1B in Megatron-LM's order
/// (arXiv 2104.04473), or forward only. Stage r warms up with p - r - 1 forward passes, or 2(p - r - 1) + (v - 1) p
/// interleaved, then alternates forward and backward, then drains. Ops are in an order in which each one follows
/// what it waits for, so a schedule at given durations is one pass.
class PipelineSchedule {
 public:
  /// @throws InputError for micro-batches that interleaving cannot group (m not a multiple of p).
  PipelineSchedule(std::int64_t stages, std::int64_t chunks, std::int64_t micro_batches, bool forward_only = false);

  std::span<const PipelineOp> ops() const { return ops_; }
  std::int64_t stages() const { return stages_; }
  std::int64_t ops_per_stage() const { return static_cast<std::int64_t>(ops_.size()) / stages_; }

  /// Passes every op on, in the order of ops(): `each(op, idle_since, start, end)`, idle since the end of the stage's previous one.
  /// `duration(op)` gives whole ticks; results reach another stage `transfer` later.
  /// end = max(end of the stage's previous op, end of what it waits for + transfer) + duration.
  /// @param end room for the ends of all
  template <class Duration, class Each>
  void run(Duration&& duration, Tick transfer, std::vector<Tick>& end, Each&& each) const {
    end.resize(ops_.size());
    std::vector<Tick> free(static_cast<std::size_t>(stages_), 0);
    // Plain pointers: what the loop writes might be any vector's place, for all that a compiler knows.
    Tick *const ends = end.data(), *const frees = free.data();
    std::size_t i = 0;
    for (const PipelineOp& op : ops()) {
      const Tick idle_since = frees[op.stage];
      Tick at = idle_since;
      if (op.waits_for >= 0) {
        const Tick ready = ends[op.waits_for] + (op.crosses ? transfer : 0);
        at = ready > at ? ready : at;
      }
      const Tick until = at + duration(op);
      ends[i++] = frees[op.stage] = until;
      each(op, idle_since, at, until);
    }
  }

 private:
  std::int64_t stages_;
  std::vector<PipelineOp> ops_;
};

}  // namespace TIDEWATT_NAMESPACE::workload
