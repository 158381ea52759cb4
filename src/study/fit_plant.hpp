#pragma once
#include <vector>

#include "entry_base.hpp"
#include "tidewatt/cooling/weather.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// A plant's electric power in steady hours: all of it, or its parts. NaN: not in the table.
struct PlantReading {
  double time_s, it_W;
  cooling::WeatherSample outdoor;
  double plant_W, fan_W, pump_W, chiller_W, rejection_W;
};

/// Coefficients of a plant that its power shows, each with the entry's range before: of water plants the chillers' efficiency, rated fans, pumps and
/// controls; of outside-air plants the fans' efficiency, controls, pumps and the media's effectiveness. The forward model is the plant itself, in
/// steady operation. Readings with parts constrain each part by itself.
/// @param rated_it_W  heat that the plant is built for  @throws InputError for a plant without machines or fewer readings than coefficients
Posterior fit_plant(const EntryBase& base, double rated_it_W, const std::vector<PlantReading>& readings);

/// Power of the plant and its parts under one reading's load and weather, W: all, fans, pumps, chillers, rejection.
/// @param p [parameter] of plant_priors
std::vector<double> plant_reading_W(const EntryBase& base, double rated_it_W, const PlantReading& reading,
                                    std::span<const double> p);
/// The coefficients of this type of plant, [parameter]. @throws InputError for a plant without machines
std::vector<PriorParameter> plant_priors(const EntryBase& base);

}  // namespace TIDEWATT_NAMESPACE::study
