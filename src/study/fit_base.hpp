#pragma once
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fit_log.hpp"
#include "fit_posterior.hpp"
#include "fit_telemetry.hpp"
#include "tidewatt/power/gpu.hpp"
#include "tidewatt/thermal/package.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// The base GPU entry of a fit: its tables, and the ranges of its assumed values.
struct FitBase {
  thermal::PackageParams package;
  power::GpuPowerParams power;
  std::map<std::string, std::pair<double, double>> range;  ///< by key, in the catalog's units
};
/// @param entry catalog name of kind gpu  @throws InputError if it lacks a table
FitBase fit_base(const std::string& entry);

/// Priors of leakage_W and leakage_frac_per_K: the catalog's ranges; where it has none, a factor of 2 and of 1.5 to either side.
std::array<PriorParameter, 2> leakage_priors(const FitBase& base);

struct FitRecord {
  std::string file;
  GpuTelemetry telemetry;
};
/// The chosen GPUs of all files. @throws InputError if there is none, with the nearest name
std::vector<FitRecord> fit_records(const FitGpuOptions& options);

}  // namespace TIDEWATT_NAMESPACE::study
