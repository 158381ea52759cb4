#pragma once
#include <cstdint>

#include "tidewatt/base/fields.hpp"

namespace tidewatt::workload {

/// Links of a cluster: NVLink inside a node, network cards between nodes, pods with a thinner layer above.
struct NetworkParams {
  std::int64_t gpus_per_node = 0;
  double nvlink_B_per_s = 0.0;              ///< per GPU and direction
  double nvlink_efficiency_frac = 0.0;      ///< reached by large collectives
  double nvlink_latency_s = 0.0;            ///< per ring hop
  std::int64_t nics_per_node = 0;           ///< cards used for training traffic
  double nic_B_per_s = 0.0;                 ///< per card and direction
  double nic_efficiency_frac = 0.0;         ///< reached by large collectives
  double nic_latency_s = 0.0;               ///< per ring hop between nodes
  std::int64_t pod_gpus = 0;                ///< GPUs under full bisection bandwidth
  double pod_oversubscription_ratio = 1.0;  ///< bandwidth inside a pod ÷ bandwidth out of it

  void fields(FieldVisitor& v);
  double nic_per_gpu_B_per_s() const {
    return nic_B_per_s * static_cast<double>(nics_per_node) / static_cast<double>(gpus_per_node);
  }
};

/// Ranks of one communicator: `size` ranks, neighbours `stride` apart in the global rank order.
struct RankGroup {
  std::int64_t size = 1;
  std::int64_t stride = 1;
};

/// What one ring over a group reaches: usable bandwidth per rank and latency per hop.
struct Link {
  double B_per_s = 0.0;
  double latency_s = 0.0;
  bool inside_node = false;
};

/// NVLink if the whole group sits in one node. Otherwise the ring leaves each node once per lane and the k members of
/// the group in a node share their cards: B = min(NVLink, k·NIC). A pod-ordered ring leaves its pod once for every
/// (members per pod) edges, which costs only if that exceeds 1/oversubscription.
Link group_link(const NetworkParams& network, RankGroup group);

/// α–β cost of ring collectives over n ranks; `bytes` is the full (gathered) size. n = 1 costs nothing.
/// all-gather = reduce-scatter = (n-1) α + (n-1)/n · S/B;  all-reduce is both, one after the other.
double all_gather_s(double bytes, std::int64_t n, const Link& link);
double reduce_scatter_s(double bytes, std::int64_t n, const Link& link);
double all_reduce_s(double bytes, std::int64_t n, const Link& link);
/// One message: α + S/B.
double send_s(double bytes, const Link& link);

}  // namespace tidewatt::workload
