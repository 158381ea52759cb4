#include "fleet_snapshot.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "result_column.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

/// The slowest replicas' phases, stage by stage, for a pipeline diagram.
void add_pipeline(const fleet::TrainingTask& task, std::vector<NamedArray>& arrays) {
  const auto& timeline = task.timeline();
  const auto n_stage = static_cast<std::size_t>(task.model().n_stage());
  std::vector<std::int64_t> stage, kind;
  std::vector<double> begin_s;
  std::vector<std::string> names;
  for (const auto& k : timeline.kinds) names.push_back(k.name);
  for (std::size_t s = 0; s < n_stage; ++s) {
    Tick at = 0;
    for (const auto& segment : timeline.classes[s]) {
      stage.push_back(static_cast<std::int64_t>(s));
      kind.push_back(segment.kind);
      begin_s.push_back(seconds(at));
      at += segment.duration;
    }
  }
  const std::uint64_t n = stage.size(), n_name = names.size();
  arrays.push_back(
      {"/iteration/phase_stage", {"phase"}, {n}, std::move(stage), "1", "pipeline stage, of the slowest replicas"});
  arrays.push_back(
      {"/iteration/phase_kind", {"phase"}, {n}, std::move(kind), "1", "what it does, an index into kind_name"});
  arrays.push_back(
      column("/iteration/phase_begin_s", "phase", std::move(begin_s), "s", "from when on, until the stage's next"));
  arrays.push_back({"/iteration/kind_name", {"kind"}, {n_name}, std::move(names), "1", "kinds of phases"});
}

/// Fans that run in steps, for each of a server's GPUs.
void add_fans(const fleet::Fleet& fleet, const fleet::FleetState& state, const fleet::FleetSignals& signals,
              std::vector<NamedArray>& arrays) {
  if (std::none_of(fleet.types.begin(), fleet.types.end(), [](const auto& t) { return t.stairs.has_value(); })) return;
  const std::size_t n = fleet.n_gpu();
  const auto of_node = [&](const char* path, const std::vector<double>& x, const char* unit, const char* text) {
    std::vector<double> of_gpu(n);
    for (std::size_t g = 0; g < n; ++g) of_gpu[g] = x[g / fleet.n_gpu_per_node];
    arrays.push_back({path, {"gpu"}, {n}, std::move(of_gpu), unit, text});
  };
  of_node("/fleet/fan_frac", state.fan_frac, "1", "mean fan speed of its server in that step");
  of_node("/fleet/fan_low_frac", signals.fan_low_frac, "1", "lower of the steps between which the fans cycle");
  of_node("/fleet/fan_high_frac", signals.fan_high_frac, "1", "the upper one; equal: the fans rest");
  of_node("/fleet/fan_accepted_K", state.fan_accepted_K, "K", "reading that the fan table holds on to");
  arrays.push_back({"/fleet/mean_W", {"gpu"}, {n}, state.mean_W, "W", "mean board power in that step"});
}

}  // namespace

void FleetSnapshot::take(const fleet::Fleet& fleet, const fleet::FleetState& state, const fleet::FleetSignals& signals,
                         const fleet::TrainingTask& task, std::span<const double> inlet_K,
                         const connection::LoadEdges& edges, const Moment& moment) {
  moment_ = moment;
  const std::size_t n = fleet.n_gpu();
  std::vector<std::int64_t> row(n), rack(n), node(n), slot(n), stage(n), replica(n), limiter(n);
  std::vector<double> inlet(n), leakage(n);
  for (std::size_t g = 0; g < n; ++g) {
    const std::size_t k = g / fleet.n_gpu_per_node;
    row[g] = fleet.node_row[k];
    rack[g] = fleet.node_rack[k];
    node[g] = fleet.node_number[k];
    slot[g] = static_cast<std::int64_t>(g % fleet.n_gpu_per_node);
    stage[g] = task.stage_of_node(k);
    replica[g] = task.replica_of_node(k);
    limiter[g] = static_cast<std::int64_t>(signals.limiter[g]);
    inlet[g] = inlet_K[k];
    leakage[g] = fleet.chip[g].leakage_ratio;
  }
  const std::uint64_t size = n;
  const auto whole = [&](const char* name, std::vector<std::int64_t> v, const char* text) {
    arrays_.push_back({std::string("/fleet/") + name, {"gpu"}, {size}, std::move(v), "1", text});
  };
  const auto real = [&](const char* name, std::vector<double> v, const char* unit, const char* text) {
    arrays_.push_back({std::string("/fleet/") + name, {"gpu"}, {size}, std::move(v), unit, text});
  };
  arrays_.clear();
  whole("row", row, "row, counted over the site");
  whole("rack", rack, "rack, counted over the site");
  whole("node", node, "server");
  whole("slot", slot, "GPU within its server; the upper half stands in the preheated air");
  whole("stage", stage, "pipeline stage, -1: idle");
  whole("replica", replica, "data-parallel replica, -1: idle");
  whole("limiter", limiter, "0 none 1 power 2 thermal 3 clock 4 slowdown 5 brake 6 memory");
  real("die_K", signals.guess_K, "K", "die temperature, mean over an iteration after the step with the warmest inlet");
  if (!signals.memory_K.empty()) real("memory_K", signals.memory_K, "K", "memory stacks, mean over the step");
  real("clock_Hz", state.clock_Hz, "Hz", "clock in that step");
  real("own_Hz", state.own_Hz, "Hz", "clock it could hold without waiting for slower ranks");
  real("inlet_K", inlet, "K", "air at the server's front");
  real("leakage_ratio", leakage, "1", "leakage of the chip over nominal");
  real("resistance_ratio", fleet.resistance_ratio, "1", "thermal resistance over nominal");
  add_fans(fleet, state, signals, arrays_);
  std::vector<double> edge_s;
  for (const Tick t : edges.edge) edge_s.push_back(seconds(t));
  auto load_W = edges.load_W;
  load_W.push_back(load_W.empty() ? 0.0 : load_W.front());
  arrays_.push_back(column("/iteration/edge_s", "edge", edge_s, "s", "edges of one iteration"));
  arrays_.push_back(column("/iteration/load_W", "edge", load_W, "W", "site load from this edge to the next"));
  add_pipeline(task, arrays_);
}

}  // namespace TIDEWATT_NAMESPACE::sim
