#pragma once
#include <string>
#include <vector>

#include "catch.hpp"
#include "tidewatt/base/reader.hpp"

/// Reads the values of a catalog file into parameters; fails the test on any finding.
template <class Params>
void read_catalog_file(const std::string& below, Params& params) {
  using namespace tidewatt;
  const Node node = parse_toml_file(std::string(TIDEWATT_SOURCE_DIR) + "/catalog/" + below);
  std::vector<Finding> findings;
  TableReader reader(node, below, findings);
  params.fields(reader);
  for (const char* other : {"schema", "kind", "name", "sources", "assumed"}) reader.child(other);
  reader.finish();
  for (const auto& f : findings) FAIL(f.text());
}
