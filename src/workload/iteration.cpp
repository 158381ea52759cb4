#include "tidewatt/workload/iteration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "tidewatt/base/error.hpp"
#include "tidewatt/workload/memory.hpp"

namespace tidewatt::workload {
namespace {

/// Kinds 0-5 are passes: 2 × (first, middle, last virtual stage) + backward. With one virtual stage, "first" is all.
/// Kinds from 10 on are passes of early virtual stages that hold dense layers of a mixture-of-experts model.
enum Place : std::uint32_t { first = 0, middle = 1, last = 2 };
constexpr std::uint32_t bubble = 6, gradient_sync = 7, optimizer = 8, param_gather = 9;

ParallelPlan checked(const ModelShape& shape, const ParallelPlan& plan, const ComputeParams& gpu,
                     const NetworkParams& network) {
  auto findings = check_plan(shape, plan, gpu, network);
  if (!findings.empty()) throw InputError(std::move(findings));
  return plan;
}

void append(std::vector<Segment>& segments, Tick duration, std::uint32_t kind) {
  if (duration <= 0) return;
  if (!segments.empty() && segments.back().kind == kind)
    segments.back().duration += duration;
  else
    segments.push_back({duration, kind});
}

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
  Tick period = 0;
};

IterationModel::IterationModel(ModelShape shape, ParallelPlan plan, ComputeParams gpu, NetworkParams network)
    : shape_(shape),
      plan_(checked(shape, plan, gpu, network)),
      gpu_(gpu),
      schedule_(plan_.pp, plan_.virtual_stages, plan_.micro_batches()) {
  make_kinds(network);
  make_exchange(network);
}

PassCost IterationModel::chunk_cost(const NetworkParams& network, std::int64_t k) const {
  const std::int64_t dense = dense_layers_in_virtual_stage(shape_, plan_, k);
  const std::int64_t expert = layers_in_virtual_stage(shape_, plan_, k) - dense;
  const std::int64_t last_stage = plan_.virtual_stage_count() - 1;
  PassCost cost;
  if (dense > 0) cost.add(layer_cost(shape_, plan_, gpu_, network), static_cast<double>(dense));
  if (expert > 0) cost.add(layer_cost(shape_, plan_, gpu_, network, LayerKind::expert), static_cast<double>(expert));
  if (k == 0) cost.add(embedding_cost(shape_, plan_, gpu_, network));
  if (k == last_stage) cost.add(head_cost(shape_, plan_, gpu_, network));
  // The sender stands still while it sends, unless sending overlaps.
  const double blocked_s = plan_.pp_overlap ? 0.0 : stage_transfer_s(shape_, plan_, network);
  if (k < last_stage) cost.forward.link_s += blocked_s;
  if (k > 0) cost.backward.link_s += blocked_s;
  return cost;
}

/// Virtual stages whose mix of dense and expert layers differs from the usual one get kinds of their own.
void IterationModel::make_early_kinds(const NetworkParams& network) {
  const std::int64_t n = plan_.virtual_stage_count();
  for (std::int64_t k = 0; k < n; ++k) pass_kind_.push_back(2 * (k == 0 ? first : k == n - 1 ? last : middle));
  std::int64_t known = -1;  // the virtual stage whose kinds stand last
  for (std::int64_t k = 1; k < n - 1; ++k) {
    const std::int64_t dense = dense_layers_in_virtual_stage(shape_, plan_, k);
    if (dense == dense_layers_in_virtual_stage(shape_, plan_, n - 2)) break;
    if (known < 0 || dense != dense_layers_in_virtual_stage(shape_, plan_, known)) {
      const PassCost cost = chunk_cost(network, k);
      kinds_.push_back(make_kind("forward_early", cost.forward, gpu_, network.nvlink_efficiency_frac));
      kinds_.push_back(make_kind("backward_early", cost.backward, gpu_, network.nvlink_efficiency_frac));
      known = k;
    }
    pass_kind_[static_cast<std::size_t>(k)] = static_cast<std::uint32_t>(kinds_.size() - 2);
  }
}

void IterationModel::make_kinds(const NetworkParams& network) {
  transfer_ = plan_.pp_overlap ? to_tick(stage_transfer_s(shape_, plan_, network)) : 0;
  const std::int64_t n = plan_.virtual_stage_count();
  const std::array<std::int64_t, 3> example = {0, std::max<std::int64_t>(n - 2, std::min<std::int64_t>(1, n - 1)), n - 1};
  constexpr std::array names = {"forward_first", "backward_first", "forward",
                                "backward",      "forward_last",   "backward_last"};
  for (std::uint32_t place = first; place <= last; ++place) {
    const PassCost cost = chunk_cost(network, example[place]);
    kinds_.push_back(make_kind(names[2 * place], cost.forward, gpu_, network.nvlink_efficiency_frac));
    kinds_.push_back(make_kind(names[2 * place + 1], cost.backward, gpu_, network.nvlink_efficiency_frac));
  }
  const Link link = group_link(network, plan_.gradient_group());
  const double link_frac = std::min(1.0, link.B_per_s / network.nvlink_B_per_s);
  PhaseKind wait, sync, step, gather;
  wait.name = "bubble";
  wait.wait_s = 1.0;
  sync.name = "gradient_sync";
  sync.link_s = 1.0;
  sync.link_frac = link_frac;
  step.name = "optimizer";
  step.memory_s = 1.0;
  step.hbm_frac_memory = gpu_.hbm_efficiency_frac;
  gather.name = "param_gather";
  gather.link_s = 1.0;
  gather.link_frac = link_frac;
  for (PhaseKind* kind : {&wait, &sync, &step, &gather}) kinds_.push_back(std::move(*kind));
  make_early_kinds(network);
}

void IterationModel::make_exchange(const NetworkParams& network) {
  const RankGroup shared = plan_.gradient_group(), routed = plan_.expert_gradient_group();
  const bool sharded = plan_.sharding != "none", every_pass = plan_.sharding == "zero3";
  const auto exchange_s = [&](RankGroup group, double weights) {
    const double bytes = weights * static_cast<double>(plan_.gradient_bytes);
    return sharded ? group_all_gather_s(network, group, bytes) : group_all_reduce_s(network, group, bytes);
  };
  constexpr double step_B_per_parameter = 30.0;  // fp32 gradient, weight, two moments read; three and bf16 written
  std::vector<double> stepped(static_cast<std::size_t>(plan_.pp), 0.0);
  for (std::int64_t k = 0; k < plan_.virtual_stage_count(); ++k) {
    const HeldWeights n = virtual_stage_weights(shape_, plan_, k);
    exchange_.push_back(every_pass ? 0 : to_tick(exchange_s(shared, n.shared) + exchange_s(routed, n.routed)));
    const bool gathered = sharded && !every_pass;
    gather_.push_back(gathered ? to_tick(group_all_gather_s(network, shared, 2.0 * n.shared) +
                                         group_all_gather_s(network, routed, 2.0 * n.routed))
                               : 0);
    stepped[static_cast<std::size_t>(k % plan_.pp)] +=
        sharded ? n.shared / static_cast<double>(shared.size) + n.routed / static_cast<double>(routed.size) : n.total();
  }
  for (const double n : stepped) optimizer_.push_back(to_tick(memory_work(gpu_, step_B_per_parameter * n).memory_s));
  // A scalar up and down a binary tree over all ranks.
  const double depth = static_cast<double>(std::bit_width(static_cast<std::uint64_t>(plan_.n_gpu - 1)));
  const bool one_node = plan_.n_gpu <= network.gpus_per_node;
  norm_ = to_tick(2.0 * depth * (one_node ? network.nvlink_latency_s : network.nic_latency_s));
}

std::uint32_t IterationModel::kind_of(const PipelineOp& op) const {
  return pass_kind_[op.virtual_stage] + (op.backward ? 1u : 0u);
}

IterationModel::Replica IterationModel::run(const PipelineSchedule& schedule, double pace) const {
  std::vector<Tick> ticks(kinds_.size());
  for (std::size_t i = 0; i < ticks.size(); ++i)
    ticks[i] = to_tick(kinds_[i].matrix_s / pace + kinds_[i].memory_s + kinds_[i].link_s);
  Replica r;
  schedule.run([&](const PipelineOp& op) { return ticks[kind_of(op)]; }, transfer_, r.start, r.end);
  const std::size_t n = static_cast<std::size_t>(plan_.virtual_stage_count());
  r.stage_end.assign(static_cast<std::size_t>(plan_.pp), 0);
  r.chunk_ready.assign(n, 0);
  r.chunk_first.assign(n, -1);
  const auto ops = schedule.ops();
  for (std::size_t i = 0; i < ops.size(); ++i) {
    r.stage_end[ops[i].stage] = r.end[i];
    r.chunk_ready[ops[i].virtual_stage] = r.end[i];
    if (r.chunk_first[ops[i].virtual_stage] < 0) r.chunk_first[ops[i].virtual_stage] = r.start[i];
  }
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
  sync.period = sync.gather_begin + late;
  return sync;
}

void IterationModel::emit_passes(const PipelineSchedule& schedule, const Replica& replica,
                                 std::vector<Segment>* classes) const {
  std::vector<Tick> at(static_cast<std::size_t>(plan_.pp), 0);
  for (std::size_t s = 0; s < at.size(); ++s)
    classes[s].reserve(static_cast<std::size_t>(2 * schedule.ops_per_stage() + 6));
  const auto ops = schedule.ops();
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const std::uint32_t s = ops[i].stage;
    append(classes[s], replica.start[i] - at[s], bubble);
    append(classes[s], replica.end[i] - replica.start[i], kind_of(ops[i]));
    at[s] = replica.end[i];
  }
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
    until(sync.period, param_gather);
  }
}

Timeline IterationModel::iteration(std::span<const double> pace) const {
  check_pace(pace, dp());
  std::vector<std::size_t> which;
  std::vector<Replica> replicas;
  for (const double p : distinct(pace, which)) replicas.push_back(run(schedule_, p));
  const Sync sync = synchronise(replicas);
  const std::size_t stages = static_cast<std::size_t>(plan_.pp);
  std::vector<std::vector<Segment>> distinct_classes(replicas.size() * stages);
  for (std::size_t i = 0; i < replicas.size(); ++i) {
    emit_passes(schedule_, replicas[i], &distinct_classes[i * stages]);
    emit_sync(replicas[i], sync, &distinct_classes[i * stages]);
  }
  Timeline timeline{kinds_, {}, sync.period};
  for (const std::size_t i : which)
    for (std::size_t s = 0; s < stages; ++s) timeline.classes.push_back(distinct_classes[i * stages + s]);
  return timeline;
}

Timeline IterationModel::evaluation(std::span<const double> pace, std::int64_t batches) const {
  check_pace(pace, dp());
  if (batches < 1) throw InputError(fmt::format("evaluation: {} batches, at least 1", batches));
  const PipelineSchedule forward(plan_.pp, plan_.virtual_stages, batches * plan_.micro_batches(), true);
  std::vector<std::size_t> which;
  std::vector<Replica> replicas;
  for (const double p : distinct(pace, which)) replicas.push_back(run(forward, p));
  Timeline timeline{kinds_, {}, 0};
  for (const Replica& r : replicas)
    timeline.period = std::max(timeline.period, *std::max_element(r.stage_end.begin(), r.stage_end.end()));
  const std::size_t stages = static_cast<std::size_t>(plan_.pp);
  timeline.classes.resize(pace.size() * stages);
  for (std::size_t g = 0; g < which.size(); ++g) {
    emit_passes(forward, replicas[which[g]], &timeline.classes[g * stages]);
    for (std::size_t s = 0; s < stages; ++s)
      append(timeline.classes[g * stages + s], timeline.period - replicas[which[g]].stage_end[s], bubble);
  }
  return timeline;
}

Timeline IterationModel::hold(const PhaseKind& kind, Tick duration, std::int64_t n_group) const {
  if (n_group < 1 || n_group > dp())
    throw InputError(fmt::format("hold: {} replica groups for {} replicas", n_group, dp()));
  if (duration < 0) throw InputError(fmt::format("hold: negative duration {} ns", duration));
  return {
      {kind}, std::vector(static_cast<std::size_t>(n_group * n_stage()), std::vector{Segment{duration, 0}}), duration};
}

std::int64_t IterationModel::stage_of_gpu(std::int64_t rank) const { return rank / plan_.pp_group().stride % plan_.pp; }

std::int64_t IterationModel::replica_of_gpu(std::int64_t rank) const {
  const std::int64_t inner = plan_.tp * plan_.cp;
  return plan_.rank_order == "tp-cp-dp-pp" ? rank / inner % dp() : rank / (inner * plan_.pp);
}

double IterationModel::model_flops_per_iteration(AttentionCount count) const {
  return tokens_per_iteration() * train_flops_per_token(shape_, static_cast<double>(plan_.sequence_tokens), count);
}

double IterationModel::model_checkpoint_bytes() const { return checkpoint_bytes(shape_); }

}  // namespace tidewatt::workload
