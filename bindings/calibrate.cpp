// The density of a GPU's logs, for samplers in Python; and the catalog values of what they draw.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <limits>

#include "bind.hpp"
#include "study/fit_entry.hpp"
#include "study/fit_telemetry.hpp"
#include "study/gpu_anchors.hpp"
#include "study/gpu_density.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/catalog/catalog.hpp"

namespace TIDEWATT_NAMESPACE::bindings {
namespace {

using namespace py::literals;
using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

study::FitGpuOptions options(const std::vector<std::string>& files, const std::string& base, const std::string& gpu,
                             double before_W, double power_window_s, double fan_frac) {
  return {files, "", base, gpu, before_W, power_window_s, fan_frac};
}

Array log_likelihood(const study::GpuDensity& density, const Array& z) {
  if (z.ndim() != 2) throw InputError("z: an array of shape (n_point, n_parameter) is needed");
  const auto n = static_cast<std::size_t>(z.shape(0)), m = static_cast<std::size_t>(z.shape(1));
  Array out(static_cast<py::ssize_t>(n));
  const double* from = z.data();
  double* to = out.mutable_data();
  const py::gil_scoped_release no_gil;
  for (std::size_t i = 0; i < n; ++i) to[i] = density.log_likelihood({from + i * m, m});
  return out;
}

/// Rows of draws in, rows of catalog values out; NaN where no package has the poles.
py::tuple catalog_values(const std::string& base, double fan_frac, const Array& draws) {
  if (draws.ndim() != 2 || draws.shape(1) != static_cast<py::ssize_t>(study::GpuDensity::n_parameter))
    throw InputError("draws: an array of shape (n_draw, 6) is needed");
  std::vector<std::string> keys;
  std::vector<std::vector<double>> rows;
  for (py::ssize_t i = 0; i < draws.shape(0); ++i) {
    std::array<double, study::GpuDensity::n_parameter> p;
    for (std::size_t k = 0; k < p.size(); ++k) p[k] = draws.at(i, static_cast<py::ssize_t>(k));
    auto& row = rows.emplace_back();
    try {
      const auto values = study::gpu_values(base, fan_frac, p);
      keys.clear();
      for (const auto& v : values) keys.emplace_back(v.key), row.push_back(v.value);
    } catch (const SolverError&) {
      row.assign(7, std::numeric_limits<double>::quiet_NaN());
    }
  }
  return py::make_tuple(keys, rows);
}

std::string gpu_entry(const std::string& base, const std::string& name,
                      const std::vector<std::tuple<std::string, double, double, double>>& values,
                      const std::string& source) {
  std::vector<study::FittedValue> list;
  for (const auto& [key, value, low, high] : values) list.push_back({key, value, low, high, source});
  return study::entry_from(catalog::Catalog().text("gpu", base), name, list);
}

/// @param states rows of clock_Hz, die_K, activity, hbm_frac, context, waiting
std::vector<std::vector<double>> states_W(const std::string& gpu, const std::vector<std::string>& keys,
                                          const std::vector<std::vector<double>>& draws,
                                          const std::vector<std::array<double, 6>>& states) {
  std::vector<study::GpuState> list;
  for (const auto& s : states) list.push_back({s[0], s[1], s[2], s[3], s[4] != 0.0, s[5] != 0.0});
  const py::gil_scoped_release no_gil;
  return study::states_W(gpu, keys, draws, list);
}

}  // namespace

void bind_calibrate(py::module_& m) {
  using study::GpuDensity;
  py::class_<GpuDensity>(m, "GpuDensity")
      .def(py::init([](const std::vector<std::string>& files, const std::string& base, const std::string& gpu,
                       double before_W, double power_window_s, double fan_frac) {
             const py::gil_scoped_release no_gil;
             return GpuDensity(options(files, base, gpu, before_W, power_window_s, fan_frac));
           }),
           "files"_a, "base"_a, "gpu"_a, "before_W"_a, "power_window_s"_a, "fan_frac"_a)
      .def_property_readonly("prior",
                             [](const GpuDensity& d) {
                               py::list out;
                               for (const auto& p : d.prior())
                                 out.append(py::make_tuple(p.key, p.low, p.high, p.logarithmic));
                               return out;
                             })
      .def_property_readonly("start", &GpuDensity::start)
      .def_property_readonly("start_sigma", &GpuDensity::start_sigma)
      .def_property_readonly(
          "logs",
          [](const GpuDensity& d) {
            py::list out;
            for (const auto& l : d.logs())
              out.append(py::dict("gpu"_a = l.gpu, "file"_a = l.file, "power_from"_a = l.power_from,
                                  "samples"_a = l.n_sample, "noise_K"_a = l.noise.white, "drift_K"_a = l.noise.drift,
                                  "drift_s"_a = l.noise.drift_s, "no_leakage"_a = l.no_leakage));
            return out;
          })
      .def("log_likelihood", &log_likelihood, "z"_a);
  m.def("anchor_keys", &study::anchor_keys);
  m.def("limit_W", &study::limit_W, "gpu"_a, "cap_W"_a);
  m.def("states_W", &states_W, "gpu"_a, "keys"_a, "draws"_a, "states"_a);
  m.def(
      "gpu_names",
      [](const std::string& file) {
        std::vector<std::string> out;
        for (const auto& t : study::read_gpu_telemetry(file)) out.push_back(t.gpu);
        return out;
      },
      "file"_a);
  m.def("catalog_values", &catalog_values, "base"_a, "fan_frac"_a, "draws"_a);
  m.def("gpu_entry", &gpu_entry, "base"_a, "name"_a, "values"_a, "source"_a);
}

}  // namespace TIDEWATT_NAMESPACE::bindings
