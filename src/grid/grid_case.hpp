#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "grid_system.hpp"
#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/node.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// Entry of kind grid_case: the files of a network and how its loads depend on voltage.
struct CaseParams {
  std::string raw;                     ///< name of the RAW file
  std::string dyr;                     ///< name of the DYR file
  double active_power_frac = 0.0;      ///< constant active power; the rest draws a constant impedance
  double active_current_frac = 0.0;    ///< constant active current
  double reactive_power_frac = 0.0;    ///< constant reactive power
  double reactive_current_frac = 0.0;  ///< constant reactive current
  void fields(FieldVisitor& v);
};

/// A power system of several machines with its controls and loads.
struct GridCase {
  PowerNetwork network;
  std::vector<DyrRecord> records;
  LoadMotion motion = {{}, {}, {1.0, 0.0}};  ///< the site draws constant power
  ShaftInput shaft = ShaftInput::torque;

  /// At rest with a site that draws nothing yet. @param site_bus number  @throws as GridSystem
  GridSystem system(std::int64_t site_bus) const;
  /// Whether a governor holds the frequency after a lasting change of load.
  bool governed() const;
};

/// Reads a case from a table such as a catalog entry of kind "grid_case". A file's name is below the entry's folder, else one of
/// the catalog's. Errors are added to `findings`; for a case whose machines are in its tables, the error names the files to replace it.
GridCase read_grid_case(const Node& node, const std::string& path, std::vector<Finding>& findings);

}  // namespace TIDEWATT_NAMESPACE::grid
