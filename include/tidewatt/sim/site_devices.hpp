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
  std::optional<power::RackStorageParams> rack_storage;
  StoragePer storage_per = StoragePer::gpu;
  bool storage_from_rack = false;  ///< its energy per GPU is that of the halls' racks (power.storage_J)
  std::optional<power::ConverterChainParams> response;
  std::optional<power::UpsParams> ups;
  std::int64_t n_ups = 0;  ///< 0: as many as the design load needs
  std::optional<power::GeneratorParams> generators;
  double start_after_s = 0.0, utility_good_s = 0.0, transfer_gap_s = 0.0;  ///< see power::BackupParams
  std::optional<power::TurbineParams> turbines;
  std::optional<grid::RideThroughCurve> ride_through;
  std::optional<grid::ReturnParams> back;
  std::optional<power::TransformerParams> hall_transformer, site_transformer;  ///< watched for hot spot and ageing
  std::vector<grid::RuleSet> rules;
  double rules_from_s = 0.0, rules_until_s = 0.0;  ///< part of the run that is checked; until 0: to the run's end
  double figure_spread_frac = 0.0;                 ///< relative uncertainty of every figure, half width
  /// The keys of the site that belong to no device.
  void fields(FieldVisitor& v);
};

}  // namespace TIDEWATT_NAMESPACE::sim
