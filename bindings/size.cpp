// Sizing: the cheapest remedies that meet the rules, and the most GPUs behind a connection.
#include "tidewatt/study/sizing.hpp"

#include <pybind11/stl.h>

#include <optional>

#include "bind.hpp"
#include "tidewatt/study/gpu_capacity.hpp"

namespace tidewatt::bindings {
namespace {

using namespace py::literals;

py::dict row_of(const study::Evaluated& e, const study::SizingChoices& choices) {
  return py::dict("portfolio"_a = e.portfolio.name(), "passes"_a = e.passes, "yearly_USD"_a = e.yearly_USD,
                  "yearly_USD_low_prices"_a = e.low_USD, "yearly_USD_high_prices"_a = e.high_USD, "capital_USD"_a = e.capital_USD,
                  "extra_W"_a = e.extra_W, "lost_throughput_frac"_a = e.lost_throughput_frac,
                  "start_lost_s"_a = e.start_lost_s, "start_extra_J"_a = e.start_extra_J, "starts_per_year"_a = e.starts_per_year,
                  "lost_tokens_per_year"_a = e.lost_tokens_per_year, "extra_J_per_year"_a = e.extra_J_per_year,
                  "worst_margin_frac"_a = e.worst_margin_frac, "worst_rule"_a = e.worst_rule, "toml"_a = e.portfolio.toml(choices));
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
  py::dict limits;
  for (const auto& i : c.items) limits[py::str(i.name)] = i.n_gpu;
  return py::dict("n_gpu"_a = c.n_gpu, "binds"_a = c.binds, "connection_W"_a = c.connection_W, "W_per_gpu"_a = c.W_per_gpu,
                  "pue"_a = c.pue, "hour"_a = c.hour, "limits"_a = limits);
}

}  // namespace

void bind_size(py::module_& m) {
  m.def("size", &size, py::arg("scenario"), py::arg("choices"), py::arg("catalog_overlay"), py::arg("evaluations"), py::arg("n_thread"),
        py::arg("progress"));
  m.def("most_gpus", &most_gpus, py::arg("scenario"), py::arg("contract_W"), py::arg("breaker_frac"), py::arg("n_thread"));
}

}  // namespace tidewatt::bindings
