#pragma once
// One block's packages through one exact jump. Private to fleet.
#include <vector>

#include "fleet_block.hpp"

namespace TIDEWATT_NAMESPACE::fleet::detail {

/// A jump's legs in seconds; what does not depend on the block.
struct Course {
  struct Stretch {
    double s;            // whole length
    double repetitions;  // 0: a pause
  };
  std::vector<Stretch> legs;
  double step_s = 0.0, repetitions = 0.0, pause_s = 0.0, n_pause = 0.0;
};

/// Steps of a block's modes in a jump, and the weights of its kinds' powers in the means: see ModeSteps.
///   z1 = e^{−λt} z0 + g (S Σ P_kind w_kind + S_pause P_pause) − uniform dT_air/dt / r · left/λ
/// S sums e^{−λ (time from a repetition's end to the jump's end)}.
struct BlockCourse {
  using Row = std::array<double, n_lane>;                    ///< [node]
  std::array<const thermal::PackageModes*, n_lane> modes{};  ///< that it belongs to
  NodeModes<n_lane> of;
  ModeSteps<n_lane> step;
  std::array<Row, n_mode> gain, pause_gain;  ///< g S and g S_pause
  std::array<Row, n_mode> t;                 ///< of the cubic, see ClassMap
  Row die_pause, heat_pause;
};

/// Per-thread scratch, so that the loop over blocks allocates nothing.
struct Scratch {
  Lanes mean_leak_W;  // at the repetition's mean temperature × resistance ratio
  Lanes pause_rise, pause_W, pause_die_K{};
  KindPower pause;
  Air air;
  std::vector<KindPower> powers;
  std::vector<Lanes> rise;         // [used] e^{k_T r rise}: the kind's leakage over that at the mean temperature
  std::vector<Lanes> watts;        // [used]
  std::vector<double> ac_per_gpu;  // [used] AC power per watt of GPUs
  std::vector<double> die_weight, heat_weight;  // [node of the block][used, padded]
  std::vector<double> weight_s;                 // [mode][used, padded]
  std::vector<double> spent_s;                  // [used, pauses last]
  double* kind_ac_W = nullptr;                  // [used, pauses last] AC power of the block's nodes
  double* kind_leak_W = nullptr;                // [used] what of it follows the dies' leakage
  double* per_gpu_W = nullptr;                  // [used] AC power of the block per watt more of each of its GPUs
  double* segment_more_W = nullptr;             // [segment] AC power of the block beyond its kinds'
  std::array<NodeBooks, n_lane> books;          // [node of the block]
  BlockCourse course;
  bool leakage_follows = false;    // dies within a kind: no bound keeps the power
  std::array<bool, n_lane> off{};  // [node of the block] has switched itself off: no bound keeps its power up
};

/// What a jump does to a block's packages.
struct Pass {
  Lanes mean_K, worked_K;  // mean die temperatures, with the pauses and without
  Lanes heat_J, gpu_J;
  Modes end_K, ripple_K;  // stores, modes
};

/// From the predicted means on, this step's own until they no longer move the power: the block's packages at the jump's end.
/// Powers, rises and pauses of the kinds are in `s`.
void jump(const Fleet& fleet, const FleetState& state, const FleetSignals& signals, const FleetTask& task,
          const ClassMap& map, const Block& b, const Course& course, const Packages& before, Scratch& s, Pass& pass);

/// What the step did to every GPU, into state and signals. @param gpu_J electrical energy, J
void store_step(FleetState& state, FleetSignals& signals, const FleetTask& task, const ClassMap& map, const Block& b,
                const Course& course, const Packages& before, const Scratch& s, const Pass& pass, const Lanes& gpu_J);

}  // namespace TIDEWATT_NAMESPACE::fleet::detail
