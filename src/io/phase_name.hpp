#pragma once
#include <string>
#include <string_view>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::io {

/// What a voltage channel's name says.
struct PhaseName {
  std::string bus;       ///< the name with a star in the place of its phase: "V*_L1" of VA_L1
  std::string phase;     ///< A, L2, 31, …; empty: none
  bool neutral = false;  ///< a neutral or a zero sequence
  bool voltage = false;  ///< has a word for a voltage: U or V, before the phase if there is one
  bool other = false;    ///< has a word for a current, a power or a frequency: I, P, Q, S, f
};

/// Phases are A B C, R S T, L1 L2 L3, 1 2 3 and pairs of them, behind U or V or as a word of their own.
/// @param phase the record's own field for it, which holds where it is one
PhaseName phase_name(std::string_view name, std::string_view phase);

}  // namespace TIDEWATT_NAMESPACE::io
