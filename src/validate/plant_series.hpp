#pragma once
// Trajectories of a simulation, one `name=[v0, v1, …]` per line, evenly spaced over `time=[a, b]`.
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::validate {

using PlantSeries = std::map<std::string, std::vector<double>>;

/// Empty where the file is absent. @throws InputError if a listed value is not a number
std::optional<PlantSeries> read_plant_series(const std::filesystem::path& file);

/// Largest distance between two trajectories over the points where `take` holds, over the range of the
/// whole reference; NaN where it holds nowhere.
double worst_of_range(const std::vector<double>& reference, const std::vector<double>& got,
                      const std::vector<bool>& take);

}  // namespace TIDEWATT_NAMESPACE::validate
