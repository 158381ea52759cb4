#include <algorithm>
#include <cmath>

#include "layer_pass.hpp"

namespace TIDEWATT_NAMESPACE::workload {
namespace {

/// Copies of a token that leave its GPU for its own scale-up domain, and those that leave the domain.
struct Copies {
  double inside = 0.0, outside = 0.0;
};

/// Routing spreads evenly over the ep ranks. A token goes to k experts; 1/ep of them are at home. Where the model limits
/// it to M nodes, one copy per node travels and is spread there over NVLink.
Copies copies_per_token(const LayerPass& p) {
  const RankGroup group = p.plan.ep_group();
  const double k = as_double(p.m.experts_per_token), n = as_double(group.size);
  const double local = as_double(members_per_node(p.net, group)), nodes = n / local;
  const double limit = as_double(p.m.expert_groups_per_token);
  const double travelling = limit > 0.0 ? std::min(k, limit) : k;
  Copies copies;
  copies.outside = travelling * (1.0 - 1.0 / nodes);
  copies.inside = limit > 0.0 ? k * (1.0 - 1.0 / local) : k / nodes * (1.0 - 1.0 / local);
  return copies;
}

/// One direction of the expert exchange, `value_B` per activation value.
double exchange_s(const LayerPass& p, double sent_tokens, double value_B) {
  if (p.plan.ep == 1) return 0.0;
  const Copies copies = copies_per_token(p);
  const double token_B = value_B * p.h * p.plan.expert_imbalance_ratio;  // the busiest rank receives that much more
  return all_to_all_s(p.net, p.plan.ep_group(), sent_tokens * copies.inside * token_B,
                      sent_tokens * copies.outside * token_B);
}

}  // namespace

PassCost expert_block_cost(const LayerPass& p) {
  PassCost cost;
  const double own_tokens = p.tokens * p.cut;  // routing cuts the sequence over tp, as the norms do
  const double k = as_double(p.m.experts_per_token), width = as_double(p.m.expert_width);
  const double matrices_in = p.m.gated_ffn ? 2.0 : 1.0;
  const Precision precision = p.plan.linear_precision();
  p.linear(cost, own_tokens, p.h, as_double(p.m.experts), Precision::bf16);  // the router stays precise

  // Experts fill whole 128-row tiles each: few tokens per expert leave tiles half empty.
  const double local_experts = as_double(p.m.experts) / as_double(p.plan.ep);
  const double routed_rows = own_tokens * k * p.plan.expert_imbalance_ratio;
  const double rows = local_experts * 128.0 * std::ceil(routed_rows / local_experts / 128.0);
  p.linear(cost, rows, p.h, matrices_in * width, precision, local_experts, KernelClass::grouped);
  p.linear(cost, rows, width, p.h, precision, local_experts, KernelClass::grouped);
  const double activation_B = routed_rows * width * (p.m.gated_ffn ? 6.0 : 4.0);
  const double permute_B = 2.0 * routed_rows * 4.0 * p.h;  // rows sorted by expert, and back with the weighted sum
  cost.forward += memory_work(p.gpu, activation_B + permute_B);
  cost.backward += memory_work(p.gpu, activation_B * (p.m.gated_ffn ? 10.0 / 6.0 : 1.5) + permute_B);

  const double dispatch_s = exchange_s(p, own_tokens, element_B(precision));
  const double combine_s = exchange_s(p, own_tokens, 2.0);
  cost.forward += p.exposed(dispatch_s + combine_s, p.plan.ep_overlap_frac);
  cost.backward += p.exposed(dispatch_s + combine_s, p.plan.ep_overlap_frac);

  if (p.m.shared_experts > 0) {
    const double shared = as_double(p.m.shared_experts) * width;
    p.adapted(cost, p.h, matrices_in * shared / p.t, false);
    p.adapted(cost, shared / p.t, p.h, false);
    const double shared_B = p.tokens * shared / p.t * (p.m.gated_ffn ? 6.0 : 4.0);
    cost.forward += memory_work(p.gpu, shared_B);
    cost.backward += memory_work(p.gpu, shared_B * (p.m.gated_ffn ? 10.0 / 6.0 : 1.5));
    const Work pair = p.tensor_parallel(1.0, 1.0);
    cost.forward += pair;
    cost.backward += pair;
  }
  return cost;
}

}  // namespace TIDEWATT_NAMESPACE::workload
