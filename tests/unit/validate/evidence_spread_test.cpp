#include "validate/evidence_spread.hpp"

#include <cmath>

#include "catch.hpp"
#include "validate/catalog_in_use.hpp"
#include "validate/catalog_variant.hpp"
#include "validate/declared_key.hpp"
#include "validate/training_runs.hpp"

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

TEST_CASE("nodes of a job differ by the stages and replicas of their GPUs, and the row's key moves it",
          "[validate][evidence]") {
  const auto scatter = [] {
    const TrainingRun run = run_named(training_runs(), "P6/period");
    const workload::IterationModel model(model_entry(run.model), run.plan, compute_entry(run.device),
                                         network_entry(run.network));
    return node_power_scatter_frac("h100_sxm_700W", "dgx_h100", model);
  };
  const double usual = scatter();
  CHECK(usual > 1e-4);
  CHECK(usual < 0.05);
  const DeclaredKey* key = declared_key(declared_keys(), "E5/nodes-512");
  REQUIRE(key != nullptr);
  const VariantFolder folder;
  folder.add(key->kind, key->name, with_value(catalog_in_use().text(key->kind, key->name), key->key, [&](double x) {
               return key->factor * x;
             }));
  const CatalogInUse use(folder.path());
  CHECK(std::abs(scatter() / usual - 1.0) > 0.15);  // the row's tolerance; mutation sees only rows that pass
}
