#pragma once
#include "fleet/site.hpp"
#include "tidewatt/base/reader.hpp"
#include "tidewatt/catalog/catalog.hpp"

/// The catalog's H100 server, for tests that need a realistic node.
inline tidewatt::fleet::NodeType h100_node_type() {
  using namespace tidewatt;
  const catalog::Catalog catalog;
  const Node gpu = catalog.values("gpu", "h100_sxm_700W");
  const Node server = catalog.values("server", "grand_teton_h100");
  std::vector<Finding> findings;
  const auto read = [&](const Node& n, const char* table, auto params) {
    TableReader r(*n.find(table), table, findings);
    params.fields(r);
    r.finish();
    return params;
  };
  const auto type = fleet::make_node_type(
      read(gpu, "power", power::GpuPowerParams{}), read(gpu, "governor", dvfs::GovernorParams{}),
      read(server, "power", power::ServerPowerParams{}), read(server, "air", thermal::ServerAirParams{}),
      read(gpu, "package", thermal::PackageParams{}), 700.0, 1.98e9);
  if (!findings.empty()) throw InputError(findings);
  return type;
}
