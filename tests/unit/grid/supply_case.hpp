#pragma once
#include <filesystem>
#include <variant>

#include "catch.hpp"
#include "grid/psse_dyr.hpp"
#include "grid/psse_raw.hpp"
#include "grid/supply_onset.hpp"
#include "tidewatt/base/reader.hpp"

/// The shipped control of server supplies.
inline tidewatt::grid::SupplyControl shipped_supplies() {
  const auto path = std::filesystem::path(TIDEWATT_SOURCE_DIR) / "catalog" / "supply_control" / "psu_single_phase.toml";
  tidewatt::Node node = tidewatt::parse_toml_file(path.string());
  std::erase_if(std::get<tidewatt::Node::Table>(node.value), [](const auto& item) {
    const std::string& k = item.first;
    return k == "schema" || k == "kind" || k == "name" || k == "sources" || k == "assumed";
  });
  std::vector<tidewatt::Finding> findings;
  tidewatt::grid::SupplyControl out;
  tidewatt::TableReader t(node, "supply_control", findings);
  out.fields(t);
  t.finish();
  for (const auto& f : findings) FAIL(f.text());
  return out;
}

/// 400 MW of them, at a short-circuit ratio.
inline tidewatt::grid::SupplyConnection connection(double short_circuit_ratio, double gain_ratio) {
  return {60.0, 400e6, 400e6 * short_circuit_ratio, 10.0, 1.0, gain_ratio};
}

/// A shipped network with supplies as the site.
inline tidewatt::grid::GridSystem network_with_supplies(const std::string& name, std::int64_t bus,
                                                        const tidewatt::grid::SiteSupplies& supplies) {
  using namespace tidewatt::grid;
  const std::string stem = std::string(TIDEWATT_SOURCE_DIR) + "/scenarios/networks/" + name;
  return GridSystem(read_raw(stem + ".raw"), read_dyr(stem + ".dyr"), bus, {}, ShaftInput::power, supplies);
}
