// Results, of a run or from a file: arrays as read-only views into their memory, figures, and the file.
#include "tidewatt/sim/result.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>

#include "bind.hpp"
#include "io/durable_file.hpp"
#include "io/figure_table.hpp"
#include "io/figure_text.hpp"
#include "io/result_file.hpp"
#include "io/summary_text.hpp"
#include "tidewatt/io/hdf5_sink.hpp"
#include "tidewatt/io/payload_hash.hpp"
#include "tidewatt/io/summary_json.hpp"

namespace TIDEWATT_NAMESPACE::bindings {
namespace {

using Shared = std::shared_ptr<RunResult>;

std::vector<py::ssize_t> shape_of(const NamedArray& a) { return {a.shape.begin(), a.shape.end()}; }

/// The array itself, not a copy: `owner` stays alive as long as the view does.
template <class T>
py::object view(const NamedArray& a, const std::vector<T>& values, const py::object& owner) {
  py::array_t<T> out(shape_of(a), values.data(), owner);
  out.attr("setflags")(py::arg("write") = false);
  return out;
}

py::object view(const NamedArray& a, const std::vector<std::string>& values, const py::object&) {
  py::array out = py::module_::import("numpy").attr("empty")(values.size(), py::arg("dtype") = "O");
  for (std::size_t i = 0; i < values.size(); ++i) out[py::int_(i)] = py::str(values[i]);
  py::object shaped = out.attr("reshape")(shape_of(a));
  shaped.attr("setflags")(py::arg("write") = false);
  return shaped;
}

py::list columns(const std::vector<NamedArray>& arrays) {
  py::list rows;
  for (const auto& a : arrays) rows.append(py::make_tuple(a.path, py::tuple(py::cast(a.dims)), a.unit, a.long_name));
  return rows;
}

py::dict texts(const std::vector<std::pair<std::string, std::string>>& provenance) {
  py::dict out;
  for (const auto& [key, text] : provenance) out[py::str(key)] = text;
  return out;
}

// By way of the JSON text, so that Python and `run --json` cannot differ in a figure.
py::object figures(const std::string& json) { return py::module_::import("json").attr("loads")(json); }

const NamedArray* find(RunResult& r, const std::string& path) {
  const auto at = std::ranges::find(r.result.arrays, path, &NamedArray::path);
  return at == r.result.arrays.end() ? nullptr : &*at;
}
const NamedArray* find(io::ResultFile& r, const std::string& path) { return r.read(path); }

template <class Source>
py::object values(const std::shared_ptr<Source>& r, const std::string& path) {
  const NamedArray* a = find(*r, path);
  if (a == nullptr) throw py::key_error(path);
  const py::object owner = py::cast(r);
  return std::visit([&](const auto& v) { return view(*a, v, owner); }, a->values);
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

namespace {

double number_of(const py::handle& value) { return value.is_none() ? std::nan("") : value.cast<double>(); }

bool is_number(const py::handle& x) { return py::isinstance<py::int_>(x) || py::isinstance<py::float_>(x); }

/// A figure's value as JSON has it; what no figure is, as Python's text. Entries of lists that are no numbers are left out.
sim::Value value_of(const py::object& value) {
  if (value.is_none()) return {};
  if (py::isinstance<py::float_>(value)) return value.cast<double>();
  if (py::isinstance<py::dict>(value)) {
    std::vector<std::pair<std::string, double>> list;
    for (const auto& [key, x] : value.cast<py::dict>())
      if (x.is_none() || is_number(x)) list.emplace_back(py::str(key).cast<std::string>(), number_of(x));
    return list;
  }
  const auto whole = [](const py::handle& x) { return py::isinstance<py::int_>(x) && !py::isinstance<py::bool_>(x); };
  try {
    if (whole(value)) return value.cast<std::int64_t>();
    if (py::isinstance<py::list>(value)) {
      const auto items = value.cast<py::list>();
      if (std::all_of(items.begin(), items.end(), whole)) return value.cast<std::vector<std::int64_t>>();
    }
  } catch (const py::cast_error&) {  // beyond 64 bits
  }
  return py::str(value).cast<std::string>();
}

}  // namespace

void bind_result(py::module_& m) {
  m.def("figure_list", [] { return figures(io::figure_table_json()); });
  m.def(
      "figure_text",
      [](const std::string& key, const py::object& value, int digits) {
        return io::figure_text(key, value_of(value), digits);
      },
      py::arg("key"), py::arg("value"), py::arg("digits") = 0);
  py::class_<RunResult, Shared>(m, "RunResult")
      .def_property_readonly("arrays", [](const RunResult& r) { return columns(r.result.arrays); })
      .def("values", &values<RunResult>, py::arg("path"))
      .def_property_readonly("summary", [](const RunResult& r) { return figures(io::result_json(r.result)); })
      .def_property_readonly("provenance", [](const RunResult& r) { return texts(r.result.provenance); })
      .def_property_readonly("summary_text", [](const RunResult& r) { return io::summary_text(r.result); })
      .def_readonly("payload_sha256", &RunResult::payload_sha256)
      .def_readonly("wall_s", &RunResult::wall_s)
      .def("save", &save, py::arg("path"));
  m.def(
      "write_durably",
      [](const std::string& path, const py::bytes& data) {
        const std::string_view bytes = data;
        const py::gil_scoped_release no_gil;
        io::write_durably(path, bytes);
      },
      py::arg("path"), py::arg("data"));
  m.def("try_output", &io::try_output, py::arg("path"), py::call_guard<py::gil_scoped_release>());
  using io::ResultFile;
  py::class_<ResultFile, std::shared_ptr<ResultFile>>(m, "ResultFile")
      .def(py::init([](const std::string& path) {
             const py::gil_scoped_release no_gil;
             return std::make_shared<ResultFile>(path);
           }),
           py::arg("path"))
      .def_property_readonly("path", &ResultFile::path)
      .def_property_readonly("arrays", [](const ResultFile& r) { return columns(r.arrays()); })
      .def("values", &values<ResultFile>, py::arg("path"))
      .def_property_readonly("summary", [](const ResultFile& r) { return figures(r.summary_json()); })
      .def_property_readonly("provenance", [](const ResultFile& r) { return texts(r.provenance()); })
      .def_property_readonly("summary_text", &ResultFile::summary_text)
      .def_property_readonly("payload_sha256", &ResultFile::payload_sha256)
      .def("save", &ResultFile::copy_to, py::arg("path"), py::call_guard<py::gil_scoped_release>());
}

}  // namespace TIDEWATT_NAMESPACE::bindings
