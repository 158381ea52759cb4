#pragma once
// What a site's waveform costs. Private to bench.
#include <cstddef>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::bench::detail {

struct GridRate {
  double times_real_time = 0.0;  ///< simulated seconds per second of one core
  double growth_MB = 0.0;        ///< of resident memory from the first tenth to the end
};

/// A waveform of 100,000 GPUs at 1 ms, bin by bin, nothing in closed form: feeder, site battery with its control, voltage,
/// frequency, every meter (ramps, steps, bands, rainflow, both flickermeters, excursions, pyramid, spectrum).
GridRate grid_rate(double simulated_s);

}  // namespace TIDEWATT_NAMESPACE::bench::detail
