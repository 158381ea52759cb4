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

/// Largest load that a feeder can carry with the given branches out, and the limit that binds.
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

}  // namespace TIDEWATT_NAMESPACE::power
