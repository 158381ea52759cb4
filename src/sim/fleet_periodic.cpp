#include <algorithm>

#include "fleet_node.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/base/parallel.hpp"
#include "tidewatt/base/simd.hpp"

namespace tidewatt::sim {
namespace {

using namespace detail;

/// Per-thread scratch, so that the node loop allocates nothing.
struct Scratch {
  std::array<std::vector<double>, n_mode> weight_s;
  std::vector<KindPower> powers;
  std::vector<double> watts;  // [slot × n_used + i]
};

/// One pass over a node's GPUs: powers at the assumed mean temperatures, the map, the resulting means.
struct Pass {
  Lanes mean_K{}, heat_J{}, front{};
  std::array<std::array<double, n_mode>, max_gpu> start{}, end{};
};

struct Repetition {
  double total_s, decay[n_mode], sum[n_mode];  // e^{−λTM} and Σ_{i<M} e^{−λTi}
};

TIDEWATT_INLINE Repetition repetition(const thermal::PackageModes& m, double period_s, std::int64_t n) {
  Repetition r{period_s * static_cast<double>(n), {}, {}};
  for (std::size_t k = 0; k < n_mode; ++k) {
    const double x = m.rate_per_s[k] * period_s;
    const double y = m.rate_per_s[k] * r.total_s;
    r.decay[k] = math::exp(-y);
    r.sum[k] = static_cast<double>(n) * math::mean_decay(y) / math::mean_decay(x);
  }
  return r;
}

TIDEWATT_CLONES
void run_pass(const Fleet& fleet, const FleetState& state, const FleetTask& task, const ClassMap& map,
              const NodeStep& step, std::span<const double> assumed_K, Scratch& s, Pass& out) {
  const auto& m = *step.modes;
  const auto& gpu = step.type.gpu;
  const std::size_t n_used = map.used.size();
  const Repetition rep = repetition(m, map.period_s, task.repetitions);
  interpolate_weights(map, m.rate_per_s, s.weight_s);
  s.watts.resize(step.n_gpu * n_used);
  for (std::size_t slot = 0; slot < step.n_gpu; ++slot) {
    const std::size_t g = step.first_gpu + slot;
    const double r = fleet.resistance_ratio[g];
    const double air_K = step.air_K(fleet, slot);
    const double factor = gpu.leakage_temperature_factor(assumed_K[slot]);
    std::array<double, n_mode> drive{};
    double period_J = 0.0;
    for (std::size_t i = 0; i < n_used; ++i) {
      const std::uint32_t k = map.used[i];
      const double rise = gpu.params().leakage_per_K * r * map.kind_rise_K[k];
      const double watts = s.powers[slot * n_used + i].at(factor * math::exp(rise));
      s.watts[slot * n_used + i] = watts;
      period_J += watts * map.kind_s[k];
      for (std::size_t j = 0; j < n_mode; ++j) drive[j] = std::fma(watts, s.weight_s[j][i], drive[j]);
    }
    const double total_J = period_J * static_cast<double>(task.repetitions);
    auto& z = out.end[slot];
    out.start[slot] = to_modes(m, state.die_K[g], state.base_K[g], state.sink_K[g], air_K, r);
    double die_Ks = 0.0, sink_Ks = 0.0;
    for (std::size_t j = 0; j < n_mode; ++j) {
      const double z0 = out.start[slot][j];
      z[j] = std::fma(rep.decay[j], z0, m.gain_K_per_J[j] * drive[j] * rep.sum[j]);
      const double area = (m.gain_K_per_J[j] * total_J - (z[j] - z0)) / m.rate_per_s[j];
      die_Ks = std::fma(m.shape[0][j], area, die_Ks);
      sink_Ks = std::fma(m.shape[2][j], area, sink_Ks);
    }
    out.mean_K[slot] = air_K + r * die_Ks / rep.total_s;
    out.heat_J[slot] = m.sink_air_W_per_K * sink_Ks;
  }
}

double front_W(const Fleet& fleet, const NodeStep& step, const Pass& pass) {
  double J = 0.0;
  for (std::size_t slot = 0; slot < step.n_gpu; ++slot)
    if (!fleet.rear(slot)) J += pass.heat_J[slot];
  return J / step.step_s;
}

TIDEWATT_CLONES
void commit(const Fleet& fleet, FleetState& state, FleetSignals& signals, const ClassMap& map, const NodeStep& step,
            const FleetTask& task, const Scratch& s, const Pass& pass, NodeBooks& books, double* kind_ac_W) {
  const auto& m = *step.modes;
  const auto& pkg = step.type.package;
  const std::size_t n_used = map.used.size();
  const double n_rep = static_cast<double>(task.repetitions);
  for (std::size_t slot = 0; slot < step.n_gpu; ++slot) {
    const std::size_t g = step.first_gpu + slot;
    const double r = fleet.resistance_ratio[g];
    const double air_K = step.air_K(fleet, slot);
    const double die = air_K + r * from_modes(m, 0, pass.end[slot]);
    const double base = air_K + r * from_modes(m, 1, pass.end[slot]);
    const double sink = air_K + r * from_modes(m, 2, pass.end[slot]);
    books.package_stored += (pkg.die_J_per_K * (die - state.die_K[g]) + pkg.base_J_per_K * (base - state.base_K[g]) +
                             pkg.sink_J_per_K * (sink - state.sink_K[g])) / r;
    state.die_K[g] = die;
    state.base_K[g] = base;
    state.sink_K[g] = sink;
    state.die_mean_K[g] = pass.mean_K[slot];
    state.die_peak_K[g] = pass.mean_K[slot] + r * map.peak_rise_K;
    double gpu_J = 0.0;
    for (std::size_t i = 0; i < n_used; ++i) gpu_J += s.watts[slot * n_used + i] * map.kind_s[map.used[i]] * n_rep;
    signals.gpu_J[g] = gpu_J;
    books.gpu_in += gpu_J;
  }
  for (std::size_t i = 0; i < n_used; ++i) {
    const std::uint32_t k = map.used[i];
    const double spent_s = map.kind_s[k] * n_rep;
    double gpu_W = 0.0;
    for (std::size_t slot = 0; slot < step.n_gpu; ++slot) {
      gpu_W += s.watts[slot * n_used + i];
      const auto& p = s.powers[slot * n_used + i];
      if (p.low_W > 0.0) {
        const double natural_W = p.natural(step.type.gpu.leakage_temperature_factor(pass.mean_K[slot]));
        books.burn += std::max(0.0, s.watts[slot * n_used + i] - natural_W) * spent_s;
      }
    }
    const auto p = power::server_power(step.type.server, gpu_W, step.fan_mean_frac, task.class_busy[step.cls] != 0);
    kind_ac_W[k] = p.ac_W;
    books.ac_in += p.ac_W * spent_s;
    books.conversion += p.conversion_W * spent_s;
    books.host += p.host_W * spent_s;
    books.fan += p.fan_W * spent_s;
    books.psu += p.psu_W * spent_s;
    books.reference += task.kind_reference_W[k] * spent_s;
  }
  finish_node(fleet, state, signals, step, books, pass.heat_J);
}

}  // namespace

ClassPower advance_periodic(const Fleet& fleet, FleetState& state, FleetSignals& signals, FleetMeters& meters,
                            const FleetTask& task, std::span<const ClassMap> maps) {
  const auto& classes = task.timeline->classes;
  const std::size_t n_kind = task.timeline->kinds.size();
  const double step_s = seconds(task.timeline->period) * static_cast<double>(task.repetitions);
  std::vector<NodeBooks> books(fleet.n_node());
  std::vector<double> kind_ac_W(fleet.n_node() * n_kind, 0.0);
  parallel_ranges(fleet.n_node(), task.n_thread, [&](std::size_t begin, std::size_t end) {
    Scratch scratch;
    for (std::size_t n = begin; n < end; ++n) {
      const std::uint32_t cls = task.node_class[n];
      const ClassMap& map = maps[cls];
      const std::size_t g = n * fleet.n_gpu_per_node;
      NodeStep step{fleet.types[fleet.node_hall[n]], n, g, fleet.n_gpu_per_node, cls, step_s};
      step.inlet_K = task.inlet_K[n];
      gated_powers(fleet, state, signals, task, step, map.used, scratch.powers);
      // Predictor with the last step's means, corrector with this step's own.
      std::span<const double> mean_K(state.die_mean_K.data() + g, step.n_gpu);
      double front = state.front_W[n];
      Pass pass[2];
      for (auto& p : pass) {
        step.set_fan(state.fan_frac[n], mean_K);
        step.set_rear(front, task.air_J_per_m3_K);
        run_pass(fleet, state, task, map, step, mean_K, scratch, p);
        mean_K = std::span<const double>(p.mean_K.data(), step.n_gpu);
        front = front_W(fleet, step, p);
      }
      commit(fleet, state, signals, map, step, task, scratch, pass[1], books[n], &kind_ac_W[n * n_kind]);
    }
  });
  book(meters, books);
  std::vector<double> class_kind_W(classes.size() * n_kind, 0.0);
  for (std::size_t n = 0; n < fleet.n_node(); ++n)
    for (std::size_t k = 0; k < n_kind; ++k) class_kind_W[task.node_class[n] * n_kind + k] += kind_ac_W[n * n_kind + k];
  ClassPower out(classes.size());
  for (std::size_t c = 0; c < classes.size(); ++c)
    for (const auto& s : classes[c]) out[c].push_back(class_kind_W[c * n_kind + s.kind]);
  return out;
}

}  // namespace tidewatt::sim
