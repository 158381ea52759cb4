#include "tidewatt/workload/network.hpp"

#include <algorithm>

namespace tidewatt::workload {

void NetworkParams::fields(FieldVisitor& v) {
  v.integer("gpus_per_node", gpus_per_node, {1, 1024}, "GPUs joined by NVLink");
  v.number("nvlink_GB_per_s", nvlink_B_per_s, {1, 10000}, "NVLink bandwidth per GPU and direction");
  v.number("nvlink_efficiency_frac", nvlink_efficiency_frac, {0.05, 1}, "share that large collectives reach");
  v.number("nvlink_latency_us", nvlink_latency_s, {0, 1000}, "latency per ring hop inside a node");
  v.integer("nics_per_node", nics_per_node, {1, 1024}, "network cards per node for training traffic");
  v.number("nic_GB_per_s", nic_B_per_s, {0.1, 10000}, "bandwidth per network card and direction");
  v.number("nic_efficiency_frac", nic_efficiency_frac, {0.05, 1}, "share that large collectives reach");
  v.number("nic_latency_us", nic_latency_s, {0, 1000}, "latency per ring hop between nodes");
  v.integer("pod_gpus", pod_gpus, {1, 1e7}, "GPUs under full bisection bandwidth");
  v.number("pod_oversubscription_ratio", pod_oversubscription_ratio, {1, 100},
           "bandwidth inside a pod over bandwidth out of it");
}

Link group_link(const NetworkParams& net, RankGroup group) {
  const double nvlink = net.nvlink_B_per_s * net.nvlink_efficiency_frac;
  if (group.size * group.stride <= net.gpus_per_node) return {nvlink, net.nvlink_latency_s, true};
  const std::int64_t local = std::max<std::int64_t>(1, net.gpus_per_node / group.stride);
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

double send_s(double bytes, const Link& link) { return link.latency_s + bytes / link.B_per_s; }

}  // namespace tidewatt::workload
