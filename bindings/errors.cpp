// The library's exceptions as Python classes that live, by name, in the package `tidewatt`.
#include "bind.hpp"
#include "io/verified_file.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::bindings {
namespace {

// The module owns one reference to each; these are the other, for as long as the process lives.
struct Classes {
  PyObject* input = nullptr;
  PyObject* corrupt = nullptr;
  PyObject* solver = nullptr;
  PyObject* refused = nullptr;
  PyObject* output = nullptr;
  PyObject* finding = nullptr;
};

Classes& classes() {
  static Classes c;
  return c;
}

PyObject* make(py::module_& m, const char* name, const char* doc, const py::tuple& bases) {
  PyObject* made = PyErr_NewExceptionWithDoc((std::string("tidewatt.") + name).c_str(), doc, bases.ptr(), nullptr);
  if (made == nullptr) throw py::error_already_set();
  m.add_object(name, py::handle(made));
  return made;
}

void raise_input(PyObject* kind, const InputError& e) {
  py::list findings;
  for (const auto& f : e.findings()) findings.append(py::handle(classes().finding)(f.place.text(), f.key, f.message));
  const py::object error = py::handle(kind)(e.what());
  error.attr("findings") = findings;
  PyErr_SetObject(kind, error.ptr());
}

void translate(std::exception_ptr caught) try {
  if (caught) std::rethrow_exception(caught);
} catch (const io::CorruptFileError& e) {
  raise_input(classes().corrupt, e);
} catch (const InputError& e) {
  raise_input(classes().input, e);
} catch (const SolverError& e) {
  PyErr_SetString(classes().solver, e.what());
} catch (const RefusedError& e) {
  PyErr_SetString(classes().refused, e.what());
} catch (const OutputError& e) {
  PyErr_SetString(classes().output, e.what());
}

py::tuple bases(const py::handle& error, PyObject* builtin) { return py::make_tuple(error, py::handle(builtin)); }

}  // namespace

void bind_errors(py::module_& m) {
  auto& c = classes();
  const py::handle error(
      make(m, "Error", "Base of every error that tidewatt raises.", py::make_tuple(py::handle(PyExc_Exception))));
  c.input = make(m, "InputError",
                 "Bad input: all findings at once, in `findings`, a list of (place, key, message). The command line's "
                 "exit code 2.",
                 bases(error, PyExc_ValueError));
  py::handle(c.input).attr("findings") = py::tuple();
  c.corrupt =
      make(m, "CorruptFileError", "A result or checkpoint is not, bit for bit, what tidewatt wrote. Exit code 2.",
           py::make_tuple(py::handle(c.input)));
  c.solver = make(m, "SolverError",
                  "A numerical method failed; the message holds the time and the worst components. Exit code 3.",
                  bases(error, PyExc_RuntimeError));
  c.refused =
      make(m, "RefusedError",
           "Too large to run, or too many failed cases for an analysis; the message names the limit. Exit code 4.",
           bases(error, PyExc_RuntimeError));
  c.output = make(m, "OutputError", "A result could not be written. Exit code 74.", bases(error, PyExc_OSError));
  const py::object finding = py::module_::import("collections")
                                 .attr("namedtuple")("Finding", "place key message", py::arg("module") = "tidewatt");
  finding.attr("__doc__") = "One thing wrong with the input: where (file:line:column), which key, and what.";
  m.attr("Finding") = finding;
  c.finding = finding.inc_ref().ptr();
  py::register_exception_translator(&translate);
}

}  // namespace TIDEWATT_NAMESPACE::bindings
