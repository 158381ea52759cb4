#pragma once
#include <filesystem>
#include <vector>

#include "fit_clocks.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// Steady points of each GPU of a table: power_W, clock_MHz and temperature_degC (or the names of nvidia-smi and DCGM); limit_W, gpu, `load` or the
/// recorder's `experiment`, and a time where there are.
///
/// With times closer than 5 s, rows of one stretch (same GPU, load, part and limit, no gap over 60 s) are averaged over 5 s, and its first 5 s are
/// left out. The recorder's experiments become loads: `idle_no_context` is idle, `idle_context` and `cool` are context, `soak`, `clock_at_…`
/// and `cap_at_…` are work, waves are left out. Without a load column, rows above half of the 90th percentile of power are work.
/// @throws InputError that names file and column
std::vector<ClockTable> read_clock_tables(const std::filesystem::path& path);

}  // namespace TIDEWATT_NAMESPACE::study
