#pragma once
#include <limits>
#include <string>
#include <vector>

#include "grid/load_settings.hpp"
#include "tidewatt/catalog/catalog.hpp"
#include "tidewatt/sim/site_devices.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// A site's load for model records: its parts with settings and powers, and what has none.
struct SiteLoad {
  std::vector<grid::LoadSettings> parts;
  double site_W = 0.0;            ///< at the connection, mean
  double remainder_W = 0.0;       ///< without settings: cooling plant, losses
  std::string from;               ///< where the settings come from, in words
  std::vector<std::string> open;  ///< values missing in the settings
};

/// Where a site's settings come from beside its scenario.
struct LoadSource {
  std::string settings{};  ///< entry of kind load_settings, or a file of the user's own; empty: what the scenario names
  std::string overlay{};   ///< folder of the user's catalog files
  /// Largest input current of the supplies over that at nominal voltage; infinite: as in the settings.
  double current_limit_pu = std::numeric_limits<double>::infinity();
};

/// Part of a run on which its rules and grid figures are measured (site.rules_from_s, site.rules_until_s).
struct RatedPart {
  double from_s = 0.0, until_s = 0.0;
  double length_s() const { return until_s - from_s; }  ///< of the part
};
/// @param text Scenario::text of the run  @param end_s of the run
RatedPart rated_part(const std::string& text, double end_s);

/// Effects on the connection's power that no record of the load represents, as text.
std::vector<std::string> unheld_devices(const sim::SiteDevices& devices);

/// The devices that a scenario's text names under [site], with its base and overrides; jobs, halls and weather are
/// not read. @param text Scenario::text  @throws InputError with everything that is wrong under [site]
sim::SiteDevices devices_of(const std::string& text, const std::string& overlay);

/// Settings of a catalog entry or a file. @throws InputError with everything that is wrong
std::vector<grid::LoadSettings> find_load_settings(const std::string& name_or_file, const std::string& overlay);

/// Assumed values of a catalog entry of settings, with their ranges, as `load_settings.NAME.KEY`; of a file none.
std::vector<catalog::AssumedInput> assumed_settings(const std::string& name_or_file, const std::string& overlay);

/// A site's load at given powers. Without settings of its own: supplies (site.ups) carry the whole site and act by their
/// window; load settings (site.load_settings) act for the whole site; else servers are built to the ITIC curve, and plant and losses are
/// the remainder.
/// @param servers_W, site_W at the servers' inputs and at the connection  @throws InputError
SiteLoad site_load(const sim::SiteDevices& devices, double servers_W, double site_W, const LoadSource& source);

/// The same of a result file, at the run's mean powers: no recorded window and no instant matters.
/// @throws InputError
SiteLoad result_load(const std::string& result, const LoadSource& source);

}  // namespace TIDEWATT_NAMESPACE::study
