#pragma once
// Private to the extension: what its topics share. Thin on purpose; everything that a user reads about is in
// python/tidewatt.
#include <pybind11/pybind11.h>

#include <memory>
#include <vector>

#include "tidewatt/sim/result.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::bindings {

namespace py = pybind11;

/// A finished run. Nothing in it changes once it is made, so that Python may hold views into its arrays.
struct RunResult {
  sim::Result result;
  std::string payload_sha256;
  double wall_s = 0.0;
};

/// Takes over what the engine recorded and hashes it. Call without the GIL.
std::shared_ptr<RunResult> make_result(sim::Result&& result, double wall_s);

void bind_calibrate(py::module_& m);
void bind_catalog(py::module_& m);
void bind_errors(py::module_& m);
void bind_scenario(py::module_& m);
void bind_plant(py::module_& m);
void bind_result(py::module_& m);
void bind_rules(py::module_& m);
void bind_run(py::module_& m);
void bind_size(py::module_& m);
void bind_study(py::module_& m);
void bind_validation(py::module_& m);
void bind_sweep(py::module_& m);

}  // namespace TIDEWATT_NAMESPACE::bindings
