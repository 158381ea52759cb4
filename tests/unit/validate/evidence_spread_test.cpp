#include "validate/evidence_spread.hpp"

#include "catch.hpp"
#include "validate/catalog_in_use.hpp"
#include "validate/catalog_variant.hpp"

using namespace tidewatt;
using namespace tidewatt::validate;

namespace {

double range_with(double voltage_factor) {
  const VariantFolder folder;
  folder.add("gpu", "b200_sxm_1000W",
             with_value(catalog_in_use().text("gpu", "b200_sxm_1000W"), "spread.voltage_sigma_mV",
                        [&](double x) { return voltage_factor * x; }));
  const CatalogInUse use(folder.path());
  return node_clock_range_frac("b200_sxm_1000W", "dgx_b200");
}

}  // namespace

TEST_CASE("eight chips differ more the more their voltages do", "[validate][evidence]") {
  const double usual = range_with(1.0);
  CHECK(usual > 0.02);
  CHECK(usual < 0.08);
  CHECK(range_with(2.0) > 1.5 * usual);
  CHECK(range_with(0.0) < usual);  // leakage and heat remain
}

TEST_CASE("nodes whose GPUs all draw their limit are equal", "[validate][evidence]") {
  CHECK(node_power_scatter_frac("h100_sxm_700W", "dgx_h100", 8) < 1e-6);
}
