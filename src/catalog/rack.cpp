#include "tidewatt/catalog/rack.hpp"

#include <fmt/format.h>

#include "tidewatt/base/reader.hpp"

namespace TIDEWATT_NAMESPACE::catalog {
namespace {

constexpr std::string_view path = "rack";

/// A table of the entry into parameters.
template <class Params>
void read_table(TableReader& whole, const std::string& key, Params& params, std::vector<Finding>& findings) {
  const Node* node = whole.child(key, Need::required);
  if (node == nullptr) return;
  TableReader reader(*node, key, findings);
  params.fields(reader);
  reader.finish();
}

RackEntry entry_of(const Node& values, const std::string& name) {
  RackEntry rack;
  rack.name = name;
  std::vector<Finding> findings;
  TableReader reader(values, "", findings);
  reader.text("gpu", rack.gpu, "entry of kind gpu");
  reader.text("server", rack.server, "entry of kind server: one compute tray");
  reader.text("network", rack.network, "entry of kind network");
  read_table(reader, "power", rack.power, findings);
  read_table(reader, "liquid", rack.loop, findings);
  reader.finish();
  if (!findings.empty()) throw InputError(std::move(findings));
  return rack;
}

/// The entry's values with every assumed part of its power at one end. All parts add to the sum; a better efficiency
/// takes from it. Counts of trays stay: they make another rack.
Node at_end(Node values, const std::vector<AssumedInput>& assumed, bool high) {
  for (const AssumedInput& a : assumed) {
    const std::string key = a.key.substr(path.size() + 1);  // e.g. power.fans_W
    const std::string member = key.substr(key.find('.') + 1);
    const bool part = key.starts_with("power.") && member.ends_with("_W"), loss = member == "shelf_efficiency_frac";
    if (!part && !loss) continue;
    values.find("power")->set(member, Node(high != loss ? a.high : a.low, {}));
  }
  return values;
}

}  // namespace

RackEntry read_rack(const Catalog& catalog, const std::string& name) {
  return entry_of(catalog.values("rack", name), name);
}

RackSpread rack_spread(const Catalog& catalog, const std::string& name) {
  std::vector<Finding> findings;
  std::vector<AssumedInput> assumed;
  const Node values = catalog.resolve(Node(name, {}), "rack", std::string(path), findings, assumed);
  if (!findings.empty()) throw InputError(std::move(findings));
  const auto rated = [&](const Node& node) { return power::rack_rated_power(entry_of(node, name).power); };
  return {rated(values), rated(at_end(values, assumed, false)), rated(at_end(values, assumed, true))};
}

power::SupplyChainParams read_supply_chain(const Catalog& catalog, const std::string& name) {
  const Node values = catalog.values("supply_chain", name);
  power::SupplyChainParams chain;
  std::vector<Finding> findings;
  std::vector<std::string> stages;
  TableReader reader(values, "", findings);
  reader.texts("stages", stages, "tables of the stages, connection first");
  for (const std::string& stage : stages) {
    chain.stages.emplace_back().name = stage;
    read_table(reader, stage, chain.stages.back(), findings);
  }
  reader.finish();
  if (!findings.empty()) throw InputError(std::move(findings));
  return chain;
}

}  // namespace TIDEWATT_NAMESPACE::catalog
