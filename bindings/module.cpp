#include "bind.hpp"
#include "sim/common_key.hpp"

PYBIND11_MODULE(_core, m) {
  m.doc() = "The compiled half of tidewatt; use `import tidewatt`.";
  m.attr("__version__") = TIDEWATT_VERSION;
  m.attr("LEAST_EFFECT_FRAC") = tidewatt::sim::least_effect_frac;
  tidewatt::bindings::bind_errors(m);
  tidewatt::bindings::bind_scenario(m);
  tidewatt::bindings::bind_plant(m);
  tidewatt::bindings::bind_result(m);
  tidewatt::bindings::bind_run(m);
  tidewatt::bindings::bind_sweep(m);
  tidewatt::bindings::bind_catalog(m);
  tidewatt::bindings::bind_size(m);
  tidewatt::bindings::bind_study(m);
  tidewatt::bindings::bind_validation(m);
  tidewatt::bindings::bind_calibrate(m);
  tidewatt::bindings::bind_rules(m);
}
