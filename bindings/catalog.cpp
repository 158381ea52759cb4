// The catalog: what there is, and each entry's file.
#include "tidewatt/catalog/catalog.hpp"

#include <pybind11/stl.h>

#include "bind.hpp"

namespace TIDEWATT_NAMESPACE::bindings {

void bind_catalog(py::module_& m) {
  py::class_<catalog::Catalog>(m, "Catalog")
      .def(py::init<const std::string&>(), py::arg("overlay"))
      .def("list", &catalog::Catalog::list)
      .def("text", &catalog::Catalog::text, py::arg("kind"), py::arg("name"));
}

}  // namespace TIDEWATT_NAMESPACE::bindings
