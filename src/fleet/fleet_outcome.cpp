// What a jump did to every GPU of a block, into state and signals.
#include <algorithm>
#include <cmath>

#include "fleet_jump.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::fleet::detail {
namespace {

/// Difference of the warmest repetition to the mean of all: dies follow their sinks from one to the next, and a sink's
/// temperature at
/// the start, the end and in the middle of all repetitions (its mean by the heat that it gave, and the ripple of a repetition) make a
/// parabola
///     T(u) = T0 + (T1 - T0 - c) u + c u²,  c = 3 (T0 + T1) - 6 mean,
/// seen at the middles of the n repetitions, u = 1/2n … 1 - 1/2n.
TIDEWATT_CLONES
Lanes sink_swing(const Block& b, const Course& course, const Packages& before, const Lanes& now_K, const Air& air,
                 const Pass& pass) {
  const double first = 0.5 / course.repetitions, last = 1.0 - first;
  Lanes out, per_heat, shape[n_mode];
  for (std::size_t i = 0; i < b.n_node; ++i) {
    const auto& modes = *air.modes[i];
    std::fill_n(per_heat.x + i * b.n_gpu, b.n_gpu, 1.0 / (modes.sink_air_W_per_K * course.step_s));
    for (std::size_t j = 0; j < n_mode; ++j) std::fill_n(shape[j].x + i * b.n_gpu, b.n_gpu, modes.shape[2][j]);
  }
  for (auto* of : {&per_heat, &shape[0], &shape[1], &shape[2]}) fill_unused(b, *of);
  TIDEWATT_LANE_LOOP
  for (std::size_t l = 0; l < n_lane; ++l) {
    // A block has at least one node. NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult)
    double over_air_K = pass.heat_J[l] * per_heat[l];
    over_air_K = std::fma(shape[0][l], pass.ripple_K[0][l], over_air_K);
    over_air_K = std::fma(shape[1][l], pass.ripple_K[1][l], over_air_K);
    over_air_K = std::fma(shape[2][l], pass.ripple_K[2][l], over_air_K);
    const double mean_K = std::fma(before.r[l], over_air_K, air.air_K[l]), start_K = before.sink_K[l];
    const double bend_K = 3.0 * (start_K + now_K[l]) - 6.0 * mean_K, slope_K = now_K[l] - start_K - bend_K;
    const double vertex = bend_K < -1e-9 ? -0.5 * slope_K / bend_K : first;
    const double late = vertex > first ? vertex : first, top = vertex < last ? late : first;
    const double base_K = start_K - mean_K, at_first = std::fma(first, std::fma(first, bend_K, slope_K), base_K),
                 at_top = std::fma(top, std::fma(top, bend_K, slope_K), base_K),
                 at_last = std::fma(last, std::fma(last, bend_K, slope_K), base_K);
    const double a = at_first > at_top ? at_first : at_top, most = a > at_last ? a : at_last;
    out[l] = most > 0.0 ? most : 0.0;
  }
  return out;
}

/// Dies in what happens once, at the instants at which nominal chips of their class are hottest, see OncePeak.
Lanes once_peak_K(const ClassMap& map, const Block& b, const Packages& before, const Scratch& s, const Lanes& now_K) {
  Lanes out = now_K;
  for (const OncePeak& once : map.peak.once) {
    Lanes rise_K{};
    for (std::size_t i = 0; i < map.used.size(); ++i)
      for (std::size_t l = 0; l < n_lane; ++l)
        rise_K[l] = std::fma(once.K_per_W[map.used[i]], s.watts[i][l], rise_K[l]);
    for (std::size_t i = 0; i < b.n_node; ++i) {
      const auto& modes = *s.air.modes[i];
      std::array<double, n_mode> left{};  // [store] of it, at the die
      for (std::size_t m = 0; m < n_mode; ++m)
        for (std::size_t k = 0; k < n_mode; ++k) left[k] += modes.shape[0][m] * once.left[m] * modes.inverse[m][k];
      for (std::size_t l = i * b.n_gpu; l < (i + 1) * b.n_gpu; ++l) {
        const double air_K = s.air.air_K[l], r = before.r[l];
        const double begin_K = left[0] * (before.die_K[l] - air_K) + left[1] * (before.base_K[l] - air_K) +
                               left[2] * (before.sink_K[l] - air_K);
        const double own_K = std::fma(once.leak_K_per_W, s.mean_leak_W[l], rise_K[l] + once.within_K);
        out[l] = std::max(out[l], std::fma(r, own_K, now_K[l] + begin_K));
      }
    }
  }
  return out;
}

/// How mean powers moved with the dies' mean temperatures from the jump before: leakage up, and with it the clock of all down. Kept where
/// temperatures hardly moved.
TIDEWATT_CLONES
void learn_slopes(const Lanes& mean_W, const Lanes& mean_K, const Block& b, FleetState& state) {
  constexpr double least_K = 0.2, most_W_per_K = 1.0;
  const Lanes before_W = gather(state.mean_W.data(), b), before_K = gather(state.die_mean_K.data(), b);
  Lanes slope = gather(state.W_per_K.data(), b);
  for (std::size_t l = 0; l < n_lane; ++l) {
    const double moved_K = mean_K[l] - before_K[l], seen = (mean_W[l] - before_W[l]) / moved_K;
    const double held = seen < -most_W_per_K ? -most_W_per_K : seen > most_W_per_K ? most_W_per_K : seen;
    const double kept = std::abs(moved_K) > least_K ? held : slope[l];
    slope[l] = std::isnan(slope[l]) ? 0.0 : kept;
  }
  scatter(slope, b, state.W_per_K.data());
}

}  // namespace

TIDEWATT_CLONES
void store_step(FleetState& state, FleetSignals& signals, const FleetTask& task, const ClassMap& map, const Block& b,
                const Course& course, const Packages& before, const Scratch& s, const Pass& pass, const Lanes& gpu_J) {
  scatter(gpu_J, b, signals.gpu_J.data());
  Lanes peak_K;
  if (!task.slice) {
    Lanes mean_W;
    const double per_s = 1.0 / (course.step_s - course.pause_s), pause_s = course.n_pause > 0.0 ? course.pause_s : 0.0;
    for (std::size_t l = 0; l < n_lane; ++l)
      mean_W[l] = (gpu_J[l] - (pause_s > 0.0 ? s.pause_W[l] * pause_s : 0.0)) * per_s;
    if (task.repeats && course.n_pause == 0.0) learn_slopes(mean_W, pass.mean_K, b, state);
    scatter(mean_W, b, state.mean_W.data());
  }
  if (map.repeats && course.n_pause == 0.0)
    for (std::size_t j = 0; j < n_mode; ++j) scatter(pass.ripple_K[j], b, state.ripple_K[j].data());
  scatter(pass.mean_K, b, state.die_mean_K.data());
  if (map.repeats) {
    // Of the chip's own powers: a leaky one works hotter, so it also falls further when work stops.
    Lanes rise_K{};
    for (std::size_t i = 0; i < map.used.size(); ++i)
      for (std::size_t l = 0; l < n_lane; ++l)
        rise_K[l] = std::fma(map.peak.K_per_W[map.used[i]], s.watts[i][l], rise_K[l]);
    for (std::size_t l = 0; l < n_lane; ++l)
      rise_K[l] = std::fma(map.leakage.peak_K_per_W, s.mean_leak_W[l], rise_K[l]) + map.within.peak_K;
    if (course.n_pause > 0.0) {
      // A step may end just after a pause, so the sink's end gives no parabola. The warmest repetition is half of the air's change above the
      // mean.
      const double half_s = 0.5 * course.step_s;
      for (std::size_t l = 0; l < n_lane; ++l)
        peak_K[l] = std::fma(before.r[l], rise_K[l], pass.worked_K[l]) + half_s * std::abs(s.air.K_per_s[l]);
    } else {
      const Lanes swing_K = sink_swing(b, course, before, gather(state.sink_K.data(), b), s.air, pass);
      for (std::size_t l = 0; l < n_lane; ++l)
        peak_K[l] = std::fma(before.r[l], rise_K[l], pass.worked_K[l]) + swing_K[l];
    }
  } else {
    const Lanes now_K = gather(state.die_K.data(), b);
    for (std::size_t l = 0; l < n_lane; ++l) peak_K[l] = std::max({before.die_K[l], pass.mean_K[l], now_K[l]});
  }
  scatter(peak_K, b, state.die_peak_K.data());
  // The governor holds means of repetitions, so it sees the peak about the mean. What a die rose while a repetition happened once is above
  // that.
  if (!map.repeats || (course.n_pause == 0.0 && course.repetitions < 1.5)) {
    const Lanes risen_K = once_peak_K(map, b, before, s, gather(state.die_K.data(), b));
    if (map.repeats) peak_K = risen_K;
    for (std::size_t l = 0; l < n_lane; ++l) peak_K[l] = std::max(peak_K[l], risen_K[l]);
  }
  scatter(peak_K, b, signals.hottest_K.data());
}

}  // namespace TIDEWATT_NAMESPACE::fleet::detail
