#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/reader.hpp"
#include "tidewatt/grid/machine_case.hpp"

/// A multi-machine case of the catalog.
inline tidewatt::grid::MachineCase grid_case(const std::string& name) {
  const auto path = std::filesystem::path(TIDEWATT_SOURCE_DIR) / "catalog" / "grid_case" / (name + ".toml");
  tidewatt::Node node = tidewatt::parse_toml_file(path.string());
  std::erase_if(std::get<tidewatt::Node::Table>(node.value), [](const auto& item) {
    const std::string& k = item.first;
    return k == "schema" || k == "kind" || k == "name" || k == "sources" || k == "assumed";
  });
  std::vector<tidewatt::Finding> findings;
  auto out = tidewatt::grid::read_machine_case(node, "", findings);
  for (const auto& f : findings) FAIL(f.text());
  return out;
}

/// One machine on a line to an infinite bus (a machine of huge inertia with a stiff field), no load, no losses.
inline tidewatt::grid::MachineCase one_machine(double power_W = 80e6) {
  tidewatt::grid::MachineCase c;
  c.base_VA = 100e6;
  c.nominal_Hz = 60.0;
  c.slack_bus = 2;
  c.bus = {{1, 2}, {0, power_W}, {0, 0}, {0, 0}};
  c.branch = {{1}, {2}, {0}, {0.3}, {0}, {1}};
  auto& m = c.machine;
  m.bus = {1, 2};
  m.rating_VA = {100e6, 1e11};
  m.power_W = {power_W, 0};
  m.voltage_pu = {1.0, 1.0};
  m.inertia_s = {4.0, 1000.0};
  m.damping_pu = {0.0, 0.0};
  m.armature_pu = {0.0, 0.0};
  m.leakage_pu = {0.1, 0.1};
  m.d_pu = {1.5, 0.2};
  m.d_transient_pu = {0.3, 0.15};
  m.d_subtransient_pu = {0.0, 0.0};
  m.q_pu = {1.5, 0.2};
  m.q_transient_pu = {0.0, 0.0};
  m.q_subtransient_pu = {0.0, 0.0};
  m.d_transient_s = {8.0, 8.0};
  m.d_subtransient_s = {0.0, 0.0};
  m.q_transient_s = {0.0, 0.0};
  m.q_subtransient_s = {0.0, 0.0};
  return c;
}
