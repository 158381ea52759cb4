#pragma once
// Private to sim: values that a controller outside can read and write.
#include <functional>
#include <optional>
#include <vector>

#include "simulation.hpp"
#include "tidewatt/sim/port.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// Sums since the start of the run.
struct PortCounters {
  Tick at = 0;
  double pcc_J = 0.0, it_J = 0.0, cooling_J = 0.0, storage_J = 0.0;
  std::vector<double> tokens, job_J;  ///< [job]
  template <class A>
  void archive(A& a) {
    auto& [time, connection, servers, cooling, storage, work, jobs] = *this;
    a(time, connection, servers, cooling, storage, work, jobs);
  }
};
PortCounters count(Simulation& run);
/// What the sums grew by from `from` to `to`. @pre of one run
PortCounters difference(PortCounters to, const PortCounters& from);
/// Adds a share of sums; the time stays.
void add(PortCounters& to, double share, const PortCounters& more);

/// One port, and its functions.
struct PortEntry {
  using Held = std::optional<double>;
  Port port;
  std::function<Value(const Simulation&, const PortCounters& from, const PortCounters& to)> get;
  /// Written value in force; nothing: the site's own. For ports that can be written.
  std::function<Held(const Simulation&)> held;
  std::function<void(Simulation&, Held)> set;  ///< empty: read only
  bool is_switch = false;                      ///< takes 0 and 1 only
};
/// All ports of a run, in a fixed order.
std::vector<PortEntry> port_table(const Simulation& run);

}  // namespace TIDEWATT_NAMESPACE::sim
