// Sizing: the cheapest mitigations that meet the rules, and the most GPUs behind a connection.
#include <pybind11/stl.h>

#include <mutex>
#include <utility>

#include "background.hpp"
#include "bind.hpp"
#include "study/cap_study.hpp"
#include "study/gpu_capacity.hpp"
#include "study/sizing.hpp"

namespace TIDEWATT_NAMESPACE::bindings {
namespace {

using namespace py::literals;

py::dict row_of(const study::Evaluated& e, const study::SizingChoices& choices) {
  return py::dict(
      "portfolio"_a = e.portfolio.name(), "passes"_a = e.passes, "yearly_USD"_a = e.yearly_USD,
      "yearly_USD_low_prices"_a = e.low_USD, "yearly_USD_high_prices"_a = e.high_USD, "capital_USD"_a = e.capital_USD,
      "extra_W"_a = e.extra_W, "lost_throughput_frac"_a = e.lost_throughput_frac, "start_lost_s"_a = e.start_lost_s,
      "start_extra_J"_a = e.start_extra_J, "starts_per_year"_a = e.starts_per_year,
      "lost_tokens_per_year"_a = e.lost_tokens_per_year, "extra_J_per_year"_a = e.extra_J_per_year,
      "worst_margin_frac"_a = e.worst_margin_frac, "worst_rule"_a = e.worst_rule, "peak_W"_a = e.peak_W,
      "charge_per_h"_a = e.charge_per_h, "at_bound"_a = e.at_bound, "store_wear_frac_per_year"_a = e.wear_frac_per_year,
      "store_years"_a = e.store_years, "steady_change_frac"_a = e.change_frac, "toml"_a = e.portfolio.toml(choices));
}

py::list rows_of(const std::vector<study::Evaluated>& list, const study::SizingChoices& choices) {
  py::list out;
  for (const auto& e : list) out.append(row_of(e, choices));
  return out;
}

/// What a search on its own thread tells, until Python asks.
struct Search {
  std::mutex mutex;
  std::vector<std::pair<std::string, double>> told;  // guarded
  study::Sizing found;
  study::SizingChoices choices;
  std::shared_ptr<sim::Scenario> cheapest;

  std::vector<std::pair<std::string, double>> news() {
    const std::scoped_lock lock(mutex);
    return std::exchange(told, {});
  }
};

/// Rows of the best of each combination and of the front, the cheapest that passes as a scenario (None: none does), and
/// how many simulations of the site and of the fleet it took.
py::tuple size(const std::shared_ptr<sim::Scenario>& scenario, const std::string& choices_name,
               const std::string& catalog_overlay, std::int64_t evaluations, double margin_frac, std::size_t n_thread,
               const py::object& progress) {
  const auto search = std::make_shared<Search>();
  in_background(
      [search, scenario, choices_name, catalog_overlay, evaluations, margin_frac,
       n_thread](const std::atomic<bool>& stop) {
        const catalog::Catalog catalog(catalog_overlay);
        search->choices = study::read_choices(catalog, choices_name);
        const auto told = [&](const study::Evaluated& e) {
          if (stop) throw std::runtime_error("stopped");
          const std::scoped_lock lock(search->mutex);
          search->told.emplace_back(e.portfolio.name(), e.worst_margin_frac);
        };
        auto& found = search->found =
            study::size_portfolio(*scenario, search->choices, {n_thread, evaluations, told, margin_frac});
        if (found.found())
          search->cheapest = std::make_shared<sim::Scenario>(
              study::with_portfolio(*scenario, found.best.front().portfolio, search->choices, catalog));
      },
      [&] {
        for (const auto& [portfolio, kept_frac] : search->news())
          if (!progress.is_none()) progress(portfolio, kept_frac);
      });
  const auto& found = search->found;
  return py::make_tuple(rows_of(found.best, search->choices), rows_of(found.front, search->choices), search->cheapest,
                        found.n_evaluation, found.n_fleet_run);
}

py::dict most_gpus(const std::shared_ptr<sim::Scenario>& scenario, double contract_W, double breaker_frac,
                   double cooling_unit_frac, bool by_peak, bool new_site, std::size_t n_thread) {
  const auto made = std::make_shared<study::GpuCapacity>();
  in_background([=](const std::atomic<bool>& stop) {
    *made = study::most_gpus(*scenario, {.contract_W = contract_W,
                                         .breaker_frac = breaker_frac,
                                         .cooling_unit_frac = cooling_unit_frac,
                                         .by_peak = by_peak,
                                         .new_site = new_site,
                                         .n_thread = n_thread,
                                         .stop = [&] { return stop.load(); }});
  });
  const auto& c = *made;
  py::dict limits;
  for (const auto& i : c.items) limits[py::str(i.name)] = i.n_gpu;
  return py::dict("n_gpu"_a = c.n_gpu, "binds"_a = c.binds, "connection_W"_a = c.connection_W,
                  "W_per_gpu"_a = c.W_per_gpu, "n_rack"_a = c.n_rack, "unit_gpus"_a = c.unit_gpus, "pue"_a = c.pue,
                  "hour"_a = c.hour, "peak_W"_a = c.peak_W, "limits"_a = limits);
}

/// The study as JSON.
std::string best_cap(const std::shared_ptr<sim::Scenario>& scenario, double contract_W, double lowest_frac,
                     std::size_t n_cap, std::size_t n_thread) {
  const auto made = std::make_shared<study::CapStudy>();
  in_background([=](const std::atomic<bool>& stop) {
    *made = study::study_caps(
        *scenario,
        {.contract_W = contract_W, .lowest_frac = lowest_frac, .n_cap = n_cap, .n_thread = n_thread, .stop = [&] {
           return stop.load();
         }});
  });
  return study::caps_json(*made);
}

}  // namespace

void bind_size(py::module_& m) {
  m.def("size", &size, py::arg("scenario"), py::arg("choices"), py::arg("catalog_overlay"), py::arg("evaluations"),
        py::arg("margin_frac"), py::arg("n_thread"), py::arg("progress"));
  m.def("most_gpus", &most_gpus, py::arg("scenario"), py::arg("contract_W"), py::arg("breaker_frac"),
        py::arg("cooling_unit_frac"), py::arg("by_peak"), py::arg("new_site"), py::arg("n_thread"));
  m.def("best_cap", &best_cap, py::arg("scenario"), py::arg("contract_W"), py::arg("lowest_frac"), py::arg("n_cap"),
        py::arg("n_thread"));
}

}  // namespace TIDEWATT_NAMESPACE::bindings
