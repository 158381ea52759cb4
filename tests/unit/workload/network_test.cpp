#include "tidewatt/workload/network.hpp"

#include <algorithm>

#include "cases.hpp"
#include "catch.hpp"

using namespace tidewatt::workload;

TEST_CASE("collectives: closed forms and limits", "[workload][network]") {
  const NetworkParams net = cases::roce();
  const Link nvlink = group_link(net, {8, 1}), rail = group_link(net, {128, 128});
  CHECK(nvlink.inside_node);
  CHECK_FALSE(rail.inside_node);
  CHECK(rail.B_per_s == Approx(40e9));                          // one card per member
  CHECK(group_link(net, {32, 1}).B_per_s == Approx(8 * 40e9));  // eight members share eight cards
  CHECK(all_gather_s(1e9, 8, nvlink) == Approx(7 * nvlink.latency_s + 7.0 / 8.0 * 1e9 / 360e9));
  CHECK(all_reduce_s(1e9, 8, nvlink) == Approx(all_gather_s(1e9, 8, nvlink) + reduce_scatter_s(1e9, 8, nvlink)));
  CHECK(all_gather_s(1e9, 1, nvlink) == 0.0);
  // A dense model has no experts' weights to exchange: their ring never starts, whatever its latency.
  CHECK(group_all_gather_s(net, {1024, 16}, 0.0) == 0.0);
  CHECK(group_all_reduce_s(net, {1024, 16}, 0.0) == 0.0);
  NetworkParams thin = net;  // only rings with few members per pod feel the thin layer
  thin.pod_oversubscription_ratio = 48;
  CHECK(group_link(thin, {128, 128}).B_per_s == Approx(20e9));
  CHECK(group_link(thin, {16, 128}).B_per_s == Approx(40e9));
}

TEST_CASE("a tree beats the ring where latency counts, the ring where bytes do", "[workload][network]") {
  const Link rail{40e9, 20e-6, false};
  CHECK(tree_all_reduce_s(1e9, 1, rail) == 0.0);
  CHECK(tree_all_reduce_s(8.0, 1024, rail) == Approx(2 * 10 * 20e-6).epsilon(1e-4));
  CHECK(tree_all_reduce_s(8.0, 1024, rail) < 0.02 * all_reduce_s(8.0, 1024, rail));
  CHECK(tree_all_reduce_s(1e11, 8, rail) > all_reduce_s(1e11, 8, rail));
}

TEST_CASE("two levels: the same bytes leave a node, over fewer hops", "[workload][network]") {
  NetworkParams net = cases::roce();
  const RankGroup dense{512, 1};  // eight members in each of 64 nodes
  const double bytes = 1e6;
  // 63 hops of an eighth over one card each, then seven hops over NVLink.
  const double two_level_s = 63 * 20e-6 + 63.0 / 64.0 * bytes / 8.0 / 40e9 + 7 * 4e-6 + 7.0 / 8.0 * bytes / 360e9;
  CHECK(group_all_gather_s(net, dense, bytes) == Approx(two_level_s));
  CHECK(group_all_gather_s(net, dense, bytes) < all_gather_s(bytes, 512, group_link(net, dense)));
  const RankGroup rail{64, 8};  // one member per node: nothing to share
  CHECK(group_all_gather_s(net, rail, bytes) == all_gather_s(bytes, 64, group_link(net, rail)));
  CHECK(group_all_reduce_s(net, rail, 8.0) == Approx(tree_all_reduce_s(8.0, 64, group_link(net, rail))));
}

TEST_CASE("fewer cards per node slow what leaves it", "[workload][network]") {
  NetworkParams half = cases::roce();
  half.nics_per_node = 4;
  CHECK(group_link(half, {128, 128}).B_per_s == Approx(0.5 * group_link(cases::roce(), {128, 128}).B_per_s));
  CHECK(neighbour_link(half, {16, 8}).B_per_s == Approx(0.5 * 50e9 * half.p2p_efficiency_frac));
  CHECK(neighbour_link(half, {2, 1}).inside_node);
}

TEST_CASE("all-to-all: the slower of what stays and what leaves", "[workload][network]") {
  const NetworkParams net = cases::roce();
  CHECK(all_to_all_s(net, {1, 1}, 1e9, 1e9) == 0.0);
  CHECK(all_to_all_s(net, {8, 1}, 1e9, 1e9) == Approx(4e-6 + 1e9 / 360e9));   // nothing leaves
  CHECK(all_to_all_s(net, {64, 1}, 1e9, 1e9) == Approx(20e-6 + 1e9 / 40e9));  // the cards are slower
  CHECK(all_to_all_s(net, {64, 1}, 1e9, 1e6) == Approx(4e-6 + 1e9 / 360e9));
  // Seven eighths of a group of eight pods leaves the pod, at a seventh of the bandwidth.
  const double wide_s = all_to_all_s(net, {64, 384}, 0.0, 1e9);
  CHECK(wide_s == Approx(20e-6 + 7.0 / 8.0 * 7.0 * 1e9 / 40e9));
  // Ranks in blocks of eight keep an eighth at home although the mean stride is that of one per node.
  CHECK(members_per_node(net, {64, 16, 8}) == 8);
  CHECK(members_per_node(net, {64, 16}) == 1);
}

TEST_CASE("a scale-up domain joins nodes: groups in it never leave NVLink, groups across it share its cards",
          "[workload][network]") {
  NetworkParams net = cases::roce();
  net.gpus_per_node = 4, net.nics_per_node = 4, net.scale_up_gpus = 72;
  NetworkParams alone = net;
  alone.scale_up_gpus = 0;  // the node is the domain
  CHECK(alone.domain_gpus() == 4);
  CHECK(net.domain_gpus() == 72);
  const RankGroup context{8, 8};  // eight ranks over 64 GPUs
  CHECK(group_link(net, context).inside_node);
  CHECK_FALSE(group_link(alone, context).inside_node);
  CHECK(group_all_gather_s(net, context, 1e9) < 0.2 * group_all_gather_s(alone, context, 1e9));
  // A dense group over ten domains: 72 members share 72 cards on the way out, and NVLink bounds them.
  CHECK(members_per_node(net, {720, 1}) == 72);
  CHECK(group_link(net, {720, 1}).B_per_s == Approx(std::min(360e9, 72 * 40e9)));
  // A card's rate per GPU is the node's, whatever the domain.
  CHECK(net.nic_per_gpu_B_per_s() == alone.nic_per_gpu_B_per_s());
  CHECK(all_to_all_s(net, {64, 1}, 1e9, 0.0) == Approx(net.nvlink_latency_s + 1e9 / 360e9));
}
