#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "fleet_state.hpp"
#include "site.hpp"
#include "tidewatt/thermal/package.hpp"
#include "tidewatt/workload/timeline.hpp"

namespace TIDEWATT_NAMESPACE::fleet {

/// GPUs per vector: one AVX-512 register of doubles, one usual node.
inline constexpr std::size_t n_package_lane = 8;

/// Instruction sets that the kernel is compiled for. All give the same bits.
enum class InstructionSet : std::uint8_t { sse2, avx2, avx512 };
/// The best one that this processor has.
InstructionSet best_instruction_set();
/// All that this processor has, simplest first.
std::vector<InstructionSet> instruction_sets();

/// One step: a length out of the plan's table, at the power of one kind and `more_W` beyond it.
struct BatchStep {
  std::uint32_t length, kind;
  double more_W = 0.0;
};

/// The steps of one class over its period. Lengths are tabulated because an iteration repeats a few of them hundreds of
/// times and their exponentials are needed once per node.
struct BatchPlan {
  std::vector<double> length_s;  ///< distinct lengths, s
  std::vector<BatchStep> steps;
  std::uint32_t n_kind = 0;
};

/// How long steps after an edge may be: the first at most `first`, each later one up to `growth` times the one before,
/// none over `longest`. No step crosses an edge.
struct StepGrading {
  Tick first, longest;
  std::int64_t growth;
};
inline constexpr StepGrading production_grading{10 * ns_per_ms, 3600 * ns_per_s, 2};

/// @throws InputError if a length is not positive
BatchPlan make_batch_plan(std::span<const workload::Segment> segments, const StepGrading& grading);

using power::LeakageLaw;

/// Power of one kind in the lanes of one block: P = fixed + leakage·e^{k (T − T_ref)}, limited to low … high.
struct alignas(64) LaneWatts {
  double fixed_W[n_package_lane], leakage_W[n_package_lane];
};
struct WattBounds {
  double low_W, high_W;  ///< GPU smoothing; 0 and infinity: none
};

/// Eight packages that share a fan speed and a sequence of steps. Lanes beyond the node's GPUs have any valid package.
struct alignas(64) PackageBlock {
  double store_K[thermal::n_mode][n_package_lane];  ///< die first; in: at the start, out: at the end, K
  double air_K[n_package_lane];                     ///< air at the sink, K
  double resistance_ratio[n_package_lane];
  double gpu_J[n_package_lane];       ///< out: electrical energy
  double air_J[n_package_lane];       ///< out: heat given to the air, from the sink's own equation
  double die_mean_K[n_package_lane];  ///< out: mean die temperature
  double die_peak_K[n_package_lane];  ///< out: highest die temperature, edges included
  const thermal::PackageModes* modes;
};

struct BatchOptions {
  InstructionSet instruction_set = best_instruction_set();
  std::span<const WattBounds> bounds;  ///< [kind]; empty: no GPU smoothing
  /// Seeks the highest die temperature inside steps too (a die that jumps and then follows its cooling sink peaks
  /// between edges); without it, the peak is over the ends of steps.
  bool peak_inside = false;
  std::span<double> lane_W;  ///< out [block][step][lane]: mean power, W; empty: not wanted
};

/// Plays a plan on blocks of packages, exactly for the linear chain: with power P constant over a step d, in modes,
///
///     z ← e^{−λd} z + (1 − e^{−λd})/λ · g P        T_i = T_air + r Σ_k shape_ik z_k
///
/// Leakage couples P to T. Over a step it is taken at the die temperature that counts for the step's end (its mean weighted
/// with the die's own response; the middle, for short steps), predicted with the power at the step's start and leakage's
/// first-order growth: two evaluations, second order. Its exponential is good to 2e-14. Work per step does not depend on values, so the time
/// does not either, and results are the same bits for every instruction set, thread and order of blocks.
/// @param watts [block × n_kind]
/// @throws InputError if sizes do not fit together
void advance_packages(const BatchPlan& plan, const LeakageLaw& law, std::span<const LaneWatts> watts,
                      std::span<PackageBlock> blocks, const BatchOptions& options = {});

/// What a range of nodes of one hall does until the next governor sample.
struct NodesTask {
  const BatchPlan* plan = nullptr;
  std::span<const dvfs::PhaseMix> kind_mix;  ///< [kind]
  dvfs::PhaseMix window{};                   ///< work in the power limiter's window
  double reference_Hz = 0.0;
  double gate_Hz = 0.0;             ///< clock of the slowest GPU that all wait for; 0: none
  std::span<const double> inlet_K;  ///< [node of the fleet]
  double air_J_per_m3_K = 0.0;
  BatchOptions options{};  ///< lane_W: [node][step][lane]
};

/// One period of nodes [first_node, last_node): fan speed and rear inlet from the state before, each GPU's operating
/// point under its cap (or its waiting clock where gate_Hz > 0), the power of every kind there, then the plan's steps.
/// Sets the packages, fans and carried values of `state` and limiter and gpu_J of `signals`; counts no energy.
void advance_nodes(const Fleet& fleet, FleetState& state, FleetSignals& signals, const NodesTask& task,
                   std::size_t first_node, std::size_t last_node);

}  // namespace TIDEWATT_NAMESPACE::fleet
