#pragma once
#include <string>

#include "tidewatt/catalog/catalog.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// The catalog that rows are computed with: the project's, or inside a CatalogInUse that with a folder laid over it.
const catalog::Catalog& catalog_in_use();
/// That folder, for scenarios; empty: none.
const std::string& overlay_in_use();

/// Lays a folder over the catalog of this thread's rows while it lives, so that rows show what a value does to them.
class CatalogInUse {
 public:
  /// @param overlay as in Catalog  @throws InputError as Catalog
  explicit CatalogInUse(const std::string& overlay);
  ~CatalogInUse();
  CatalogInUse(const CatalogInUse&) = delete;
  CatalogInUse& operator=(const CatalogInUse&) = delete;

 private:
  catalog::Catalog catalog_;
  std::string overlay_;
  const CatalogInUse* before_;

  friend const catalog::Catalog& catalog_in_use();
  friend const std::string& overlay_in_use();
};

}  // namespace TIDEWATT_NAMESPACE::validate
