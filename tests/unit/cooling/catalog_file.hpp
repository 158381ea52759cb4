#pragma once
#include <string>

#include "catch.hpp"
#include "tidewatt/base/reader.hpp"

/// Reads a catalog file into its parameters; fails the test on any finding.
template <class Params>
Params catalog_file(const std::string& below) {
  using namespace tidewatt;
  const Node node = parse_toml_file(std::string(TIDEWATT_SOURCE_DIR) + "/catalog/" + below);
  std::vector<Finding> findings;
  TableReader reader(node, "", findings);
  std::int64_t schema = 0;
  std::string kind, name;
  reader.integer("schema", schema, {1, 1}, "version");
  std::string type;
  reader.text("kind", kind, "kind");
  reader.text("type", type, "type", Need::optional);
  reader.text("name", name, "name");
  Params params;
  params.fields(reader);
  const Node* sources = reader.child("sources", Need::required);
  reader.child("assumed");
  reader.finish();
  for (const auto& field : list_fields(params))
    if (node.find(field.key) && (!sources || !sources->find(field.key))) reader.report(nullptr, field.key, "no source");
  std::string all;
  for (const Finding& f : findings) all += f.text() + "\n";
  INFO(all);
  REQUIRE(findings.empty());
  return params;
}
