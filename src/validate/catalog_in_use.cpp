#include "catalog_in_use.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

// Rows are functions of the data folder alone; a parameter through all of them would be passed on and read in few.
thread_local const CatalogInUse* in_use = nullptr;

}  // namespace

CatalogInUse::CatalogInUse(const std::string& overlay) : catalog_(overlay), overlay_(overlay), before_(in_use) {
  in_use = this;
}

CatalogInUse::~CatalogInUse() { in_use = before_; }

const catalog::Catalog& catalog_in_use() {
  static const catalog::Catalog project;
  return in_use != nullptr ? in_use->catalog_ : project;
}

const std::string& overlay_in_use() {
  static const std::string none;
  return in_use != nullptr ? in_use->overlay_ : none;
}

}  // namespace TIDEWATT_NAMESPACE::validate
