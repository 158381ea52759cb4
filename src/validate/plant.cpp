#include "catalog_in_use.hpp"
#include "cooling/liquid.hpp"
#include "groups.hpp"
#include "plant_rows.hpp"
#include "row_term.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/node.hpp"
#include "tidewatt/base/reader.hpp"
#include "tidewatt/cooling/hydronic_plant.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

constexpr double m3_per_s_per_GPM = 3.785411784e-3 / 60.0;

Row water_flow() {
  const double mean_K = 293.15;
  const double kg_per_s = cooling::coolant_flow_kg_per_s(1e6, term("C2.rise_K", 10.0), mean_K);
  return against("C2", "1 MW at a rise of 10 K in water of 20 degC", "GPM", 379.0,
                 kg_per_s / cooling::water_density_kg_per_m3(mean_K) / m3_per_s_per_GPM, 0.01,
                 "closed form; density from kell_1975");
}

Row half_flow(const char* id, const char* what, double full_W, double half_W) {
  return within(id, what, "% of power", 0.0, 30.0, 100.0 * half_W / full_W, 0.0, "pnnl_constrain");
}

}  // namespace

cooling::HydronicParams catalog_hydronic(const char* name) {
  const Node node = catalog_in_use().values("plant", name);
  std::vector<Finding> findings;
  TableReader reader(node, "", findings);
  std::string type;
  reader.text("type", type, "kind of plant");
  cooling::HydronicParams params;
  params.fields(reader);
  if (!findings.empty()) throw InputError(std::move(findings));
  return params;
}

std::vector<Row> plant_flow_rows(const Context&) {
  const cooling::HydronicPlant plant(catalog_hydronic("crah_chilled_water"), 1e6);
  return {water_flow(), half_flow("C5/tower", "tower fans of crah_chilled_water at half flow",
                                  plant.tower()->fan_W(1.0), plant.tower()->fan_W(0.5))};
}

}  // namespace TIDEWATT_NAMESPACE::validate
