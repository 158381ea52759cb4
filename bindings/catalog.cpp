// The catalog: what there is, each entry's file, and what stands together.
#include "tidewatt/catalog/catalog.hpp"

#include <pybind11/stl.h>

#include "bind.hpp"
#include "tidewatt/catalog/fits.hpp"
#include "tidewatt/catalog/rack.hpp"

namespace TIDEWATT_NAMESPACE::bindings {
namespace {

using namespace py::literals;

py::dict parts_of(const power::RackPower& p) {
  return py::dict("gpus_W"_a = p.gpus_W, "cpus_W"_a = p.cpus_W, "tray_other_W"_a = p.tray_other_W,
                  "switch_trays_W"_a = p.switch_trays_W, "management_W"_a = p.management_W, "fans_W"_a = p.fans_W,
                  "shelf_loss_W"_a = p.shelf_loss_W, "input_W"_a = p.input_W());
}

py::dict rack(const catalog::Catalog& catalog, const std::string& name) {
  const auto entry = catalog::read_rack(catalog, name);
  const auto spread = catalog::rack_spread(catalog, name);
  return py::dict("gpu"_a = entry.gpu, "server"_a = entry.server, "network"_a = entry.network,
                  "n_cabinet"_a = entry.power.n_cabinet, "n_gpu"_a = entry.power.n_gpu(),
                  "nominal"_a = parts_of(spread.nominal), "low"_a = parts_of(spread.low),
                  "high"_a = parts_of(spread.high),
                  "vendor_W"_a = py::make_tuple(entry.power.vendor_low_W, entry.power.vendor_high_W));
}

std::vector<std::pair<std::string, std::string>> misfits(const catalog::Catalog& catalog, const std::string& gpu,
                                                         const std::string& server, const std::string& rack,
                                                         const std::string& network, const std::string& plant,
                                                         const std::string& feeder) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& f : catalog::misfits(catalog, {gpu, server, rack, network, plant, feeder}))
    out.emplace_back(f.key, f.message);
  return out;
}

py::dict supply_chain(const catalog::Catalog& catalog, const std::string& name, double load_W, double design_W) {
  const auto p = power::SupplyChain(catalog::read_supply_chain(catalog, name), design_W).at(load_W);
  py::list stages;
  for (const auto& s : p.stages)
    stages.append(py::dict("name"_a = s.name, "n_unit"_a = s.n_unit, "loading_frac"_a = s.loading_frac,
                           "loss_W"_a = s.loss_W, "input_W"_a = s.input_W, "output_W"_a = s.output_W,
                           "holdup_s"_a = s.holdup_s));
  return py::dict("load_W"_a = p.load_W, "connection_W"_a = p.connection_W, "loss_W"_a = p.loss_W(),
                  "closure"_a = p.closure(), "efficiency_frac"_a = p.efficiency_frac(), "stages"_a = stages);
}

}  // namespace

void bind_catalog(py::module_& m) {
  py::class_<catalog::Catalog>(m, "Catalog")
      .def(py::init<const std::string&>(), py::arg("overlay"))
      .def("list", &catalog::Catalog::list)
      .def("text", &catalog::Catalog::text, py::arg("kind"), py::arg("name"))
      .def("rack", &rack, py::arg("name"))
      .def("supply_chain", &supply_chain, py::arg("name"), py::arg("load_W"), py::arg("design_W"))
      .def("misfits", &misfits, py::arg("gpu"), py::arg("server"), py::arg("rack"), py::arg("network"),
           py::arg("plant"), py::arg("feeder"));
}

}  // namespace TIDEWATT_NAMESPACE::bindings
