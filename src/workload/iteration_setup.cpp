#include <algorithm>
#include <bit>

#include "iteration.hpp"
#include "memory.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::workload {
namespace {

/// Kinds 0-5 are passes: 2 × (first, middle, last virtual stage) + backward. With one virtual stage, "first" is all.
/// Then bubble, gradient_sync, optimizer, param_gather. From 10 on: passes of early virtual stages that hold dense layers
/// of a mixture-of-experts model.
enum Place : std::uint32_t { first = 0, middle = 1, last = 2 };

ParallelPlan checked(const ModelShape& shape, const ParallelPlan& plan, const ComputeParams& gpu,
                     const NetworkParams& network) {
  auto findings = check_plan(shape, plan, gpu, network);
  if (!findings.empty()) throw InputError(std::move(findings));
  return plan;
}

}  // namespace

IterationModel::IterationModel(ModelShape shape, ParallelPlan plan, ComputeParams gpu, NetworkParams network)
    : shape_(shape),
      plan_(checked(shape, plan, gpu, network)),
      gpu_(gpu),
      schedule_(plan_.pp, plan_.virtual_stages, plan_.micro_batches()) {
  // Groups do not straddle scale-up domains: GPUs of a domain beyond the plan's blocks are spare.
  if (network.domain_gpus() > network.gpus_per_node) network.scale_up_gpus = domain_gpus_used(plan_, network);
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
  // The sender waits while it sends, unless sending overlaps.
  const double blocked_s = plan_.pp_overlap ? 0.0 : stage_transfer_s(shape_, plan_, network);
  if (k < last_stage) cost.forward.link_s += blocked_s;
  if (k > 0) cost.backward.link_s += blocked_s;
  return cost;
}

/// Virtual stages whose mix of dense and expert layers differs from the usual one get kinds of their own.
void IterationModel::make_early_kinds(const NetworkParams& network) {
  const std::int64_t n = plan_.virtual_stage_count();
  for (std::int64_t k = 0; k < n; ++k) pass_kind_.push_back(2 * (k == 0 ? first : k == n - 1 ? last : middle));
  std::int64_t known = -1;  // the virtual stage whose kinds are last
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
  const std::array<std::int64_t, 3> example = {0, std::max<std::int64_t>(n - 2, std::min<std::int64_t>(1, n - 1)),
                                               n - 1};
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
    const HeldWeights n = trained_weights(shape_, plan_, k);
    exchange_.push_back(every_pass ? 0 : to_tick(exchange_s(shared, n.shared) + exchange_s(routed, n.routed)));
    const bool gathered = sharded && !every_pass;
    // After the optimizer's step the trained weights are gathered; fsdp has cut up the frozen ones too.
    const HeldWeights fetched = plan_.sharding == "fsdp" ? virtual_stage_weights(shape_, plan_, k) : n;
    gather_.push_back(gathered ? to_tick(group_all_gather_s(network, shared, 2.0 * fetched.shared) +
                                         group_all_gather_s(network, routed, 2.0 * fetched.routed))
                               : 0);
    stepped[static_cast<std::size_t>(k % plan_.pp)] +=
        sharded ? n.shared / static_cast<double>(shared.size) + n.routed / static_cast<double>(routed.size) : n.total();
  }
  for (const double n : stepped) optimizer_.push_back(to_tick(memory_work(gpu_, step_B_per_parameter * n).memory_s));
  // A scalar up and down a binary tree over all ranks.
  const double depth = static_cast<double>(std::bit_width(static_cast<std::uint64_t>(plan_.n_gpu - 1)));
  const bool one_domain = plan_.n_gpu <= network.domain_gpus();
  norm_ = to_tick(2.0 * depth * (one_domain ? network.nvlink_latency_s : network.nic_latency_s));
}

}  // namespace TIDEWATT_NAMESPACE::workload
