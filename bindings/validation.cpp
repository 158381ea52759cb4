// Validation: rows, their mutation, a user's own log, and what backs a run.
#include <pybind11/stl.h>

#include "background.hpp"
#include "bind.hpp"
#include "validate/backing.hpp"
#include "validate/catalog_in_use.hpp"
#include "validate/leave_one_out.hpp"
#include "validate/mutation.hpp"
#include "validate/own_log.hpp"
#include "validate/row_json.hpp"

namespace TIDEWATT_NAMESPACE::bindings {
namespace {

using namespace py::literals;

std::string validate_rows(const std::vector<std::string>& groups, const std::string& data, const std::string& catalog) {
  const auto chosen = validate::chosen_groups(groups);
  const auto rows = computed<std::vector<validate::Row>>([chosen, data, catalog](std::vector<validate::Row>& out) {
    const validate::CatalogInUse use(catalog);
    out = validate::computed_rows(chosen, {data});
  });
  return validate::rows_json(*rows);
}

std::string mutate_rows(const std::vector<std::string>& groups, const std::string& data, const std::string& catalog,
                        double share) {
  const auto chosen = validate::chosen_groups(groups);
  const auto rows = computed<std::vector<validate::Mutation>>([=](std::vector<validate::Mutation>& out) {
    const validate::CatalogInUse use(catalog);
    out = validate::mutated(chosen, {data}, validate::declared_keys(), share);
  });
  return validate::mutation_json(*rows);
}

std::string own_log(const std::string& file, const std::string& server, const std::string& gpu,
                    const std::string& catalog, const std::string& host, const std::string& node_log,
                    double power_window_s) {
  study::ReplayOptions o;
  o.file = file, o.server = server, o.catalog = catalog, o.host = host, o.node_log = node_log;
  o.power_window_s = power_window_s;
  if (!gpu.empty()) o.gpu = gpu;
  const auto log = computed<validate::OwnLog>([o](validate::OwnLog& out) { out = validate::own_log(o); });
  return validate::own_log_json(*log);
}

py::list backing(const std::string& scenario, const std::vector<std::string>& assumed) {
  py::list out;
  for (const auto& b : validate::backing(validate::ledger(), scenario, assumed)) {
    const auto listed = [](const std::vector<validate::BackingRow>& of) {
      py::list rows;
      for (const auto& r : of)
        rows.append(py::dict("row"_a = r.row, "source"_a = r.source, "device"_a = r.device,
                             "first_error"_a = r.first_error, "unit"_a = r.unit));
      return rows;
    };
    out.append(py::dict("headline"_a = b.headline, "rows"_a = listed(b.rows), "fitted"_a = listed(b.fitted),
                        "n_other_device"_a = b.n_other_device, "assumed"_a = b.assumed));
  }
  return out;
}

py::list leave_one_out() {
  const auto tables = computed<std::vector<validate::LeaveOneOut>>([](std::vector<validate::LeaveOneOut>& out) {
    for (const auto& device : validate::devices_with_runs()) out.push_back(validate::leave_one_out(device));
  });
  py::list rows;
  for (const auto& t : *tables)
    for (const auto& r : t.rows)
      rows.append(py::dict("device"_a = t.device, "id"_a = r.id, "expected_s"_a = r.expected_s,
                           "error_frac"_a = r.error_frac, "others_choose_frac"_a = r.others_choose_frac,
                           "left_out_error_frac"_a = r.left_out_error_frac));
  return rows;
}

}  // namespace

void bind_validation(py::module_& m) {
  m.def("validate_rows", &validate_rows, "groups"_a, "data"_a, "catalog"_a);
  m.def("mutate_rows", &mutate_rows, "groups"_a, "data"_a, "catalog"_a, "share"_a);
  m.def("own_log", &own_log, "file"_a, "server"_a, "gpu"_a, "catalog"_a, "host"_a, "node_log"_a, "power_window_s"_a);
  m.def("backing", &backing, "scenario"_a, "assumed"_a);
  m.def("leave_one_out", &leave_one_out);
}

}  // namespace TIDEWATT_NAMESPACE::bindings
