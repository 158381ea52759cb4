#include <algorithm>
#include <array>

#include "base/random.hpp"
#include "build_fleet.hpp"
#include "neighbour_load.hpp"
#include "tidewatt/thermal/air.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

constexpr std::int64_t most_phases = 1024;
constexpr std::uint64_t phase_entity = 1ull << 61;  // apart from what else is drawn for the purpose `jitter`
constexpr std::array air_J_per_m3_K = {thermal::air_J_per_m3_K(293.15)};
constexpr Tick settling = 600 * ns_per_s;  // of a package and its fans; eight of them to a steady node

const HallSpec& hall_of(const Scenario& s, const NeighbourSpec& spec) {
  for (const auto& h : s.halls)
    if (h.hall.name == spec.hall) return h;
  throw InputError("site.neighbour." + spec.name + ".hall: no hall named '" + spec.hall + "'");
}

fleet::Fleet one_node(const HallSpec& h) {
  fleet::Fleet f;
  const double cap_W = gpu_limit_W(h);
  const double lock_Hz = gpu_clock_limit_Hz(h);
  f.types.push_back(fleet::make_node_type(h.gpu, h.governor, h.server, h.air, h.package, cap_W, lock_Hz));
  f.n_gpu_per_node = static_cast<std::size_t>(h.server.n_gpu);
  f.node_hall = f.node_row = f.node_rack = f.node_number = {0};
  f.node_recirculation = {0.0};
  f.chip.assign(f.n_gpu_per_node, {});
  f.resistance_ratio.assign(f.n_gpu_per_node, 1.0);
  return f;
}

/// A replica without requests needs no long period, and one with less than one request in 100 s is drawn as if in
/// smaller requests: the same shares of its time.
workload::Timeline at_most_100_s(workload::Timeline t) {
  constexpr Tick most = 100 * ns_per_s;
  if (t.period <= most) return t;
  const double shrink = static_cast<double>(most) / static_cast<double>(t.period);
  Tick left = most;
  auto& segments = t.classes[0];
  for (std::size_t i = 0; i < segments.size(); ++i) {
    segments[i].duration =
        i + 1 < segments.size() ? static_cast<Tick>(static_cast<double>(segments[i].duration) * shrink) : left;
    left -= segments[i].duration;
  }
  t.period = most;
  return t;
}

}  // namespace

InferenceLoad::InferenceLoad(const Scenario& scenario, const NeighbourSpec& spec, std::uint64_t entity)
    : seed_(static_cast<std::uint64_t>(scenario.run.seed)),
      entity_(entity),
      service_(spec.model, spec.service, hall_of(scenario, spec).compute, spec.network),
      n_replica_(spec.service.n_replica),
      gpus_per_replica_(spec.service.tp),
      node_(one_node(hall_of(scenario, spec))),
      inlet_K_(spec.inlet_K),
      reference_Hz_(hall_of(scenario, spec).compute.reference_clock_Hz),
      design_W_(fleet::design_W(node_.types[0]) * static_cast<double>(service_.n_gpu()) /
                static_cast<double>(node_.n_gpu_per_node)) {
  // The clock that the busiest hour leaves sets the pace of the day.
  const auto day = service_.day(1.0);
  const auto busiest = std::max_element(day.begin(), day.end(), [](const auto& a, const auto& b) {
    return a.prefill_frac + a.decode_frac < b.prefill_frac + b.decode_frac;
  });
  fleet::FleetState state = idle_state(node_, std::vector<double>{inlet_K_});
  fleet::FleetSignals signals = make_signals(node_);
  fleet::FleetTask task;
  fleet::set_kinds(task, busiest->timeline, node_.types[0], reference_Hz_);
  task.node_class = {0};
  task.class_gate_Hz = {0.0};
  task.class_busy = {1};
  task.class_window = {
      fleet::worst_window(busiest->timeline, 0, task.kind_reference_W, node_.types[0].governor.window_s)};
  const std::vector<double> inlet = {inlet_K_};
  task.inlet_K = inlet;
  task.air_J_per_m3_K = air_J_per_m3_K;
  predict(node_, state, task, std::array{node_.types[0].usual.cap_W}, seconds(settling), signals);
  fleet::own_clocks(node_, state, task, 1.0, signals);
  pace_ = *std::min_element(state.own_Hz.begin(), state.own_Hz.end()) / reference_Hz_;
}

/// AC power of one node in every kind, W, once it is steady in this work.
std::vector<double> InferenceLoad::node_kind_W(const workload::Timeline& timeline) {
  fleet::FleetState state = idle_state(node_, std::vector<double>{inlet_K_});
  fleet::FleetSignals signals = make_signals(node_);
  fleet::FleetMeters unbooked;
  fleet::FleetTask task;
  fleet::set_kinds(task, timeline, node_.types[0], reference_Hz_);
  task.node_class = {0};
  task.class_gate_Hz = {0.0};
  task.class_busy = {1};
  task.class_window = {fleet::worst_window(timeline, 0, task.kind_reference_W, node_.types[0].governor.window_s)};
  const std::vector<double> inlet = {inlet_K_};
  task.inlet_K = inlet;
  task.air_J_per_m3_K = air_J_per_m3_K;
  task.repetitions = std::max<std::int64_t>(1, settling / timeline.period);
  std::vector<double> out(timeline.kinds.size(), 0.0);
  fleet::KindTemperatureOffsets offsets;
  const std::array nominal_W = {node_.types[0].usual.cap_W};
  for (int i = 0; i < 8; ++i) {
    predict(node_, state, task, nominal_W, seconds(settling), signals);
    fleet::own_clocks(node_, state, task, seconds(settling), signals);
    auto maps = fleet::make_class_maps(node_, state, signals, task, &offsets);
    maps[0].leakage.apart.clear();  // the mean of a kind is needed
    const auto power = fleet::advance_periodic(node_, state, signals, unbooked, task, maps);
    for (std::size_t s = 0; s < power[0].size(); ++s) out[timeline.classes[0][s].kind] = power[0][s];
  }
  return out;
}

/// Replicas in phases of their own over one period.
connection::LoadTemplate InferenceLoad::spread_phases(const workload::Timeline& timeline,
                                                      const std::vector<double>& node_W) const {
  const std::int64_t n_phase = std::min(n_replica_, most_phases);
  const double share = static_cast<double>(gpus_per_replica_) / static_cast<double>(node_.n_gpu_per_node) *
                       (static_cast<double>(n_replica_) / static_cast<double>(n_phase));
  workload::Timeline all{timeline.kinds, {}, timeline.period};
  fleet::ClassPower power;
  for (std::int64_t r = 0; r < n_phase; ++r) {
    const double u =
        random::uniform(seed_, random::Purpose::jitter, phase_entity | entity_, static_cast<std::uint64_t>(r));
    const auto shift = static_cast<Tick>(u * static_cast<double>(timeline.period));
    auto turned = fleet::slice(timeline, shift, timeline.period).classes[0];
    const auto rest = fleet::slice(timeline, 0, shift);
    turned.insert(turned.end(), rest.classes[0].begin(), rest.classes[0].end());
    auto& W = power.emplace_back();
    for (const auto& s : turned) W.push_back(share * node_W[s.kind]);
    all.classes.push_back(std::move(turned));
  }
  return connection::make_load_template(all, power);
}

void InferenceLoad::extend(std::int64_t h) {
  while (static_cast<std::int64_t>(hours_.size()) <= h) {
    for (const auto& hour : service_.day(pace_, backlog_)) {
      const auto timeline = at_most_100_s(hour.timeline);
      hours_.push_back(
          {spread_phases(timeline, node_kind_W(timeline)), hour.served_per_s * static_cast<double>(n_replica_)});
      backlog_ = hour.backlog;
    }
  }
}

const connection::LoadTemplate& InferenceLoad::hour(std::int64_t h) {
  extend(h);
  return hours_[static_cast<std::size_t>(h)].load;
}

double InferenceLoad::served_per_s(std::int64_t h) {
  extend(h);
  return hours_[static_cast<std::size_t>(h)].served_per_s;
}

}  // namespace TIDEWATT_NAMESPACE::sim
