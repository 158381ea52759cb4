#include "iteration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "memory.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::workload {
namespace {

constexpr std::uint32_t bubble = 6, gradient_sync = 7, optimizer = 8, param_gather = 9;  // as make_kinds places them

void append(std::vector<Segment>& segments, Tick duration, std::uint32_t kind) {
  if (duration <= 0) return;
  if (!segments.empty() && segments.back().kind == kind)
    segments.back().duration += duration;
  else
    segments.push_back({duration, kind});
}

/// A class's last segment, which may still grow.
struct Open {
  Tick duration = 0;
  std::uint32_t kind = 0;
  void add(Tick more, std::uint32_t of, std::vector<Segment>& closed) {
    if (of != kind) {
      close(closed);
      duration = 0, kind = of;
    }
    duration += more;
  }
  void close(std::vector<Segment>& to) const {
    if (duration > 0) to.push_back({duration, kind});
  }
};

void check_pace(std::span<const double> pace, std::int64_t dp) {
  if (pace.empty() || static_cast<std::int64_t>(pace.size()) > dp)
    throw InputError(fmt::format("pace: {} replica groups for {} replicas", pace.size(), dp));
  for (const double p : pace)
    if (!(p > 0.0 && p < 100.0)) throw InputError(fmt::format("pace: {} is not a clock ratio above 0", p));
}

/// Distinct paces, and for each group which of them it has: equal groups share one schedule.
std::vector<double> distinct(std::span<const double> pace, std::vector<std::size_t>& which) {
  std::vector<double> values(pace.begin(), pace.end());
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  for (const double p : pace)
    which.push_back(static_cast<std::size_t>(std::lower_bound(values.begin(), values.end(), p) - values.begin()));
  return values;
}

}  // namespace

/// What all replicas do together after their backward passes.
struct IterationModel::Sync {
  std::vector<Tick> link_begin;  ///< [stage] start of the last unbroken stretch of gradient traffic
  std::vector<Tick> link_end;    ///< [stage]
  Tick norm_begin = 0;           ///< last stage done
  Tick step_begin = 0;           ///< norm known
  Tick gather_begin = 0;         ///< slowest optimizer step done
  Tick gather_end = 0;           ///< weights in place; then the host prepares the next iteration
  Tick period = 0;
};

IterationModel::Replica IterationModel::run(const PipelineSchedule& schedule, double pace, std::vector<Tick>& ends,
                                            std::vector<Segment>* classes) const {
  std::vector<Tick> ticks(kinds_.size());
  for (std::size_t i = 0; i < ticks.size(); ++i)
    ticks[i] = to_tick(kinds_[i].matrix_s / pace + kinds_[i].memory_s + kinds_[i].link_s);
  Replica r;
  const std::size_t n = static_cast<std::size_t>(plan_.virtual_stage_count());
  r.stage_end.assign(static_cast<std::size_t>(plan_.pp), 0);
  r.chunk_ready.assign(n, 0);
  r.chunk_first.assign(n, -1);
  std::vector<Open> open(r.stage_end.size());
  for (std::size_t s = 0; s < r.stage_end.size(); ++s)
    classes[s].reserve(static_cast<std::size_t>(schedule.ops_per_stage()) / 2);
  // As in PipelineSchedule::run, plain pointers.
  const auto kind_of = [kinds = pass_kind_.data()](const PipelineOp& op) {
    return kinds[op.virtual_stage] + (op.backward ? 1u : 0u);
  };
  schedule.run([kind_of, of_kind = ticks.data()](const PipelineOp& op) { return of_kind[kind_of(op)]; }, transfer_,
               ends,
               [kind_of, opens = open.data(), stage_end = r.stage_end.data(), ready = r.chunk_ready.data(),
                first = r.chunk_first.data(), classes](const PipelineOp& op, Tick idle_since, Tick start, Tick end) {
                 Open& of_stage = opens[op.stage];
                 if (start > idle_since) of_stage.add(start - idle_since, bubble, classes[op.stage]);
                 if (end > start) of_stage.add(end - start, kind_of(op), classes[op.stage]);
                 stage_end[op.stage] = ready[op.virtual_stage] = end;
                 if (first[op.virtual_stage] < 0) first[op.virtual_stage] = start;
               });
  for (std::size_t s = 0; s < open.size(); ++s) open[s].close(classes[s]);
  return r;
}

IterationModel::Sync IterationModel::synchronise(const std::vector<Replica>& replicas) const {
  const std::size_t stages = static_cast<std::size_t>(plan_.pp),
                    chunks = static_cast<std::size_t>(plan_.virtual_stages);
  Sync sync;
  Tick late = 0;  // by how much gathered weights come after their first use
  for (std::size_t s = 0; s < stages; ++s) {
    Tick stage_end = 0, busy_until = 0, begin = 0, gathered = 0;
    for (const Replica& r : replicas) stage_end = std::max(stage_end, r.stage_end[s]);
    for (std::size_t c = chunks; c-- > 0;) {  // backward finishes the last chunk first
      const std::size_t k = c * stages + s;
      Tick ready = 0;
      for (const Replica& r : replicas) ready = std::max(ready, plan_.dp_overlap ? r.chunk_ready[k] : stage_end);
      if (ready > busy_until) busy_until = begin = ready;
      busy_until += exchange_[k];
    }
    for (std::size_t c = 0; c < chunks; ++c) {
      const std::size_t k = c * stages + s;
      gathered += gather_[k];
      Tick used = replicas.front().chunk_first[k];
      for (const Replica& r : replicas) used = std::min(used, r.chunk_first[k]);
      late = std::max(late, plan_.dp_overlap ? gathered - used : gathered);
    }
    sync.link_begin.push_back(begin);
    sync.link_end.push_back(busy_until);
    sync.norm_begin = std::max({sync.norm_begin, busy_until, stage_end});
  }
  sync.step_begin = sync.norm_begin + norm_;
  sync.gather_begin = sync.step_begin + *std::max_element(optimizer_.begin(), optimizer_.end());
  sync.gather_end = sync.gather_begin + late;
  sync.period = sync.gather_end + to_tick(gpu_.host_gap_s);
  return sync;
}

void IterationModel::emit_sync(const Replica& replica, const Sync& sync, std::vector<Segment>* classes) const {
  for (std::size_t s = 0; s < replica.stage_end.size(); ++s) {
    Tick at = replica.stage_end[s];
    const auto until = [&](Tick end, std::uint32_t kind) {
      append(classes[s], end - at, kind);
      at = std::max(at, end);
    };
    until(sync.link_begin[s], bubble);
    until(sync.link_end[s], gradient_sync);
    until(sync.norm_begin, bubble);
    until(sync.step_begin, gradient_sync);
    until(sync.step_begin + optimizer_[s], optimizer);
    until(sync.gather_begin, bubble);
    until(sync.gather_end, param_gather);
    until(sync.period, bubble);
  }
}

/// What all do together when groups are late: gradients go when the last one's are ready, the norm waits for the excess,
/// and everything behind it keeps its length.
IterationModel::Sync IterationModel::delayed(const Sync& sync, std::vector<Replica> of_group,
                                             const Scatter& scatter) const {
  for (std::size_t g = 0; g < of_group.size(); ++g) {
    if (scatter.late[g] < 0 || scatter.late[g] > scatter.excess)
      throw InputError(fmt::format("scatter: group {} begins {} ns late, 0 to the excess of {} ns", g, scatter.late[g],
                                   scatter.excess));
    for (auto* ticks : {&of_group[g].stage_end, &of_group[g].chunk_ready})
      for (Tick& t : *ticks) t += scatter.late[g];
  }
  Sync out = synchronise(of_group);
  const Tick behind = sync.norm_begin + scatter.excess;
  out.step_begin = behind + (sync.step_begin - sync.norm_begin);
  out.gather_begin = behind + (sync.gather_begin - sync.norm_begin);
  out.gather_end = behind + (sync.gather_end - sync.norm_begin);
  out.period = behind + (sync.period - sync.norm_begin);
  out.norm_begin = behind;
  return out;
}

Timeline IterationModel::iteration(std::span<const double> pace, const Scatter& scatter) const {
  check_pace(pace, dp());
  std::vector<std::size_t> which;
  const std::vector<double> paces = distinct(pace, which);
  const std::size_t stages = static_cast<std::size_t>(plan_.pp);
  std::vector<Tick> ends;
  std::vector<Replica> replicas;
  replicas.reserve(paces.size());
  std::vector<std::vector<Segment>> passes(paces.size() * stages);  // of every distinct pace
  for (std::size_t i = 0; i < paces.size(); ++i)
    replicas.push_back(run(schedule_, paces[i], ends, &passes[i * stages]));
  Sync sync = synchronise(replicas);
  std::vector<Replica> of_group;
  of_group.reserve(which.size());
  for (const std::size_t i : which) of_group.push_back(replicas[i]);
  if (!scatter.late.empty()) sync = delayed(sync, of_group, scatter);
  Timeline timeline{kinds_, {}, sync.period};
  timeline.classes.resize(which.size() * stages);
  std::vector<std::size_t> uses(paces.size(), 0);
  for (const std::size_t i : which) ++uses[i];
  for (std::size_t g = 0; g < which.size(); ++g) {
    const bool last_use = --uses[which[g]] == 0;
    const Tick late = scatter.late.empty() ? 0 : scatter.late[g];
    for (std::size_t s = 0; s < stages; ++s) {
      auto& to = timeline.classes[g * stages + s];
      auto& from = passes[which[g] * stages + s];
      if (late == 0 && last_use) {
        to = std::move(from);
      } else {
        append(to, late, bubble);
        for (const Segment& segment : from) append(to, segment.duration, segment.kind);
      }
      of_group[g].stage_end[s] += late;
    }
    emit_sync(of_group[g], sync, &timeline.classes[g * stages]);
  }
  return timeline;
}

Timeline IterationModel::evaluation(std::span<const double> pace, std::int64_t batches) const {
  check_pace(pace, dp());
  if (batches < 1) throw InputError(fmt::format("evaluation: {} batches, at least 1", batches));
  const PipelineSchedule forward(plan_.pp, plan_.virtual_stages, batches * plan_.micro_batches(), true);
  std::vector<std::size_t> which;
  const std::vector<double> paces = distinct(pace, which);
  const std::size_t stages = static_cast<std::size_t>(plan_.pp);
  std::vector<Tick> ends;
  std::vector<Replica> replicas;
  std::vector<std::vector<Segment>> passes(paces.size() * stages);
  replicas.reserve(paces.size());
  for (std::size_t i = 0; i < paces.size(); ++i) replicas.push_back(run(forward, paces[i], ends, &passes[i * stages]));
  Timeline timeline{kinds_, {}, 0};
  for (const Replica& r : replicas)
    timeline.period = std::max(timeline.period, *std::max_element(r.stage_end.begin(), r.stage_end.end()));
  for (const std::size_t i : which)
    for (std::size_t s = 0; s < stages; ++s)
      append(timeline.classes.emplace_back(passes[i * stages + s]), timeline.period - replicas[i].stage_end[s], bubble);
  return timeline;
}

std::int64_t IterationModel::stage_of_gpu(std::int64_t rank) const { return rank / plan_.pp_group().stride % plan_.pp; }

std::int64_t IterationModel::replica_of_gpu(std::int64_t rank) const {
  const std::int64_t inner = plan_.tp * plan_.cp;
  return plan_.replicas_adjacent() ? rank / inner % dp() : rank / (inner * plan_.pp);
}

double IterationModel::model_flops_per_iteration(AttentionCount count) const {
  double per_token = train_flops_per_token(shape_, static_cast<double>(plan_.sequence_tokens), count);
  if (plan_.adapter_rank > 0) {  // frozen weights have no weight gradient: a third of their work
    const auto dense = static_cast<double>(dense_layer_count(shape_));
    per_token -= dense * layer_linear_flops(shape_) + head_flops(shape_);
    if (shape_.experts > 0)
      per_token -= (static_cast<double>(shape_.layers) - dense) * layer_linear_flops(shape_, LayerKind::expert);
  }
  return tokens_per_iteration() * per_token;
}

double IterationModel::hardware_flops_per_iteration() const {
  const double tokens = static_cast<double>(plan_.sequence_tokens);
  const auto layers = static_cast<double>(shape_.layers), dense = static_cast<double>(dense_layer_count(shape_));
  const double attention = layers * layer_attention_flops(shape_, tokens, AttentionCount::full);
  double again = 0.0;
  if (plan_.recompute == "full")
    again = attention + dense * layer_linear_flops(shape_) +
            (layers - dense) * (shape_.experts > 0 ? layer_linear_flops(shape_, LayerKind::expert) : 0.0);
  if (plan_.recompute == "selective" && !plan_.fused_attention) again = attention;
  if (plan_.recompute == "operators") again = dense * layer_linear_flops(shape_) * products_again_frac(shape_, plan_);
  return model_flops_per_iteration(AttentionCount::full) + tokens_per_iteration() * again;
}

double IterationModel::model_checkpoint_bytes() const { return checkpoint_bytes(shape_); }

}  // namespace TIDEWATT_NAMESPACE::workload
