#include "tidewatt/workload/network.hpp"

#include <algorithm>
#include <bit>

namespace TIDEWATT_NAMESPACE::workload {

void NetworkParams::fields(FieldVisitor& v) {
  v.integer("gpus_per_node", gpus_per_node, {1, 1024}, "GPUs of one node: what fails and is repaired");
  v.integer("scale_up_gpus", scale_up_gpus, {0, 4096}, "GPUs of one scale-up domain, whole nodes; 0: those of the node",
            Need::optional);
  v.number("nvlink_GB_per_s", nvlink_B_per_s, {1, 10000}, "NVLink bandwidth per GPU and direction");
  v.number("nvlink_efficiency_frac", nvlink_efficiency_frac, {0.05, 1},
           "fraction of the bandwidth that large collectives reach");
  v.number("nvlink_latency_us", nvlink_latency_s, {0, 1000}, "latency per ring hop inside a scale-up domain");
  v.integer("nics_per_node", nics_per_node, {1, 1024}, "network cards per node for training traffic");
  v.number("nic_GB_per_s", nic_B_per_s, {0.1, 10000}, "bandwidth per network card and direction");
  v.number("nic_efficiency_frac", nic_efficiency_frac, {0.05, 1},
           "fraction of the bandwidth that large collectives reach");
  v.number("p2p_efficiency_frac", p2p_efficiency_frac, {0.05, 1},
           "fraction of the bandwidth that one message between domains reaches");
  v.number("nic_latency_us", nic_latency_s, {0, 1000}, "latency per ring hop between domains");
  v.integer("pod_gpus", pod_gpus, {1, 1e7}, "GPUs under full bisection bandwidth");
  v.number("pod_oversubscription_ratio", pod_oversubscription_ratio, {1, 100},
           "bandwidth inside a pod over bandwidth out of it");
}

std::int64_t members_per_node(const NetworkParams& net, RankGroup group) {
  if (group.size * group.stride <= net.domain_gpus()) return group.size;
  const std::int64_t blocks = net.domain_gpus() / (group.stride * group.block);  // whole ones in a domain
  if (blocks > 0) return std::min(group.size, blocks * group.block);
  return std::clamp<std::int64_t>(net.domain_gpus() / group.block_stride, 1, group.block);
}

Link group_link(const NetworkParams& net, RankGroup group) {
  const double nvlink = net.nvlink_B_per_s * net.nvlink_efficiency_frac;
  if (group.size * group.stride <= net.domain_gpus()) return {nvlink, net.nvlink_latency_s, true};
  const std::int64_t local = members_per_node(net, group);
  double network = static_cast<double>(local) * net.nic_per_gpu_B_per_s() * net.nic_efficiency_frac;
  if (group.size * group.stride > net.pod_gpus) {
    const double members_per_pod = std::max(1.0, static_cast<double>(net.pod_gpus) / static_cast<double>(group.stride));
    const double edges_per_pod = std::max(1.0, members_per_pod / static_cast<double>(local));
    network *= std::min(1.0, edges_per_pod / net.pod_oversubscription_ratio);
  }
  return {std::min(nvlink, network), net.nic_latency_s, false};
}

double all_gather_s(double bytes, std::int64_t n, const Link& link) {
  if (n <= 1) return 0.0;
  const double hops = static_cast<double>(n - 1);
  return hops * link.latency_s + hops / static_cast<double>(n) * bytes / link.B_per_s;
}

double reduce_scatter_s(double bytes, std::int64_t n, const Link& link) { return all_gather_s(bytes, n, link); }

double all_reduce_s(double bytes, std::int64_t n, const Link& link) { return 2.0 * all_gather_s(bytes, n, link); }

double tree_all_reduce_s(double bytes, std::int64_t n, const Link& link) {
  if (n <= 1) return 0.0;
  const double depth = static_cast<double>(std::bit_width(static_cast<std::uint64_t>(n - 1)));
  return 2.0 * depth * link.latency_s + 2.0 * bytes / link.B_per_s;
}

double send_s(double bytes, const Link& link) { return link.latency_s + bytes / link.B_per_s; }

double group_all_gather_s(const NetworkParams& net, RankGroup group, double bytes) {
  if (!(bytes > 0.0)) return 0.0;  // a group without anything to exchange starts no ring
  const Link ring = group_link(net, group);
  const double ring_s = all_gather_s(bytes, group.size, ring);
  const std::int64_t local = members_per_node(net, group);
  if (ring.inside_node || local <= 1 || group.size % local != 0) return ring_s;
  Link lane = ring;  // each member keeps its share of what leaves the node
  lane.B_per_s = ring.B_per_s / static_cast<double>(local);
  const Link nvlink{net.nvlink_B_per_s * net.nvlink_efficiency_frac, net.nvlink_latency_s, true};
  const double outside_s = all_gather_s(bytes / static_cast<double>(local), group.size / local, lane);
  return std::min(ring_s, outside_s + all_gather_s(bytes, local, nvlink));
}

double group_all_reduce_s(const NetworkParams& net, RankGroup group, double bytes) {
  if (!(bytes > 0.0)) return 0.0;
  const double tree_s = tree_all_reduce_s(bytes, group.size, group_link(net, group));
  return std::min(tree_s, 2.0 * group_all_gather_s(net, group, bytes));
}

Link neighbour_link(const NetworkParams& net, RankGroup group) {
  Link link = group_link(net, {2, group.stride});
  if (!link.inside_node) link.B_per_s = std::min(link.B_per_s, net.nic_per_gpu_B_per_s() * net.p2p_efficiency_frac);
  return link;
}

double all_to_all_s(const NetworkParams& net, RankGroup group, double inside_B, double outside_B) {
  if (group.size <= 1) return 0.0;
  const double inside_s = net.nvlink_latency_s + inside_B / (net.nvlink_B_per_s * net.nvlink_efficiency_frac);
  const std::int64_t local = members_per_node(net, group);
  if (local >= group.size) return inside_s;
  const double span = static_cast<double>(group.size * group.stride);
  const double leaves_pod = std::max(0.0, 1.0 - static_cast<double>(net.pod_gpus) / span);
  const double slowdown = std::max(1.0, leaves_pod * net.pod_oversubscription_ratio);
  const double outside_s =
      net.nic_latency_s + slowdown * outside_B / (net.nic_per_gpu_B_per_s() * net.nic_efficiency_frac);
  return std::max(inside_s, outside_s);
}

}  // namespace TIDEWATT_NAMESPACE::workload
