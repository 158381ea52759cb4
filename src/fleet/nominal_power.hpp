#pragma once
#include <vector>

#include "fleet_step.hpp"

namespace TIDEWATT_NAMESPACE::fleet {

/// Mean clock of a chip that the board's limits and its class's gate allow, at one die temperature, Hz. A step gives this clock to every
/// GPU whose die is below its thermal target.
double gated_clock_Hz(const FleetTask& task, const NodeType& type, const Controls& controls, std::size_t cls,
                      const power::Chip& of, double die_K);
/// Power of the nominal chip in every kind when its class is gated, at the die temperature `die_K`, W.
std::vector<double> nominal_kind_W(const FleetTask& task, const NodeType& type, const Controls& controls,
                                   std::size_t cls, double die_K);

/// A chip at its mean clock.
struct ChipAtClock {
  power::Chip chip;
  double clock_Hz;
  bool leads = false;  ///< no GPU is slower: it waits for none
};
/// Difference of a chip's power in each segment from the mean of its kind over the repetition, W, because its clock differs. Over the
/// whole repetition it adds no energy to any kind, but in a part of it it does. Empty: no difference.
/// @param cls number of the class  @param die_K its temperature, K  @param of the chip
std::vector<double> segment_more_W(const FleetTask& task, const NodeType& type, std::size_t cls, double die_K,
                                   const ChipAtClock& of);
/// The same of the nominal chip at nominal_die_K, which stands for the mean of its class, because courses are a plane over chips. Parts of
/// one repetition share what is found. @param cls number of the class
std::vector<double> nominal_more_W(const FleetTask& task, const NodeType& type, const Controls& controls,
                                   std::size_t cls);

/// Powers of the nominal chip of a class.
struct NominalPowers {
  std::vector<double> kind_W;     ///< [kind] as nominal_kind_W
  std::vector<double> leakage_W;  ///< [kind] of it: leakage, which follows the die; 0 where a bound holds the power
  std::vector<double> more_W;     ///< [segment] as nominal_more_W, whatever the die: as in the reference
};
/// All of them at the die temperature `die_K`.
NominalPowers nominal_powers(const FleetTask& task, const NodeType& type, const Controls& controls, std::size_t cls,
                             double die_K);

}  // namespace TIDEWATT_NAMESPACE::fleet
