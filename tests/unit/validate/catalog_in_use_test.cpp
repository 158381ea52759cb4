#include "validate/catalog_in_use.hpp"

#include "catch.hpp"
#include "validate/catalog_variant.hpp"

using namespace tidewatt;

TEST_CASE("rows see a folder laid over the catalog only while it is in use") {
  const auto limit = [] {
    return std::get<std::int64_t>(
        validate::catalog_in_use().values("gpu", "h100_sxm_700W").find("power")->find("tdp_W")->value);
  };
  REQUIRE(limit() == 700);
  {
    const validate::VariantFolder folder;
    folder.add("gpu", "h100_sxm_700W",
               validate::with_value(validate::catalog_in_use().text("gpu", "h100_sxm_700W"), "power.tdp_W",
                                    [](double) { return 500.0; }));
    const validate::CatalogInUse use(folder.path());
    CHECK(limit() == 500);
    CHECK(validate::overlay_in_use() == folder.path());
  }
  CHECK(limit() == 700);
  CHECK(validate::overlay_in_use().empty());
}
