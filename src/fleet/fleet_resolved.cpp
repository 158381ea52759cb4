#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/parallel.hpp"
#include "fleet_block.hpp"
#include "package_batch.hpp"
#include "task.hpp"
#include "tidewatt/base/math.hpp"

namespace TIDEWATT_NAMESPACE::fleet {
namespace {

using namespace detail;

struct Scratch {
  std::vector<std::uint32_t> used;
  std::vector<KindPower> powers;
  std::vector<LaneWatts> watts;         // [node of the block × kind]
  std::vector<WattBounds> bounds;       // [kind]
  std::vector<PackageBlock> packages;   // [node of the block]
  std::vector<double> lane_W;           // [node of the block][segment][lane]
  std::array<NodeBooks, n_lane> books;  // [node of the block]
  Air air;
};

constexpr std::size_t n_slot = n_package_lane;

/// The kernel's view of a block: one of its blocks per node.
void fill_kernel_inputs(const FleetTask& task, const Block& b, const Packages& before, Scratch& s) {
  const std::size_t n_kind = task.timeline->kinds.size();
  s.watts.assign(b.n_node * n_kind, {});
  s.packages.resize(b.n_node);
  for (std::size_t n = 0; n < b.n_node; ++n) {
    auto& p = s.packages[n];
    p.modes = &b.type->modes[s.air.mode_step[n]];
    for (std::size_t i = 0; i < n_slot; ++i) {
      const std::size_t l = n * b.n_gpu + std::min(i, b.n_gpu - 1);
      p.store_K[0][i] = before.die_K[l];
      p.store_K[1][i] = before.base_K[l];
      p.store_K[2][i] = before.sink_K[l];
      p.air_K[i] = s.air.air_K[l];
      p.resistance_ratio[i] = before.r[l];
      for (std::size_t k = 0; k < s.used.size(); ++k) {
        auto& w = s.watts[n * n_kind + s.used[k]];
        w.fixed_W[i] = s.powers[k].fixed_W[l];
        w.leakage_W[i] = s.powers[k].leakage_W[l];
      }
    }
  }
}

void book_segments(const FleetState& state, const Block& b, const FleetTask& task, const Scratch& s,
                   const Packages& before, NodeBooks* books, double* segment_W, std::size_t widest) {
  const auto& segments = task.timeline->classes[b.cls];
  const bool busy = task.class_busy[b.cls] != 0;
  std::vector<const KindPower*> kind_power(task.timeline->kinds.size(), nullptr);
  for (std::size_t k = 0; k < s.used.size(); ++k) kind_power[s.used[k]] = &s.powers[k];
  for (std::size_t n = 0; n < b.n_node; ++n) {
    NodeBooks& book = books[n];
    const bool off = any_node_off(state, b) && state.off[b.node[n]] != 0;
    for (std::size_t i = 0; i < segments.size(); ++i) {
      const double d = seconds(segments[i].duration);
      const double* watts = &s.lane_W[(n * segments.size() + i) * n_slot];
      const KindPower& kind = *kind_power[segments[i].kind];
      double gpu_W = 0.0;
      for (std::size_t slot = 0; slot < b.n_gpu; ++slot) {
        gpu_W += watts[slot];
        const std::size_t l = n * b.n_gpu + slot;
        if (kind.low_W > 0.0)
          book.burn +=
              std::max(0.0, watts[slot] - kind.natural(l, b.type->gpu.leakage_temperature_factor(before.guess_K[l]))) *
              d;
      }
      const bool busy_host = busy && task.kind_context[segments[i].kind] != 0;
      const auto p = task.dark || (off && gpu_W == 0.0)
                         ? power::ServerPower{}
                         : power::server_power_by_cube(b.type->server, gpu_W, s.air.fan_cube[n], busy_host);
      segment_W[b.index[n] * widest + i] = p.ac_W;
      book.ac_in += p.ac_W * d;
      book.conversion += p.conversion_W * d;
      book.host += p.host_W * d;
      book.fan += p.fan_W * d;
      book.psu += p.psu_W * d;
      book.reference += task.kind_reference_W[segments[i].kind] * d;
    }
  }
}

/// What the step left each mode away from where its mean power would have left it, had it repeated for ever.
/// @param start over the air at the step's mean, as the kernel takes it
void set_ripple(FleetState& state, const thermal::PackageModes& m, const std::array<double, 3>& start_K,
                const std::array<double, 3>& end_K, double r, std::size_t g, double mean_W, double step_s) {
  for (std::size_t j = 0; j < n_mode; ++j) {
    double z0 = 0.0, z1 = 0.0;
    for (std::size_t store = 0; store < 3; ++store) {
      z0 += m.inverse[j][store] * start_K[store] / r;
      z1 += m.inverse[j][store] * end_K[store] / r;
    }
    const double decay = math::exp(-m.rate_per_s[j] * step_s);
    state.ripple_K[j][g] = (z1 - decay * z0) / (1.0 - decay) - m.gain_K_per_J[j] * mean_W / m.rate_per_s[j];
  }
}

/// Effect on a package of air that drifts by 1 K/s through a step, relative to the kernel's constant air at its mean:
///   z(t) = slope ((t/2) e^{−λt} − (1 − e^{−λt})/λ),  T(t) = t/2 + Σ shape z.
struct Drift {
  std::array<double, 3> end_K{};  ///< of the stores
  double die_mean_K = 0.0, heat_J = 0.0;
};
Drift drift_of(const thermal::PackageModes& modes, double step_s) {
  NodeModes<1> of;
  ModeSteps<1> m;
  const auto* row = &modes;
  set_node_modes(&row, 1, of);
  for (std::size_t j = 0; j < n_mode; ++j) m.left[j][0] = decayed(modes.rate_per_s[j] * step_s);
  set_mode_steps(of, step_s, 1, m);
  const double half_s = 0.5 * step_s;
  Drift out;
  out.end_K.fill(half_s);
  for (std::size_t j = 0; j < n_mode; ++j) {
    const double z = modes.uniform[j] * (half_s * (1.0 - m.left[j][0]) - m.spent_s[j][0]),
                 area = modes.uniform[j] * (half_s * m.spent_s[j][0] - m.rest_s[j][0]);
    for (std::size_t k = 0; k < 3; ++k) out.end_K[k] += modes.shape[k][j] * z;
    out.die_mean_K += m.die[j][0] * area;
    out.heat_J += m.heat[j][0] * area;
  }
  return out;
}

void store_results(FleetState& state, FleetSignals& signals, const FleetTask& task, const Block& b, const Scratch& s,
                   const Packages& before, NodeBooks* books, Lanes& heat_J) {
  const auto& pkg = b.type->package;
  const double step_s = seconds(task.timeline->period);
  const bool repeats = task.repeats && !task.slice;
  for (std::size_t n = 0; n < b.n_node; ++n) {
    const Drift drift = drift_of(*s.air.modes[n], step_s);
    for (std::size_t slot = 0; slot < b.n_gpu; ++slot) {
      const auto& p = s.packages[n];
      const std::size_t l = n * b.n_gpu + slot, g = b.gpu[l];
      const double moves = s.air.K_per_s[l];
      auto& book = books[n];
      book.gpu_in += p.gpu_J[slot];
      state.die_K[g] = p.store_K[0][slot] + moves * drift.end_K[0];
      state.base_K[g] = p.store_K[1][slot] + moves * drift.end_K[1];
      state.sink_K[g] = p.store_K[2][slot] + moves * drift.end_K[2];
      book.package_stored += (pkg.die_J_per_K * (state.die_K[g] - before.die_K[l]) +
                              pkg.base_J_per_K * (state.base_K[g] - before.base_K[l]) +
                              pkg.sink_J_per_K * (state.sink_K[g] - before.sink_K[l])) /
                             before.r[l];
      heat_J[l] = p.air_J[slot] + moves / before.r[l] * drift.heat_J;
      const double mean_W = p.gpu_J[slot] / step_s;
      if (!task.slice) state.mean_W[g] = mean_W;
      if (repeats) {
        const double air_K = s.air.air_K[l];
        set_ripple(state, *s.air.modes[n],
                   {before.die_K[l] - air_K, before.base_K[l] - air_K, before.sink_K[l] - air_K},
                   {p.store_K[0][slot] - air_K, p.store_K[1][slot] - air_K, p.store_K[2][slot] - air_K}, before.r[l], g,
                   mean_W, step_s);
      }
      state.die_mean_K[g] = p.die_mean_K[slot] + moves * drift.die_mean_K;
      state.die_peak_K[g] = signals.hottest_K[g] = p.die_peak_K[slot];
      signals.gpu_J[g] = p.gpu_J[slot];
    }
  }
}

/// Clocks that move within a kind.
void add_courses(const Fleet& fleet, const FleetState& state, const FleetTask& task, std::vector<BatchPlan>& plans) {
  if (task.class_course.empty() || task.dark) return;
  const auto hall = fleet.node_hall[task.first_node];
  for (std::size_t c = 0; c < plans.size(); ++c) {
    const auto more_W = nominal_more_W(task, fleet.types[hall], state.controls[hall], c);
    for (std::size_t i = 0; i < more_W.size(); ++i) plans[c].steps[i].more_W = more_W[i];
  }
}

/// The means of the step just played: what fans follow in a part of an iteration, which draws another power than the whole.
void take_means(const Fleet& fleet, const Block& b, const Packages& before, const Scratch& s, double step_s,
                Prediction& means) {
  Lanes heat_J{};
  for (std::size_t n = 0; n < b.n_node; ++n) {
    const Drift drift = drift_of(*s.air.modes[n], step_s);
    for (std::size_t slot = 0; slot < b.n_gpu; ++slot) {
      const std::size_t l = n * b.n_gpu + slot;
      const double moves = s.air.K_per_s[l];
      means.die_K[l] = s.packages[n].die_mean_K[slot] + moves * drift.die_mean_K;
      heat_J[l] = s.packages[n].air_J[slot] + moves / before.r[l] * drift.heat_J;
    }
  }
  fill_unused(b, means.die_K);
  means.front_W = front_W(fleet, b, heat_J, step_s);
}

void play_block(const Fleet& fleet, FleetState& state, FleetSignals& signals, const FleetTask& task, const Block& b,
                const BatchPlan& plan, Scratch& s, NodeBooks& sum, double* segment_W, std::size_t widest) {
  NodeBooks* books = s.books.data();
  std::fill_n(books, b.n_node, NodeBooks{});
  const double step_s = seconds(task.timeline->period);
  const Packages before = load_packages(fleet, state, signals, b);
  Prediction means = predicted(fleet, state, task, b, step_s, s.air);
  gated_powers(fleet, state, signals, task, b, before.guess_K, s.used, s.powers);
  s.lane_W.resize(b.n_node * plan.steps.size() * n_slot);
  BatchOptions options;
  if (std::any_of(s.bounds.begin(), s.bounds.end(),
                  [](const auto& x) { return x.low_W > 0.0 || std::isfinite(x.high_W); }))
    options.bounds = s.bounds;
  options.lane_W = s.lane_W;
  const power::LeakageLaw leakage = b.type->gpu.leakage();
  constexpr int most_pass = 3;
  for (int i = task.slice ? 0 : most_pass - 1; i < most_pass; ++i) {
    set_air(state, task, b, step_s, before.r, means.fan_before_frac, means.die_K, means.front_W, s.air);
    fill_kernel_inputs(task, b, before, s);
    advance_packages(plan, leakage, s.watts, s.packages, options);
    if (i + 1 < most_pass) take_means(fleet, b, before, s, step_s, means);
  }
  book_segments(state, b, task, s, before, books, segment_W, widest);
  Lanes heat_J{};
  store_results(state, signals, task, b, s, before, books, heat_J);
  finish_nodes(fleet, state, signals, b, s.air, step_s, heat_J, books);
  sum = sum_of_nodes(books, b.n_node);
}

}  // namespace

ClassPower advance_resolved(const Fleet& fleet, FleetState& state, FleetSignals& signals, FleetMeters& meters,
                            const FleetTask& task) {
  const auto& classes = task.timeline->classes;
  const std::size_t n_kind = task.timeline->kinds.size();
  std::size_t widest = 0;
  for (const auto& c : classes) widest = std::max(widest, c.size());
  std::vector<double> segment_W(n_node_of(task) * widest);
  const auto& blocks = blocks_of(fleet, task);
  std::vector<NodeBooks> books(blocks.size());
  // The timeline is graded already: one step per segment.
  constexpr StepGrading whole{std::numeric_limits<Tick>::max() / 4, std::numeric_limits<Tick>::max() / 4, 1};
  std::vector<BatchPlan> plans;
  for (const auto& c : classes) {
    plans.push_back(make_batch_plan(c, whole));
    plans.back().n_kind = static_cast<std::uint32_t>(n_kind);
  }
  add_courses(fleet, state, task, plans);
  parallel_ranges(blocks.size(), task.n_thread, [&](std::size_t begin, std::size_t end) {
    Scratch s;
    for (std::size_t k = 0; k < n_kind; ++k) s.bounds.push_back({task.kind_low_W[k], task.kind_high_W[k]});
    for (std::size_t i = begin; i < end; ++i) {
      s.used.clear();
      std::vector<std::uint8_t> seen(n_kind, 0);
      for (const auto& seg : classes[blocks[i].cls])
        if (std::exchange(seen[seg.kind], std::uint8_t{1}) == 0) s.used.push_back(seg.kind);
      play_block(fleet, state, signals, task, blocks[i], plans[blocks[i].cls], s, books[i], segment_W.data(), widest);
    }
  });
  book(meters, books);
  ClassPower out(classes.size());
  for (std::size_t c = 0; c < classes.size(); ++c) out[c].assign(classes[c].size(), 0.0);
  for (std::size_t n = 0; n < n_node_of(task); ++n) {
    auto& sum = out[task.node_class[n]];
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += segment_W[n * widest + i];
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::fleet
