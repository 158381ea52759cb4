#pragma once
#include <cstdint>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::workload {

/// Links of a cluster: scale-up links (NVLink, Infinity Fabric) inside a domain of one or several nodes, network cards between
/// domains, and pods with less bandwidth between them. The node is the unit of failure and repair; the domain determines the
/// speed of collectives.
struct TIDEWATT_API NetworkParams {
  std::int64_t gpus_per_node = 0;           ///< GPUs of one node: what fails and is repaired
  std::int64_t scale_up_gpus = 0;           ///< GPUs of one scale-up domain, whole nodes; 0: the node's
  double nvlink_B_per_s = 0.0;              ///< per GPU and direction
  double nvlink_efficiency_frac = 0.0;      ///< reached by large collectives
  double nvlink_latency_s = 0.0;            ///< per ring hop
  std::int64_t nics_per_node = 0;           ///< cards used for training traffic
  double nic_B_per_s = 0.0;                 ///< per card and direction
  double nic_efficiency_frac = 0.0;         ///< reached by large collectives
  double p2p_efficiency_frac = 0.0;         ///< reached by one message between two nodes: fewer channels drive it
  double nic_latency_s = 0.0;               ///< per ring hop between nodes
  std::int64_t pod_gpus = 0;                ///< GPUs under full bisection bandwidth
  double pod_oversubscription_ratio = 1.0;  ///< bandwidth inside a pod ÷ bandwidth out of it

  void fields(FieldVisitor& v);
  /// GPUs of one scale-up domain: `scale_up_gpus`, or those of the node.
  std::int64_t domain_gpus() const { return scale_up_gpus > 0 ? scale_up_gpus : gpus_per_node; }
  /// Bandwidth of the node's cards per GPU and direction.
  double nic_per_gpu_B_per_s() const {
    return nic_B_per_s * static_cast<double>(nics_per_node) / static_cast<double>(gpus_per_node);
  }
};

/// Ranks of one communicator: `size` ranks, on average `stride` apart in the global rank order. If they are not evenly spaced,
/// they lie in blocks: `block` members, `block_stride` apart, and then the next block, so that the mean stride holds.
struct TIDEWATT_API RankGroup {
  std::int64_t size = 1;          ///< ranks, count
  std::int64_t stride = 1;        ///< mean distance of neighbours, ranks
  std::int64_t block = 1;         ///< members of one block, count; 1: evenly spaced
  std::int64_t block_stride = 1;  ///< distance of neighbours in a block, ranks
};

/// Usable bandwidth per rank and latency per hop of one ring over a group.
struct TIDEWATT_API Link {
  double B_per_s = 0.0;
  double latency_s = 0.0;
  bool inside_node = false;  ///< the whole group is in one scale-up domain
};

/// Members of the group in one scale-up domain (one node where the domain is the node).
TIDEWATT_API std::int64_t members_per_node(const NetworkParams& network, RankGroup group);

/// NVLink if the whole group is in one scale-up domain. Otherwise the ring leaves each domain once per lane, and the k members
/// of the group in a domain share their cards: B = min(NVLink, k·NIC). A ring in the order of the pods leaves its pod once for
/// every (members per pod) edges. This costs time only if the share of such edges exceeds 1/oversubscription.
TIDEWATT_API Link group_link(const NetworkParams& network, RankGroup group);

/// α–β cost of ring collectives over n ranks; `bytes` is the full (gathered) size. n = 1 costs nothing.
/// all-gather = reduce-scatter = (n-1) α + (n-1)/n · S/B;  all-reduce is both, one after the other.
/// @param bytes in B  @param n ranks
TIDEWATT_API double all_gather_s(double bytes, std::int64_t n, const Link& link);
/// The same cost as the all-gather.
TIDEWATT_API double reduce_scatter_s(double bytes, std::int64_t n, const Link& link);
/// Reduce-scatter, then all-gather.
TIDEWATT_API double all_reduce_s(double bytes, std::int64_t n, const Link& link);
/// Double binary tree: 2 ⌈log₂ n⌉ α + 2 S/B. Faster than the ring if latency dominates.
/// @param bytes in B
TIDEWATT_API double tree_all_reduce_s(double bytes, std::int64_t n, const Link& link);
/// One message: α + S/B.
/// @param bytes in B
TIDEWATT_API double send_s(double bytes, const Link& link);

/// All-gather (or reduce-scatter) over a group by the faster of one ring and two levels: S/k of each of the k members
/// in a domain over the m = n/k domains, each member on its own cards, then NVLink inside the domain:
/// (m-1) α + (m-1)/m · (S/k)/NIC  +  (k-1) α_NVLink + (k-1)/k · S/NVLink.
/// Without bytes nothing starts.
/// @param bytes gathered size, in B
TIDEWATT_API double group_all_gather_s(const NetworkParams& network, RankGroup group, double bytes);
/// All-reduce over a group by the fastest of ring, tree and two levels.
/// @param bytes reduced size, in B
TIDEWATT_API double group_all_reduce_s(const NetworkParams& network, RankGroup group, double bytes);

/// Link of a message between pipeline neighbours `group.stride` ranks apart: NVLink inside a domain, else one rank's
/// share of the cards at the point-to-point efficiency.
TIDEWATT_API Link neighbour_link(const NetworkParams& network, RankGroup group);

/// Every rank sends `inside_B` to the members of its domain and `outside_B` to those of other domains, spread evenly. Both
/// transfers run at the same time; the slower one counts. Traffic that leaves the pod has 1/oversubscription of the bandwidth.
TIDEWATT_API double all_to_all_s(const NetworkParams& network, RankGroup group, double inside_B, double outside_B);

}  // namespace TIDEWATT_NAMESPACE::workload
