// Reading a scenario; what Python may ask of one.
#include "tidewatt/sim/scenario.hpp"

#include <pybind11/stl.h>

#include "bind.hpp"
#include "sim/gpu_step.hpp"
#include "sim/scenario_check.hpp"

namespace TIDEWATT_NAMESPACE::bindings {
namespace {

std::shared_ptr<sim::Scenario> load(const std::string& path, std::vector<std::string> set, std::string weather_epw,
                                    std::string catalog_overlay, std::vector<std::string> recording) {
  const py::gil_scoped_release no_gil;
  const sim::LoadOptions options{std::move(set), std::move(weather_epw), std::move(catalog_overlay),
                                 std::move(recording)};
  return std::make_shared<sim::Scenario>(sim::load_scenario(path, options));
}

std::shared_ptr<sim::Scenario> from_text(const std::string& text, const std::string& name, const std::string& folder,
                                         std::vector<std::string> set, std::string weather_epw,
                                         std::string catalog_overlay, std::vector<std::string> recording) {
  const py::gil_scoped_release no_gil;
  const sim::LoadOptions options{std::move(set), std::move(weather_epw), std::move(catalog_overlay),
                                 std::move(recording)};
  return std::make_shared<sim::Scenario>(sim::load_scenario_text(text, name, folder, options));
}

py::list assumed(const sim::Scenario& s) {
  py::list rows;
  for (const auto& a : s.assumed) {
    py::dict row;
    row["key"] = a.key;
    if (a.words.empty())
      row["value"] = a.value, row["low"] = a.low, row["high"] = a.high;
    else
      row["value"] = a.text(a.value), row["low"] = py::none(), row["high"] = py::none();
    row["words"] = a.words.empty() ? "" : a.choices();
    row["source"] = a.source;
    rows.append(std::move(row));
  }
  return rows;
}

py::list halls(const sim::Scenario& s) {
  py::list rows;
  for (const auto& h : s.halls) {
    py::dict row;
    row["name"] = h.hall.name;
    row["n_gpu"] = h.hall.n_gpu;
    row["plant"] = h.own_plant ? std::string("python") : std::string(word_of(h.plant_kind));
    row["lowest_cap_W"] = sim::lowest_cap_W(s, h);
    row["cap_W"] = sim::gpu_limit_W(h);
    row["clock_lock_Hz"] = sim::gpu_clock_limit_Hz(h);
    rows.append(std::move(row));
  }
  return rows;
}

py::list jobs(const sim::Scenario& s) {
  py::list rows;
  for (const auto& j : s.jobs) {
    py::dict row;
    row["name"] = j.name;
    row["n_gpu"] = j.plan.n_gpu;
    row["model"] = j.model_name;
    rows.append(std::move(row));
  }
  return rows;
}

}  // namespace

void bind_scenario(py::module_& m) {
  py::class_<sim::Scenario, std::shared_ptr<sim::Scenario>>(m, "Scenario")
      .def_static("load", &load, py::arg("path"), py::arg("set"), py::arg("weather_epw"), py::arg("catalog_overlay"),
                  py::arg("recording") = std::vector<std::string>{})
      .def_static("from_text", &from_text, py::arg("text"), py::arg("name"), py::arg("folder"), py::arg("set"),
                  py::arg("weather_epw"), py::arg("catalog_overlay"), py::arg("recording") = std::vector<std::string>{})
      .def_readonly("notes", &sim::Scenario::notes)
      .def_readonly("text", &sim::Scenario::text)
      .def("reference", &sim::reference_of)
      .def_property_readonly("start", [](const sim::Scenario& s) { return s.run.start; })
      .def_property_readonly("duration_s", [](const sim::Scenario& s) { return s.run.duration_s; })
      .def_property_readonly("seed", [](const sim::Scenario& s) { return s.run.seed; })
      .def_property_readonly("halls", &halls)
      .def_property_readonly("jobs", &jobs)
      .def_property_readonly("gpu_step", [](const sim::Scenario& s) { return sim::gpu_step(s).n_gpu; })
      .def_property_readonly("assumed", &assumed);
}

}  // namespace TIDEWATT_NAMESPACE::bindings
