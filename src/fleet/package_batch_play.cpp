#include "package_batch_play.hpp"

#include <algorithm>
#include <numbers>

#include "tidewatt/base/error.hpp"

// The same inline body under three targets. Where functions cannot be given targets there is one version.
#if defined(__x86_64__) && defined(__GNUC__)
#define TIDEWATT_TARGETS 1
#endif

namespace TIDEWATT_NAMESPACE::fleet {
namespace detail {
namespace {

template <bool Bounded, bool Extra>
TIDEWATT_INLINE void step(const PlayArguments& a, const BatchStep& s, std::size_t i, std::size_t b) {
  const std::size_t n_length = a.plan.length_s.size();
  const StepView view{a.tables + b * n_row * n_length,
                      n_length,
                      s.length,
                      a.plan.length_s[s.length],
                      a.exponent_per_K,
                      s.more_W,
                      a.watts + b * a.plan.n_kind + s.kind,
                      Bounded ? a.options.bounds[s.kind] : WattBounds{}};
  Work& w = a.work[b];
  if constexpr (!Extra) {
    step_block<Bounded, false>(view, w, nullptr);
  } else {
    double* recorded = a.lane_W ? a.lane_W + (b * a.plan.steps.size() + i) * n_package_lane : nullptr;
    if (!a.options.peak_inside) return step_block<Bounded, true>(view, w, recorded);
    const Work before = w;
    double watts[n_package_lane];
    step_block<Bounded, true>(view, w, watts);
    if (recorded) std::copy(watts, watts + n_package_lane, recorded);
    for (std::size_t g = 0; g < n_package_lane; ++g) {
      std::array<double, n_mode> y;
      for (std::size_t k = 0; k < n_mode; ++k) y[k] = before.mode_K[k][g];
      w.peak_K[g] = std::max(w.peak_K[g], inner_peak(*a.blocks[b].modes, y, w.r[g] * watts[g], view.length_s));
    }
  }
}

template <bool Bounded, bool Extra, std::size_t N>
TIDEWATT_INLINE void play_blocks(const PlayArguments& a, std::size_t first) {
  for (std::size_t i = 0; i < a.plan.steps.size(); ++i) {
    const BatchStep s = a.plan.steps[i];
    for (std::size_t b = 0; b < N; ++b) step<Bounded, Extra>(a, s, i, first + b);
  }
}

template <bool Bounded, bool Extra>
TIDEWATT_INLINE void play_all(const PlayArguments& a) {
  if (a.n_block == n_together)
    play_blocks<Bounded, Extra, n_together>(a, 0);
  else
    for (std::size_t b = 0; b < a.n_block; ++b) play_blocks<Bounded, Extra, 1>(a, b);
}

TIDEWATT_INLINE void play(const PlayArguments& a) {
  const std::size_t n_length = a.plan.length_s.size();
  for (std::size_t b = 0; b < a.n_block; ++b)
    tabulate(*a.blocks[b].modes, a.exponent_per_K * std::numbers::ln2, a.plan.length_s.data(), n_length,
             a.tables + b * n_row * n_length);
  const bool bounded = !a.options.bounds.empty(), extra = a.lane_W || a.options.peak_inside;
  if (extra)
    bounded ? play_all<true, true>(a) : play_all<false, true>(a);
  else
    bounded ? play_all<true, false>(a) : play_all<false, false>(a);
}

void play_sse2(const PlayArguments& a) { play(a); }
#ifdef TIDEWATT_TARGETS
__attribute__((target("arch=x86-64-v3"))) void play_avx2(const PlayArguments& a) { play(a); }
__attribute__((target("arch=x86-64-v4"))) void play_avx512(const PlayArguments& a) { play(a); }
#endif

}  // namespace

Player player(InstructionSet set) {
  const auto known = instruction_sets();
  if (std::find(known.begin(), known.end(), set) == known.end())
    throw InputError("this processor does not have the instruction set asked for");
#ifdef TIDEWATT_TARGETS
  if (set == InstructionSet::avx512) return play_avx512;
  if (set == InstructionSet::avx2) return play_avx2;
#endif
  return play_sse2;
}

}  // namespace detail

std::vector<InstructionSet> instruction_sets() {
  std::vector<InstructionSet> out = {InstructionSet::sse2};
#ifdef TIDEWATT_TARGETS
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512cd");
  if (avx2) out.push_back(InstructionSet::avx2);
  if (avx2 && avx512) out.push_back(InstructionSet::avx512);
#endif
  return out;
}

InstructionSet best_instruction_set() { return instruction_sets().back(); }

}  // namespace TIDEWATT_NAMESPACE::fleet
