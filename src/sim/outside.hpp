#pragma once
// Private to sim: values set by a controller outside.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tidewatt/base/tick.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// How often a port was written with a new value. Not inside `Outside`: Clang refuses to default a nested class's pair there.
struct PortWrites {
  std::int64_t n = 0;
  Tick first = 0, last = 0;
  bool operator==(const PortWrites&) const = default;
  template <class A>
  void archive(A& a) {
    a(n, first, last);
  }
};

/// Values that a controller outside has given in place of the site's own, until it releases them. Caps and clock locks are in
/// `HallControls`.
struct Outside {
  std::vector<std::optional<double>> supply_K;                 ///< [hall] set point of its plant
  std::optional<double> outdoor_drybulb_K, outdoor_wetbulb_K;  ///< instead of the weather's
  std::optional<double> order_W;                               ///< the connection shall not draw more; by caps or tiers
  std::optional<double> storage_W;                             ///< of the site battery, positive: it charges
  std::optional<double> voltage_pu, frequency_Hz;              ///< at the connection
  std::vector<std::uint8_t> paused;                            ///< [job]
  /// Of energy from a time on; absent: the tariff's.
  struct Price {
    Tick from = 0;
    std::optional<double> USD_per_MWh;
    bool operator==(const Price&) const = default;
    template <class A>
    void archive(A& a) {
      a(from, USD_per_MWh);
    }
  };
  std::vector<Price> prices;                 ///< in order of time
  std::map<std::string, PortWrites> writes;  ///< by port
  bool operator==(const Outside&) const = default;
  template <class A>
  void archive(A& a) {
    auto& [supplies, drybulb, wetbulb, order, storage, voltage, frequency, jobs, energy, log] = *this;
    a(supplies, drybulb, wetbulb, order, storage, voltage, frequency, jobs, energy, log);
  }
};

}  // namespace TIDEWATT_NAMESPACE::sim
