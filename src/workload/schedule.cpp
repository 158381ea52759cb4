#include "schedule.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::workload {
namespace {

struct Shape {
  std::int64_t p, v, m;
  bool forward_only;
};

/// The n-th pass of a stage in one direction: groups of p micro-batches go through all chunks before the next group.
PipelineOp nth_pass(const Shape& s, std::int64_t stage, std::int64_t n, bool backward) {
  const std::int64_t group = n / (s.p * s.v), first = group * s.p;
  const std::int64_t width = std::min(s.p, s.m - first);  // the last group may be narrower
  const std::int64_t within = n - group * s.p * s.v;
  std::int64_t chunk = within / width;
  if (backward) chunk = s.v - 1 - chunk;
  PipelineOp op;
  op.stage = static_cast<std::uint32_t>(stage);
  op.virtual_stage = static_cast<std::uint32_t>(chunk * s.p + stage);
  op.micro_batch = static_cast<std::uint32_t>(first + within % width);
  op.backward = backward;
  return op;
}

std::vector<PipelineOp> stage_order(const Shape& s, std::int64_t stage) {
  const std::int64_t total = s.m * s.v;
  const std::int64_t ahead = s.p - stage - 1;
  std::int64_t warm_up = s.v == 1 ? ahead : 2 * ahead + (s.v - 1) * s.p;
  warm_up = s.forward_only ? total : std::min(warm_up, total);
  std::vector<PipelineOp> order;
  for (std::int64_t n = 0; n < warm_up; ++n) order.push_back(nth_pass(s, stage, n, false));
  if (s.forward_only) return order;
  for (std::int64_t n = 0; n < total - warm_up; ++n) {
    order.push_back(nth_pass(s, stage, warm_up + n, false));
    order.push_back(nth_pass(s, stage, n, true));
  }
  for (std::int64_t n = total - warm_up; n < total; ++n) order.push_back(nth_pass(s, stage, n, true));
  return order;
}

/// Index of an op in the list of all passes by (virtual stage, micro-batch, direction).
std::size_t slot(const Shape& s, std::int64_t k, std::int64_t micro_batch, bool backward) {
  return static_cast<std::size_t>((k * s.m + micro_batch) * 2 + (backward ? 1 : 0));
}

/// The slot of the pass whose result `op` needs, or -1.
std::int64_t needs(const Shape& s, const PipelineOp& op) {
  const std::int64_t k = op.virtual_stage, last = s.p * s.v - 1;
  if (!op.backward) return k == 0 ? -1 : static_cast<std::int64_t>(slot(s, k - 1, op.micro_batch, false));
  return static_cast<std::int64_t>(slot(s, k == last ? k : k + 1, op.micro_batch, k != last));
}

/// Takes ops stage by stage, each as soon as its inputs have been taken.
std::vector<PipelineOp> topological(const Shape& s) {
  std::vector<std::vector<PipelineOp>> orders;
  for (std::int64_t r = 0; r < s.p; ++r) orders.push_back(stage_order(s, r));
  std::vector<std::int32_t> placed(static_cast<std::size_t>(2 * s.p * s.v * s.m), -1);
  std::vector<std::size_t> next(orders.size(), 0);
  std::vector<PipelineOp> out;
  const std::size_t count = orders.size() * orders.front().size();
  while (out.size() < count) {
    const std::size_t before = out.size();
    for (std::size_t r = 0; r < orders.size(); ++r) {
      while (next[r] < orders[r].size()) {
        PipelineOp op = orders[r][next[r]];
        const std::int64_t need = needs(s, op);
        if (need >= 0 && placed[static_cast<std::size_t>(need)] < 0) break;
        if (need >= 0) {
          op.waits_for = placed[static_cast<std::size_t>(need)];
          op.crosses = out[static_cast<std::size_t>(op.waits_for)].stage != op.stage;
        }
        placed[slot(s, op.virtual_stage, op.micro_batch, op.backward)] = static_cast<std::int32_t>(out.size());
        out.push_back(op);
        ++next[r];
      }
    }
    if (out.size() == before) throw SolverError("pipeline order waits for itself");
  }
  return out;
}

}  // namespace

PipelineSchedule::PipelineSchedule(std::int64_t stages, std::int64_t chunks, std::int64_t micro_batches,
                                   bool forward_only)
    : stages_(stages) {
  if (stages < 1 || chunks < 1 || micro_batches < 1)
    throw InputError(fmt::format("a pipeline needs stages, chunks and micro-batches, got {}, {}, {}", stages, chunks,
                                 micro_batches));
  if (!forward_only && chunks > 1 && micro_batches % stages != 0)
    throw InputError(
        fmt::format("interleaving needs micro-batches in multiples of the {} stages, got {}", stages, micro_batches));
  constexpr std::int64_t most = 50'000'000;
  if (stages > most / chunks / micro_batches)
    throw RefusedError(fmt::format("pipeline of {} stages × {} chunks × {} micro-batches is above {} passes", stages,
                                   chunks, micro_batches, most));
  ops_ = topological({stages, chunks, micro_batches, forward_only});
}

}  // namespace TIDEWATT_NAMESPACE::workload
