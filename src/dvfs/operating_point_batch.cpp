#include "operating_point_batch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "phase_law.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::dvfs {
namespace {

// GPUs worked on together: enough independent Newton searches to hide the latency of division and table look-up; or fewer, for single
// GPUs and those of one node. Not eight: such a loop is unrolled before anything makes vectors of it.
constexpr std::size_t chunk = 32, few = 16;

// Coefficients of G (see the header) that a window, a gate and a GPU type fix.
struct Coefficients {
  double a0, a1, e0, e1, h;
  power::SwitchingLaw switching;
  power::LeakageLaw leakage;
  double falling_W_per_Hz;  ///< see OperatingPointBatch
};

// G is the excess over the phase's lines in the stretch, times the clock.
Coefficients coefficients(const power::GpuModel& gpu, const PhaseMix& mix, double reference_Hz, double gate_Hz) {
  const ActivityLaw activity(gpu.params());
  auto line = PhaseLine::of(activity, mix);
  if (gate_Hz > 0.0) line = line.gated(activity, mix.matrix_s * (reference_Hz / gate_Hz));
  return {line.matrix_s * reference_Hz,
          line.other_s,
          line.active_s * reference_Hz,
          line.other_active_s,
          transfer_J(gpu.params(), mix),
          gpu.switching(),
          gpu.leakage(),
          0.0};
}

/// What limits a GPU with power to spare.
Limiter at_top(const power::GpuModel& gpu, double top_Hz) {
  return top_Hz < gpu.clock_max_Hz() ? Limiter::clock : Limiter::none;
}

template <std::size_t N>
struct alignas(64) Lanes {
  double f[N], lo[N], hi[N], leak_W[N], offset_V[N], spare_W[N], falling_W[N];
  std::int64_t running[N];
};

// One safeguarded Newton step of every lane that still runs. Returns nonzero while any does.
template <std::size_t N>
TIDEWATT_INLINE std::int64_t newton(const power::GpuModel::Grid& grid, const Coefficients& c, double lowest_Hz,
                                    double top_Hz, Lanes<N>& s) {
  std::int64_t any = 0;
  // In stages: each is short enough for the processor to work on several vectors of it at once, and keeps its numbers in registers.
  alignas(64) double of_V[N], of_slope[N], of_leak_W[N];
  for (std::size_t g = 0; g < N; ++g) {
    const auto table = grid.voltage(s.f[g]);
    of_V[g] = table.V + s.offset_V[g];
    of_slope[g] = table.slope_V_per_Hz;
  }
  for (std::size_t g = 0; g < N; ++g) of_leak_W[g] = s.leak_W[g] * c.leakage.voltage_factor(of_V[g]);
  for (std::size_t g = 0; g < N; ++g) {
    const double f = s.f[g];
    const double V = of_V[g], leak_W = of_leak_W[g], slope_V_per_Hz = of_slope[g];
    const double falling_W = std::fma(c.falling_W_per_Hz, f, s.falling_W[g]);
    const bool falls = falling_W < s.spare_W[g];
    const double steady_W = leak_W - (falls ? falling_W : s.spare_W[g]);
    const double length = std::fma(c.a1, f, c.a0);
    const double active = std::fma(c.e1, f, c.e0);
    const double dyn_W = c.switching.factored_W(V, f);
    const double G = std::fma(length, steady_W, std::fma(dyn_W, active, c.h * f));
    const double leak_slope =
        std::fma(c.leakage.slope_W_per_V(leak_W), slope_V_per_Hz, falls ? -c.falling_W_per_Hz : 0.0);
    const double dyn_slope = c.switching.factored_slope_W_per_Hz(V, slope_V_per_Hz, f);
    const double slope =
        std::fma(c.a1, steady_W, std::fma(length, leak_slope, std::fma(dyn_slope, active, std::fma(dyn_W, c.e1, c.h))));
    const bool above = G > 0.0;
    const double hi = above ? f : s.hi[g], lo = above ? s.lo[g] : f;
    const double step_to = f - G / slope;
    // The bracket's ends start beyond the allowed range, which says that no end has been looked at yet: a step that
    // leaves the bracket goes to that end first, and halves the bracket afterwards (the V/f table has kinks).
    const double half = 0.5 * (lo + hi);
    const double down = lo < lowest_Hz ? lowest_Hz : half;
    const double up = hi > top_Hz ? top_Hz : half;
    const double fallback = above ? down : up;
    const bool inside = (step_to >= lo) & (step_to <= hi) & (step_to > lowest_Hz) & (step_to < top_Hz);
    const double next = inside ? step_to : fallback;
    const double moved = std::abs(next - f);
    const bool at_end = (above & (f <= lowest_Hz)) | (!above & (f >= top_Hz));
    const bool go = s.running[g] != 0;
    const bool on = go & !at_end;
    s.f[g] = on ? next : f;
    s.lo[g] = go ? lo : s.lo[g];
    s.hi[g] = go ? hi : s.hi[g];
    const std::int64_t left = (on & !(moved <= (inside ? 1e-6 : 1e-12) * f)) ? 1 : 0;
    s.running[g] = left;
    any |= left;
  }
  return any;
}

// GPUs side by side; lanes beyond the end repeat the last. A full batch is copied without looking which lanes there are.
template <std::size_t N>
TIDEWATT_INLINE void take(const OperatingPointBatch& b, std::size_t first, std::size_t n, Lanes<N>& s, double* ratio,
                          double* die_K) {
  const power::Chip* chip = &b.chip[first];
  const auto fill = [&](std::size_t end) {
    for (std::size_t i = 0; i < end; ++i) ratio[i] = chip[i].leakage_ratio, s.offset_V[i] = chip[i].voltage_offset_V;
    std::copy_n(&b.die_K[first], end, die_K);
    std::copy_n(&b.limit_W[first], end, s.spare_W);
    std::copy_n(&b.clock_Hz[first], end, s.f);
  };
  if (n == N) return fill(N);
  fill(n);
  for (std::size_t i = n; i < N; ++i) {
    ratio[i] = ratio[n - 1], s.offset_V[i] = s.offset_V[n - 1];
    die_K[i] = die_K[n - 1], s.spare_W[i] = s.spare_W[n - 1], s.f[i] = s.f[n - 1];
  }
}

template <std::size_t N>
TIDEWATT_INLINE void solve(const power::GpuModel& gpu, const Coefficients& coefficients, double lowest_Hz,
                           double top_Hz, std::size_t first, std::size_t n, const OperatingPointBatch& b) {
  const Coefficients c = coefficients;
  Lanes<N> s;
  const auto grid = gpu.grid();
  const auto& p = gpu.params();
  alignas(64) double die_K[N], ratio[N];
  take(b, first, n, s, ratio, die_K);
  const double board_W = p.board_W;
  const double falling_W = b.falling_W - board_W, per_leakage = b.falling_per_leakage;
  for (std::size_t i = 0; i < N; ++i) {
    const double start = s.f[i];
    s.f[i] = ((start > lowest_Hz) & (start < top_Hz)) ? start : top_Hz;
    s.lo[i] = 0.0;
    s.hi[i] = 2.0 * top_Hz;
    s.leak_W[i] = c.leakage.ref_W * ratio[i] * c.leakage.temperature_factor(die_K[i]);
    s.spare_W[i] -= board_W;
    s.falling_W[i] = std::fma(per_leakage, s.leak_W[i], falling_W);
    s.running[i] = 1;
  }
  for (int i = 0; i < 60; ++i)
    if (newton(grid, c, lowest_Hz, top_Hz, s) == 0) break;
  const Limiter free = at_top(gpu, top_Hz);
  // A lane that ended at the top with power to spare never lowered its upper end.
  Limiter limiter[N];
  for (std::size_t i = 0; i < N; ++i) limiter[i] = ((s.hi[i] > top_Hz) & (s.f[i] >= top_Hz)) ? free : Limiter::power;
  std::copy_n(s.f, n, &b.clock_Hz[first]);
  std::copy_n(limiter, n, &b.limiter[first]);
}

TIDEWATT_CLONES
void solve_chunk(const power::GpuModel& gpu, const Coefficients& c, double lowest_Hz, double top_Hz, std::size_t first,
                 std::size_t n, const OperatingPointBatch& b) {
  if (n <= few)
    solve<few>(gpu, c, lowest_Hz, top_Hz, first, n, b);
  else
    solve<chunk>(gpu, c, lowest_Hz, top_Hz, first, n, b);
}

/// Extremes of a batch. `start_Hz`: where the lowest search begins.
struct Extremes {
  double leakage_ratio, offset_V, die_K, least_W, most_W, start_Hz;
};
TIDEWATT_CLONES
void find_extremes(const OperatingPointBatch& b, double lowest_Hz, double top_Hz, Extremes& out) {
  constexpr std::size_t together = 8;  // side by side, so that no comparison waits for the one before it
  double ratio[together], offset_V[together], die_K[together], least_W[together], most_W[together], start_Hz[together];
  const auto larger = [](double a, double x) { return a < x ? x : a; };
  const auto smaller = [](double a, double x) { return x < a ? x : a; };
  for (std::size_t u = 0; u < together; ++u) {
    ratio[u] = b.chip[0].leakage_ratio, offset_V[u] = b.chip[0].voltage_offset_V, die_K[u] = b.die_K[0];
    least_W[u] = most_W[u] = b.limit_W[0], start_Hz[u] = top_Hz;
  }
  const power::Chip* chip = b.chip.data();
  const double *die = b.die_K.data(), *limit_W = b.limit_W.data(), *clock_Hz = b.clock_Hz.data();
  const auto see = [&](std::size_t u, std::size_t g) {
    ratio[u] = larger(ratio[u], chip[g].leakage_ratio), offset_V[u] = larger(offset_V[u], chip[g].voltage_offset_V);
    die_K[u] = larger(die_K[u], die[g]);
    least_W[u] = smaller(least_W[u], limit_W[g]), most_W[u] = larger(most_W[u], limit_W[g]);
    start_Hz[u] = clock_Hz[g] > lowest_Hz ? smaller(start_Hz[u], clock_Hz[g]) : start_Hz[u];
  };
  const std::size_t n = b.chip.size();
  std::size_t first = 0;
  for (; first + together <= n; first += together) {
    TIDEWATT_LANE_LOOP
    for (std::size_t u = 0; u < together; ++u) see(u, first + u);
  }
  for (; first < n; ++first) see(0, first);
  out = {ratio[0], offset_V[0], die_K[0], least_W[0], most_W[0], start_Hz[0]};
  for (std::size_t u = 1; u < together; ++u)
    out = {larger(out.leakage_ratio, ratio[u]), larger(out.offset_V, offset_V[u]), larger(out.die_K, die_K[u]),
           smaller(out.least_W, least_W[u]),    larger(out.most_W, most_W[u]),     smaller(out.start_Hz, start_Hz[u])};
}

/// Slope of the steepest part of the V/f table.
double steepest_V_per_Hz(const power::GpuPowerParams& p) {
  double out = 0.0;
  for (std::size_t i = 1; i < p.vf_clock_Hz.size(); ++i)
    out = std::max(out, (p.vf_voltage_V[i] - p.vf_voltage_V[i - 1]) / (p.vf_clock_Hz[i] - p.vf_clock_Hz[i - 1]));
  return out;
}

/// Whether every ungated search goes straight to the top and ends there, as those of ranks that only wait do: then nothing need be
/// searched. Where `steady` is the most that steady power is above its limit, all GPUs and clocks f up to the top have
///     G ≤ −B f,  B = −steady (a₁ + a₀/top) − c V² (e₀ + e₁ top) − h,    dG/df ≤ rise.
/// From where G falls, a step goes below its clock; from where it rises, beyond the top if B f > rise (top − f): either leaves the
/// bracket, and so goes to the top, where G < 0 ends the search.
bool all_at_top(const power::GpuModel& gpu, const Coefficients& c, double lowest_Hz, double top_Hz,
                const OperatingPointBatch& b) {
  const auto& p = gpu.params();
  if (b.chip.empty() || b.falling_W < std::numeric_limits<double>::infinity()) return false;
  const double top_V = gpu.voltage(top_Hz).V, active = c.e0 + c.e1 * top_Hz, length = c.a0 + c.a1 * top_Hz;
  // By the first GPU's limit, before looking at all of them.
  const double W_per_V2_Hz = c.switching.W_per_V2_Hz;
  if (!(W_per_V2_Hz * top_V * top_V * active + c.h < 0.8 * (b.limit_W[0] - p.board_W) * length / top_Hz)) return false;
  Extremes x;
  find_extremes(b, lowest_Hz, top_Hz, x);
  const double V = top_V + x.offset_V, steepest = steepest_V_per_Hz(p);
  const double leak_W = c.leakage.ref_W * x.leakage_ratio * c.leakage.temperature_factor(x.die_K) *
                        c.leakage.voltage_factor(V),
               steady_W = leak_W - (x.least_W - p.board_W);
  const double per_Hz = W_per_V2_Hz * V * V;
  const double B = -steady_W * (c.a1 + c.a0 / top_Hz) - per_Hz * active - c.h;
  const double rise = c.a1 * steady_W + c.leakage.slope_W_per_V(length * leak_W) * steepest +
                      W_per_V2_Hz * V * (2.0 * steepest * top_Hz + V) * active + per_Hz * top_Hz * c.e1 + c.h;
  const double margin = 1e-3 * c.a1 * (x.most_W - p.board_W);  // far above rounding; G falls no steeper than 1000 of it
  return V > 0.0 && steady_W < 0.0 && margin > 0.0 && B > margin &&
         B * x.start_Hz > 1.01 * rise * (top_Hz - x.start_Hz);
}

struct PhaseCoefficients {
  PhaseLine line;
  ActivityLaw activity;
  double transfer_J, gated_s, gated_ratio;
};

PhaseCoefficients phase_coefficients(const power::GpuPowerParams& p, const PhaseMix& m, double reference_Hz,
                                     double gate_Hz) {
  const bool gated = gate_Hz > 0.0;
  const ActivityLaw activity(p);
  return {PhaseLine::of(activity, m), activity, transfer_J(p, m), gated ? m.matrix_s * (reference_Hz / gate_Hz) : 0.0,
          gated ? 1.0 : 0.0};
}

// Voltage, switching power at activity 1 and leakage of each GPU at its clock.
TIDEWATT_CLONES
void clock_powers(const power::GpuModel& gpu, const power::Chip* chip, const double* clock_Hz, std::size_t n,
                  double* dynamic_W, double* leakage_W) {
  const auto grid = gpu.grid();
  const power::SwitchingLaw switching = gpu.switching();
  const power::LeakageLaw leakage = gpu.leakage();
  double table_V[chunk], f[chunk];  // local: a look-up cannot alias what the loop writes
  std::copy(clock_Hz, clock_Hz + n, f);
  for (std::size_t g = 0; g < n; ++g) table_V[g] = grid.voltage(f[g]).V;
  for (std::size_t g = 0; g < n; ++g) {
    const double V = table_V[g] + chip[g].voltage_offset_V;
    dynamic_W[g] = switching.factored_W(V, f[g]);
    leakage_W[g] = leakage.ref_W * chip[g].leakage_ratio * leakage.voltage_factor(V);
  }
}

TIDEWATT_CLONES
void phase_means(const PhaseCoefficients& phase, double board_W, double reference_Hz, const double* clock_Hz,
                 const double* dynamic_W, std::size_t n, double* fixed_W) {
  const PhaseCoefficients c = phase;
  for (std::size_t g = 0; g < n; ++g) {
    const double stretch = reference_Hz / clock_Hz[g];
    const double busy_s = c.line.matrix_s * stretch;
    const double slack_s = std::fma(-c.gated_ratio, busy_s, c.gated_s);
    const double equivalent_s = c.line.equivalent_s(stretch, c.activity, slack_s);
    fixed_W[g] = board_W + std::fma(dynamic_W[g], equivalent_s, c.transfer_J) / (busy_s + slack_s + c.line.other_s);
  }
}

}  // namespace

void operating_points(const power::GpuModel& gpu, const PhaseMix& window, double reference_Hz, double gate_Hz,
                      double max_Hz, const OperatingPointBatch& b) {
  const std::size_t n = b.chip.size();
  if (b.die_K.size() != n || b.limit_W.size() != n || b.clock_Hz.size() != n || b.limiter.size() != n)
    throw InputError("operating points: arrays of one length are needed");
  Coefficients c = coefficients(gpu, window, reference_Hz, gate_Hz);
  c.falling_W_per_Hz = b.falling_W_per_Hz;
  const double lowest_Hz = std::max(gpu.clock_min_Hz(), gate_Hz);
  const double top_Hz = std::max(lowest_Hz, max_Hz);
  if (gate_Hz == 0.0 && all_at_top(gpu, c, lowest_Hz, top_Hz, b)) {
    std::fill_n(b.clock_Hz.begin(), n, top_Hz);
    std::fill_n(b.limiter.begin(), n, at_top(gpu, top_Hz));
    return;
  }
  for (std::size_t first = 0; first < n; first += chunk)
    solve_chunk(gpu, c, lowest_Hz, top_Hz, first, std::min(chunk, n - first), b);
}

void phase_powers(const power::GpuModel& gpu, std::span<const power::Chip> chip, std::span<const PhaseMix> mix,
                  double reference_Hz, std::span<const double> clock_Hz, double gate_Hz, std::span<double> fixed_W,
                  std::span<double> leakage_W) {
  if (clock_Hz.size() != chip.size() || leakage_W.size() != chip.size() || fixed_W.size() != mix.size() * chip.size())
    throw InputError("phase powers: the arrays' lengths do not fit together");
  double dynamic_W[chunk];
  for (std::size_t first = 0; first < chip.size(); first += chunk) {
    const std::size_t n = std::min(chunk, chip.size() - first);
    clock_powers(gpu, &chip[first], &clock_Hz[first], n, dynamic_W, &leakage_W[first]);
    for (std::size_t k = 0; k < mix.size(); ++k)
      phase_means(phase_coefficients(gpu.params(), mix[k], reference_Hz, gate_Hz), gpu.params().board_W, reference_Hz,
                  &clock_Hz[first], dynamic_W, n, &fixed_W[k * chip.size() + first]);
  }
}

}  // namespace TIDEWATT_NAMESPACE::dvfs
