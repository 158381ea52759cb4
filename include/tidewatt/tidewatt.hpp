#pragma once
/// Everything that a user of the library needs: read a scenario, run it, look at the result, write it.
///
///     const auto scenario = tidewatt::load_scenario("day.toml", {.set = {"run.duration_h=1"}});
///     const auto result = tidewatt::run(scenario);
///     std::printf("PUE %.3f\n", tidewatt::figure(result, "pue"));
///     tidewatt::io::Hdf5Sink("day.h5").write(result);
///
/// Errors are exceptions: InputError, SolverError, RefusedError, OutputError. The library prints nothing.
/// Single models (a GPU's power, a cooling plant, a flicker meter) have headers of their own beside this one.
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/version.hpp"
#include "tidewatt/catalog/catalog.hpp"
#include "tidewatt/io/hdf5_sink.hpp"
#include "tidewatt/io/payload_hash.hpp"
#include "tidewatt/io/summary_json.hpp"
#include "tidewatt/sim/look_up.hpp"
#include "tidewatt/sim/result.hpp"
#include "tidewatt/sim/run.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE {

using sim::check;
using sim::Engine;
using sim::figure;
using sim::load_scenario;
using sim::load_scenario_text;
using sim::LoadOptions;
using sim::Port;
using sim::Result;
using sim::run;
using sim::RunOptions;
using sim::Scenario;
using sim::values;

}  // namespace TIDEWATT_NAMESPACE
