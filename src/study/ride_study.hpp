#pragma once
#include <limits>
#include <string>

#include "rule_study.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::study {

struct RideOptions {
  std::string rule;     ///< name in the catalog, or a file
  std::string overlay;  ///< catalog folder; empty: none
  /// Settings of the load, an entry of kind load_settings or a file; empty: what the scenario names.
  std::string settings{};
  std::string sag;        ///< measured voltage to apply, COMTRADE .cfg or .cff; empty: none
  std::string channel{};  ///< name or number of its one channel to judge; empty: every voltage
  /// Largest input current over that at nominal voltage; infinite: constant power.
  double current_limit_pu = std::numeric_limits<double>::infinity();
  double connection_V = 0.0;  ///< voltage at the connection, for thresholds that depend on it; 0: not stated
  double voltage_pu = 1.0, duration_s = 0.0;  ///< a sag of one's own; duration 0: none
  std::int64_t n_sag = 1;                     ///< so many of it …
  double every_s = 0.0;                       ///< … which begin so far apart
  double instant_s = 0.0;                     ///< its begin within an iteration of the largest job
  std::int64_t n_phase = 3;                   ///< faulted phases of that sag; below 3 the transformer must be stated
  /// Between connection and load: "wye_wye" or "delta_wye". The bands are then judged in sags of one and two phases, too.
  std::string transformer{};
  bool as_if = false;  ///< judge also if the rule does not apply
};

/// An answer with its picture.
struct RideStudy : RuleAnswer {
  std::string svg;  ///< the rule's curve with the site's points; empty if it was not judged
};

/// Whether a site rides through the sags of a rule (grid/ride_verdict.hpp): a verdict per band and the setting to change.
/// @param file name of the scenario, for the answer
/// @throws InputError for an unknown rule, one without a ride-through part, or a record that cannot be read
RideStudy ride(const sim::Scenario& scenario, const std::string& file, const RideOptions& options);

}  // namespace TIDEWATT_NAMESPACE::study
