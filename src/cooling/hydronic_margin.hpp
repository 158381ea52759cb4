#pragma once
#include "hydronic_flows.hpp"

namespace TIDEWATT_NAMESPACE::cooling::hydronic {

/// What a part of the plant has left.
struct PlantMargin {
  double frac;  ///< (available − requested) ÷ installed
  PlantPart part;
};

/// Smallest margin of the plant's parts. Where chillers or towers are used up, the cooling that the facility water lacks to its set point
/// counts below 0.
/// @param y state at a step's end  @param f its flows
PlantMargin margin_of(const HydronicParams& p, const Waters& waters, const PlantInput& input, const Flows& f,
                      std::span<const double> y);

}  // namespace TIDEWATT_NAMESPACE::cooling::hydronic
