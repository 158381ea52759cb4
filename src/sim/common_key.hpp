#pragma once
// Names of assumed inputs that hold for every hall, job and item of a list.
#include <string>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// A key path without the name of its hall or job and without the number of a list's item: `hall.a.gpu.power.leakage_W` is
/// `hall.gpu.power.leakage_W`.
std::string common_key(std::string key);

/// A change of a headline below this is none: lists leave such inputs out. Dimensionless, of the headline.
inline constexpr double least_effect_frac = 1e-3;

/// The largest change of any headline that an assumed input has made alone in the shipped scenarios, over its range
/// (assumed_effects.toml), |K / K_run − 1|, dimensionless; NaN: it was not moved there.
double known_effect_frac(const std::string& key);

}  // namespace TIDEWATT_NAMESPACE::sim
