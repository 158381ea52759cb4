// Sizing: the cheapest remedies that meet the rules, and the most GPUs behind a connection.
#include "tidewatt/study/sizing.hpp"

#include <pybind11/stl.h>

#include <optional>

#include "bind.hpp"
#include "tidewatt/study/gpu_capacity.hpp"

namespace tidewatt::bindings {
namespace {

py::dict row_of(const study::Evaluated& e, const study::SizingChoices& choices) {
  py::dict row;
  row["portfolio"] = e.portfolio.name();
  row["passes"] = e.passes;
  row["yearly_USD"] = e.yearly_USD;
  row["yearly_USD_low_prices"] = e.low_USD;
  row["yearly_USD_high_prices"] = e.high_USD;
  row["capital_USD"] = e.capital_USD;
  row["extra_W"] = e.extra_W;
  row["lost_throughput_frac"] = e.lost_throughput_frac;
  row["worst_margin_frac"] = e.worst_margin_frac;
  row["worst_rule"] = e.worst_rule;
  row["toml"] = e.portfolio.toml(choices);
  return row;
}

py::list rows_of(const std::vector<study::Evaluated>& list, const study::SizingChoices& choices) {
  py::list out;
  for (const auto& e : list) out.append(row_of(e, choices));
  return out;
}

/// Rows of the best of each combination and of the front, the cheapest that passes as a scenario (None: none does), and
/// how many simulations of the site and of the fleet it took.
py::tuple size(const sim::Scenario& scenario, const std::string& choices_name, const std::string& catalog_overlay,
               std::int64_t evaluations, std::size_t n_thread, const py::object& progress) {
  std::optional<py::error_already_set> raised;
  study::Sizing found;
  study::SizingChoices choices;
  std::shared_ptr<sim::Scenario> cheapest;
  const auto told = [&](const study::Evaluated& e) {
    const py::gil_scoped_acquire gil;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (!progress.is_none()) progress(e.portfolio.name(), e.worst_margin_frac);
    } catch (py::error_already_set& error) {
      raised = std::move(error);
      throw std::runtime_error("stopped");  // leaves the search; Python's own error is raised below
    }
  };
  try {
    const py::gil_scoped_release no_gil;
    const catalog::Catalog catalog(catalog_overlay);
    choices = study::read_choices(catalog, choices_name);
    found = study::size_portfolio(scenario, choices, {n_thread, evaluations, told});
    if (found.found()) cheapest = std::make_shared<sim::Scenario>(study::with_portfolio(scenario, found.best.front().portfolio, choices, catalog));
  } catch (const std::exception&) {
    if (!raised) throw;
  }
  if (raised) throw py::error_already_set(std::move(*raised));
  return py::make_tuple(rows_of(found.best, choices), rows_of(found.front, choices), cheapest, found.n_evaluation, found.n_fleet_run);
}

py::dict most_gpus(const sim::Scenario& scenario, double contract_W, double breaker_frac, std::size_t n_thread) {
  study::GpuCapacity c;
  {
    const py::gil_scoped_release no_gil;
    c = study::most_gpus(scenario, contract_W, breaker_frac, n_thread);
  }
  py::dict out, limits;
  out["n_gpu"] = c.n_gpu;
  out["binds"] = c.binds;
  out["connection_W"] = c.connection_W;
  out["W_per_gpu"] = c.W_per_gpu;
  out["pue"] = c.pue;
  out["hour"] = c.hour;
  for (const auto& i : c.items) limits[py::str(i.name)] = i.n_gpu;
  out["limits"] = limits;
  return out;
}

}  // namespace

void bind_size(py::module_& m) {
  m.def("size", &size, py::arg("scenario"), py::arg("choices"), py::arg("catalog_overlay"), py::arg("evaluations"), py::arg("n_thread"),
        py::arg("progress"));
  m.def("most_gpus", &most_gpus, py::arg("scenario"), py::arg("contract_W"), py::arg("breaker_frac"), py::arg("n_thread"));
}

}  // namespace tidewatt::bindings
