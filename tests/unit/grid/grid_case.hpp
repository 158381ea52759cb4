#pragma once
#include <string>
#include <vector>

#include "catch.hpp"
#include "grid/grid_case.hpp"
#include "tidewatt/catalog/catalog.hpp"

/// A power system of the catalog.
inline tidewatt::grid::GridCase grid_case(const std::string& name) {
  std::vector<tidewatt::Finding> findings;
  auto out = tidewatt::grid::read_grid_case(tidewatt::catalog::Catalog().values("grid_case", name), "", findings);
  for (const auto& f : findings) FAIL(f.text());
  return out;
}
