#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/version.hpp"
#include "tidewatt/grid/compliance.hpp"
#include "tidewatt/grid/ride_through.hpp"
#include "tidewatt/power/converter_chain.hpp"
#include "tidewatt/power/generator.hpp"
#include "tidewatt/power/rack_storage.hpp"
#include "tidewatt/power/transformer.hpp"
#include "tidewatt/power/ups.hpp"
#include "tidewatt/sim/kinds.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// Devices of a scenario's site besides its feeder. Parameters are those of the catalog entry, not yet scaled to the site.
struct TIDEWATT_API SiteDevices {
  std::optional<power::RackStorageParams> rack_storage;  ///< one store; absent: none
  StoragePer storage_per = StoragePer::gpu;              ///< what each store belongs to
  bool storage_from_rack = false;  ///< its energy per GPU is that of the halls' racks (power.storage_J)
  std::optional<power::ConverterChainParams>
      response;                         ///< converters between the nodes and the alternating current; absent: ideal
  std::optional<power::UpsParams> ups;  ///< one unit; absent: none
  std::int64_t n_ups = 0;               ///< 0: as many as the design load needs
  std::optional<power::GeneratorParams> generators;  ///< standby generators; absent: none
  double start_after_s = 0.0;                        ///< time of bad utility until generators are started
  double utility_good_s = 0.0;                       ///< time of good utility until the site returns to it
  double transfer_gap_s = 0.0;                       ///< open transition between the sources; the supplies bridge it
  std::optional<power::TurbineParams> turbines;      ///< turbines on the site; absent: none
  std::optional<grid::RideThroughCurve>
      ride_through;  ///< voltages and frequencies at which the site leaves the grid; absent: it stays
  std::optional<grid::ReturnParams> back;                    ///< how the load returns to the grid; with `ride_through`
  std::optional<power::TransformerParams> hall_transformer;  ///< watched for hot spot and ageing
  std::optional<power::TransformerParams> site_transformer;  ///< watched for hot spot and ageing
  std::vector<grid::RuleSet> rules;                          ///< rule sets that the run is compared with
  double rules_from_s = 0.0;        ///< rules and grid figures begin at this time, since the start of the run
  double rules_until_s = 0.0;       ///< rules and grid figures end at this time; 0: the end of the run
  double figure_spread_frac = 0.0;  ///< relative uncertainty of every figure, half width
  /// The keys of the site that belong to no device.
  void fields(FieldVisitor& v);
};

}  // namespace TIDEWATT_NAMESPACE::sim
