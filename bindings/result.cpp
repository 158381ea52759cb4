// A finished run: arrays as read-only views into its memory, figures, and the file.
#include "tidewatt/sim/result.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "bind.hpp"
#include "tidewatt/io/hdf5_sink.hpp"
#include "tidewatt/io/payload_hash.hpp"
#include "tidewatt/io/summary_json.hpp"

namespace tidewatt::bindings {
namespace {

using Shared = std::shared_ptr<RunResult>;

std::vector<py::ssize_t> shape_of(const sim::Array& a) { return {a.shape.begin(), a.shape.end()}; }

/// The array itself, not a copy: `owner` stays alive as long as the view does.
template <class T>
py::object view(const sim::Array& a, const std::vector<T>& values, const py::object& owner) {
  py::array_t<T> out(shape_of(a), values.data(), owner);
  out.attr("setflags")(py::arg("write") = false);
  return out;
}

py::object view(const sim::Array& a, const std::vector<std::string>& values, const py::object&) {
  py::array out = py::module_::import("numpy").attr("empty")(values.size(), py::arg("dtype") = "O");
  for (std::size_t i = 0; i < values.size(); ++i) out[py::int_(i)] = py::str(values[i]);
  py::object shaped = out.attr("reshape")(shape_of(a));
  shaped.attr("setflags")(py::arg("write") = false);
  return shaped;
}

const sim::Array& find(const RunResult& r, const std::string& path) {
  for (const auto& a : r.result.arrays)
    if (a.path == path) return a;
  throw py::key_error(path);
}

py::object values(const Shared& r, const std::string& path) {
  const auto& a = find(*r, path);
  const py::object owner = py::cast(r);
  return std::visit([&](const auto& v) { return view(a, v, owner); }, a.values);
}

py::list arrays(const RunResult& r) {
  py::list rows;
  for (const auto& a : r.result.arrays)
    rows.append(py::make_tuple(a.path, py::tuple(py::cast(a.dims)), a.unit, a.long_name));
  return rows;
}

py::object summary(const RunResult& r) {
  // By way of the JSON text, so that Python and `run --json` cannot differ in a figure.
  return py::module_::import("json").attr("loads")(io::result_json(r.result));
}

py::dict provenance(const RunResult& r) {
  py::dict out;
  for (const auto& [key, text] : r.result.provenance) out[py::str(key)] = text;
  return out;
}

/// The same file as `tidewatt run` writes. Its name is one of the figures in it, hence the copy.
void save(const Shared& r, const std::string& path) {
  const py::gil_scoped_release no_gil;
  sim::Result named = r->result;
  named.summary.emplace_back("result_file", path);
  io::Hdf5Sink(path).write(named);
}

}  // namespace

std::shared_ptr<RunResult> make_result(sim::Result&& result, double wall_s) {
  auto out = std::make_shared<RunResult>(RunResult{std::move(result), {}, wall_s});
  out->payload_sha256 = io::payload_sha256(out->result);
  out->result.summary.emplace_back("payload_sha256", out->payload_sha256);
  return out;
}

void bind_result(py::module_& m) {
  py::class_<RunResult, Shared>(m, "RunResult")
      .def_property_readonly("arrays", &arrays)
      .def("values", &values, py::arg("path"))
      .def_property_readonly("summary", &summary)
      .def_property_readonly("provenance", &provenance)
      .def_readonly("payload_sha256", &RunResult::payload_sha256)
      .def_readonly("wall_s", &RunResult::wall_s)
      .def("save", &save, py::arg("path"));
}

}  // namespace tidewatt::bindings
