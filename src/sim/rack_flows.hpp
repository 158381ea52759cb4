#pragma once
// Private to sim.
#include <cstddef>
#include <vector>

#include "fleet/site.hpp"
#include "tidewatt/base/tick.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// Racks with cold plates on the header that a hall's liquid loop feeds. Regulators keep every rack at its reference flow as long as the
/// pumps give enough; a blocked filter limits the flow of its own rack, and what that rack does not take is left to the others.
///
///     flow of rack r ÷ reference = min(1, pumps / (ṁ_ref Σ open)) open_r,    open_r = (1 − out) min(1, V̇_rack ρ / ṁ_ref)
///
/// V̇_rack is the flow of the hall's entry of kind rack, where it has one. Assumption: regulators keep the pressure across a rack whatever
/// the others take.
class RackFlows {
 public:
  RackFlows(const Scenario& scenario, const fleet::Fleet& fleet);
  /// Share of its plates' reference flow that a node's rack lets through.
  double open_frac(std::size_t node, Tick t) const;
  /// Mean of that over a hall: what its loop is asked for ÷ the reference flow of all plates.
  double asked_frac(std::size_t hall, Tick t) const;

 private:
  struct Blocked {
    std::size_t hall;
    std::uint32_t rack;  ///< counted over the site
    double share;        ///< of the hall's nodes
    Tick begin, end;
    double left_frac;
  };
  const fleet::Fleet& fleet_;
  std::vector<double> whole_frac_;  ///< [hall] without a blocked filter
  std::vector<Blocked> blocked_;
};

}  // namespace TIDEWATT_NAMESPACE::sim
