#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ride_verdict.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// "wye_wye" or "delta_wye"; empty: none is stated. @throws InputError for any other word
std::optional<Transformer> transformer_of(std::string_view word);

/// Voltages between phase and neutral at the load, [3], pu, in a sag of some phases to ground:
///
///     V_a = h, 1 or h;  V_b = a² (1, h or h);  V_c = a (1, h or h)      for one, two (b and c) and three phases, a = exp(j 120°)
///     wye-wye:   |V_a|, |V_b|, |V_c|
///     delta-wye: |V_a − V_b|/√3, |V_b − V_c|/√3, |V_c − V_a|/√3
///
/// @param level_pu h, remaining voltage of the faulted phases  @param n_phase faulted: 1, 2 or 3  @throws InputError if not
std::array<double, 3> phase_voltages(double level_pu, std::int64_t n_phase, Transformer transformer);

/// Units that see one voltage.
struct PhaseLoad {
  std::vector<LoadGroup> groups;
  double level_pu = 1.0;
};

/// What sees which voltage in a sag of some phases: units of three phases the lowest, a third of the units of one phase each
/// of the three. Parts without load are left out.
/// @param level_pu, n_phase, transformer as for `phase_voltages`  @throws InputError as there
std::vector<PhaseLoad> phase_loads(std::span<const LoadGroup> groups, double level_pu, std::int64_t n_phase,
                                   Transformer transformer);

/// A sag of some phases, once or several times: units of three phases judge the lowest, units of one phase their own.
/// Assumption: the current of a unit in the sag is that of a balanced one at the voltage that it judges.
/// @param level_pu, n_phase, transformer as for `phase_voltages`  @throws InputError as there
RidePoint play_phases(const RideRule& rule, std::span<const LoadGroup> groups, double nominal_Hz, double level_pu,
                      double duration_s, std::int64_t n_phase, Transformer transformer, Repetition repetition = {});

}  // namespace TIDEWATT_NAMESPACE::grid
