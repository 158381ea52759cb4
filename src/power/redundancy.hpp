#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tidewatt/power/feeder.hpp"

namespace TIDEWATT_NAMESPACE::power {

/// How many branches of each level may be out, and what the remaining ones may carry meanwhile.
struct RedundancyParams {
  std::array<std::int64_t, FeederParams::n_level> n_out{};
  std::array<double, FeederParams::n_level> loading_limit_frac{};  ///< of the rating of each remaining branch
  /// Breakers in front of each branch: current limit over the branch's rating, continuous; 0: none.
  std::array<double, FeederParams::n_level> breaker_frac{};
  double contract_W = 0.0;  ///< most that may be drawn at the connection; 0: not limited
  /// n_out = 0 (N), 1 (N+1), or half of the branches (2N), every branch to its rating.
  static RedundancyParams scheme(const FeederParams& feeder, std::int64_t spare, bool two_n);
};

/// The most load that a feeder carries with the given branches out, and what holds it there.
struct Capacity {
  double load_W = 0.0;        ///< of all nodes
  double connection_W = 0.0;  ///< drawn then
  std::string binds;          ///< "rack", "row", "hall", "site", "row breaker", …, "contract"
  struct Item {
    std::string name;
    double load_W = 0.0;  ///< that this item alone would allow
  };
  std::vector<Item> items;  ///< every limit, the tightest first
};

/// Bisection on the load of the tree with its branches removed: loading rises strictly with the load.
///
/// @param auxiliary_ratio cooling and other auxiliaries over the nodes' power, >= 0
/// @throws InputError if a level would have no branch left
Capacity capacity(const FeederParams& feeder, double auxiliary_ratio, const RedundancyParams& redundancy);

/// Loss as a polynomial of the load through three points of an efficiency curve:
/// loss/rating = a_0 + a_1 x + a_2 x², x = P/rating. What uninterruptible supplies, supplies and chains take.
struct LossCurve {
  double no_load_frac = 0.0, proportional_frac = 0.0, quadratic_frac = 0.0;
  /// Output over input at a loading > 0.
  double efficiency_frac(double loading_frac) const;
};
/// @param loading_frac three distinct loadings > 0  @param efficiency_frac at them, in (0, 1]  @throws InputError
/// Three of each.
LossCurve loss_curve(const std::array<double, 3>& loading_frac, const std::array<double, 3>& efficiency_frac);

}  // namespace TIDEWATT_NAMESPACE::power
