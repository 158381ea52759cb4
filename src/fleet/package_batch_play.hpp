#pragma once
// How package_batch.hpp reaches its inner loops. Private to fleet.
#include "package_batch_body.hpp"

namespace TIDEWATT_NAMESPACE::fleet::detail {

/// Blocks stepped side by side: a step is a chain of some hundred cycles, so one block alone leaves the units idle.
inline constexpr std::size_t n_together = 4;

struct PlayArguments {
  const BatchPlan& plan;
  double exponent_per_K;
  const LaneWatts* watts;      ///< [block × n_kind]
  const PackageBlock* blocks;  ///< for their modes
  std::size_t n_block;         ///< at most n_together
  const BatchOptions& options;
  double* lane_W;  ///< [block][step][lane] or null
  double* tables;  ///< scratch, [block][row][length]
  Work* work;
};
using Player = void (*)(const PlayArguments&);

/// The inner loops for one instruction set. @throws InputError if this processor or build does not have it
Player player(InstructionSet set);

/// Highest rise of the die inside a step of `d` seconds in which no power changes; no less than the step's ends.
/// @param mode_K at the step's start  @param rW power × resistance ratio
double inner_peak(const thermal::PackageModes& m, const std::array<double, n_mode>& mode_K, double rW, double d);

}  // namespace TIDEWATT_NAMESPACE::fleet::detail
