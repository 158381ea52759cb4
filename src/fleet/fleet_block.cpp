#include "fleet_block.hpp"

#include <algorithm>

#include "dvfs/operating_point_batch.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::fleet::detail {

NodeBooks& NodeBooks::operator+=(const NodeBooks& o) {
  gpu_in += o.gpu_in;
  package_out += o.package_out;
  package_stored += o.package_stored;
  ac_in += o.ac_in;
  conversion += o.conversion;
  host += o.host;
  fan += o.fan;
  psu += o.psu;
  air += o.air;
  liquid += o.liquid;
  reference += o.reference;
  burn += o.burn;
  return *this;
}

NodeBooks sum_of_nodes(const NodeBooks* books, std::size_t n_node) {
  NodeBooks out = books[0];
  for (std::size_t i = 1; i < n_node; ++i) out += books[i];
  return out;
}

void book(FleetMeters& meters, std::span<const NodeBooks> books) {
  // Plain sums of a few blocks lose nothing that shows; compensated ones of all would take as long as the nodes themselves.
  constexpr std::size_t few = 4;
  for (std::size_t n = 0; n < books.size(); n += few) {
    NodeBooks b;
    for (const auto& node : books.subspan(n, std::min(few, books.size() - n))) b += node;
    meters.gpu_in.add(b.gpu_in);
    meters.package_out.add(b.package_out);
    meters.package_stored.add(b.package_stored);
    meters.ac_in.add(b.ac_in);
    meters.conversion_loss.add(b.conversion);
    meters.host.add(b.host);
    meters.fan.add(b.fan);
    meters.psu_loss.add(b.psu);
    meters.air_out.add(b.air);
    meters.liquid_out.add(b.liquid);
    meters.input_reference.add(b.reference);
    meters.smoothing_burn.add(b.burn);
  }
}

namespace {

std::vector<Block> make_blocks(const Fleet& fleet, const FleetTask& task) {
  const std::size_t per_node = fleet.n_gpu_per_node, room = n_lane / per_node;
  const std::size_t n_type = fleet.types.size();
  std::uint32_t n_class = 0;
  for (const auto c : task.node_class) n_class = std::max(n_class, c + 1);
  // Open block of every class and type; a full one is closed by opening the next.
  std::vector<std::size_t> open(n_class * n_type, SIZE_MAX);
  std::vector<Block> out;
  out.reserve(n_node_of(task) / room + open.size());
  for (std::size_t i = 0; i < n_node_of(task); ++i) {
    const std::size_t n = task.first_node + i, type = fleet.node_hall[n];
    auto& at = open[task.node_class[i] * n_type + type];
    if (at == SIZE_MAX || out[at].n_node == room) {
      at = out.size();
      out.emplace_back();
      out[at].type = &fleet.types[type];
      out[at].cls = task.node_class[i];
      out[at].hall = static_cast<std::uint32_t>(type);
      out[at].n_gpu = per_node;
    }
    Block& b = out[at];
    b.index[b.n_node] = static_cast<std::uint32_t>(i);
    b.node[b.n_node] = static_cast<std::uint32_t>(n);
    for (std::size_t s = 0; s < per_node; ++s) {
      b.gpu[b.n_node * per_node + s] = static_cast<std::uint32_t>(n * per_node + s);
      b.owner[b.n_node * per_node + s] = static_cast<std::uint8_t>(b.n_node);
      b.rear[b.n_node * per_node + s] = fleet.rear(s) ? 1 : 0;
    }
    ++b.n_node;
  }
  for (auto& b : out)
    for (std::size_t l = b.n_used(); l < n_lane; ++l) {
      b.gpu[l] = b.gpu[0];
      b.owner[l] = b.rear[l] = 0;
    }
  return out;
}

}  // namespace

const std::vector<Block>& blocks_of(const Fleet& fleet, const FleetTask& task) {
  auto& kept = task.kept_blocks;
  const auto same = [&](const auto& list) {
    return list != nullptr && list->first_node == task.first_node && list->node_class == task.node_class;
  };
  if (!same(kept[0]) && same(kept[1])) std::swap(kept[0], kept[1]);
  if (!same(kept[0])) {
    kept[1] = std::move(kept[0]);
    kept[0] = std::make_shared<const BlockList>(BlockList{task.first_node, task.node_class, make_blocks(fleet, task)});
  }
  return kept[0]->blocks;
}

TIDEWATT_CLONES
Packages load_packages(const Fleet& fleet, const FleetState& state, const FleetSignals& signals, const Block& b) {
  return {gather(state.die_K.data(), b), gather(state.base_K.data(), b), gather(state.sink_K.data(), b),
          gather(fleet.resistance_ratio.data(), b), gather(signals.guess_K.data(), b)};
}

TIDEWATT_CLONES
void store_packages(FleetState& state, const Block& b, const Packages& before, const Lanes& die_K, const Lanes& base_K,
                    const Lanes& sink_K, NodeBooks* books) {
  const auto& pkg = b.type->package;
  const double die = pkg.die_J_per_K, base = pkg.base_J_per_K, sink = pkg.sink_J_per_K;
  Lanes stored;
  for (std::size_t l = 0; l < n_lane; ++l)
    stored[l] = (die * (die_K[l] - before.die_K[l]) + base * (base_K[l] - before.base_K[l]) +
                 sink * (sink_K[l] - before.sink_K[l])) /
                before.r[l];
  for (std::size_t i = 0; i < b.n_node; ++i) books[i].package_stored += sum_of(stored, b, i);
  scatter(die_K, b, state.die_K.data());
  scatter(base_K, b, state.base_K.data());
  scatter(sink_K, b, state.sink_K.data());
}

/// Air that passes a server whose fans rest, of that at their lowest speed [assumed]: what the hall's air handlers have to follow.
constexpr double still_flow_frac = 0.1;

void finish_nodes(const Fleet& fleet, FleetState& state, FleetSignals& signals, const Block& b, const Air& air,
                  double step_s, const Lanes& heat_J, NodeBooks* books) {
  const auto front = front_W(fleet, b, heat_J, step_s);
  for (std::size_t i = 0; i < b.n_node; ++i) {
    auto& k = books[i];
    k.package_out += sum_of(heat_J, b, i);
    state.front_W[b.node[i]] = front[i];
    state.fan_frac[b.node[i]] = air.fan_end_frac[i];
    signals.fan_before_frac[b.node[i]] = air.fan_aim_frac[i];
    const auto& liquid = b.type->liquid;
    const double taken = liquid ? b.type->to_liquid[air.mode_step[i]] : 0.0;
    const double gpu_frac = liquid ? taken * liquid->capture.gpu_liquid_frac : 0.0;
    const double host_frac = liquid ? taken * liquid->capture.host_liquid_frac : 0.0;
    k.air = (1.0 - gpu_frac) * k.package_out + k.conversion + (1.0 - host_frac) * k.host + k.fan + k.psu;
    k.liquid = gpu_frac * k.package_out + host_frac * k.host;
    signals.node_air_W[b.node[i]] = k.air / step_s;
    if (liquid) signals.node_liquid_W[b.node[i]] = k.liquid / step_s;
    if (b.type->stairs) {
      const auto& s = air.stairs[i];
      state.fan_accepted_K[b.node[i]] = s.accepted_K, state.fan_term_frac[b.node[i]] = s.term_frac;
      signals.fan_low_frac[b.node[i]] = s.low_frac, signals.fan_high_frac[b.node[i]] = s.high_frac;
    }
    const bool off = !state.off.empty() && state.off[b.node[i]] != 0;
    signals.node_flow_m3_per_s[b.node[i]] =
        b.type->air.flow_m3_per_s * air.fan_mean_frac[i] * (off ? still_flow_frac : 1.0);
  }
}

}  // namespace TIDEWATT_NAMESPACE::fleet::detail
