#include "validate/evidence_kernels.hpp"

#include "catch.hpp"
#include "validate/catalog_in_use.hpp"
#include "validate/catalog_variant.hpp"
#include "validate/training_runs.hpp"

using namespace tidewatt;
using namespace tidewatt::validate;

namespace {

constexpr ProductShape large = {8192.0, 8192.0, 8192.0};

/// A product with a key of an entry times a factor.
double product_with(const std::string& kind, const std::string& entry, const std::string& key, double factor) {
  const VariantFolder folder;
  folder.add(kind, entry,
             with_value(catalog_in_use().text(kind, entry), key, [factor](double x) { return factor * x; }));
  const CatalogInUse use(folder.path());
  return product_FLOP_per_s("h100_sxm_700W", "bf16", large);
}

ServedLoad load(std::int64_t tp, std::int64_t batch) {
  ServedLoad out{reference_service(tp, batch), "h100_sxm_700W", "dgx_h100_ndr"};
  out.service.prompt_tokens = 5000, out.service.output_tokens = 500;
  return out;
}

}  // namespace

TEST_CASE("a product goes at its efficiency and at the clock of its limit", "[validate][evidence]") {
  const double usual = product_FLOP_per_s("h100_sxm_700W", "bf16", large);
  CHECK(product_with("compute", "h100_sxm", "product_efficiency_frac", 0.8) == Approx(0.8 * usual).epsilon(0.02));
  CHECK(product_with("compute", "h100_sxm", "matrix_efficiency_frac", 0.8) == usual);  // a step's, not a product's
  CHECK(product_with("gpu", "h100_sxm_700W", "power.tdp_W", 0.7) < 0.95 * usual);      // equal without the governor
  CHECK(product_FLOP_per_s("h100_sxm_700W", "fp8", large) > 1.7 * usual);
  CHECK(product_FLOP_per_s("h100_sxm_700W", "bf16", {8192.0, 8192.0, 64.0}) < 0.6 * usual);  // bound by memory
}

TEST_CASE("a brief product goes at the highest clock, whatever the limit", "[validate][evidence]") {
  const double brief = brief_product_FLOP_per_s("h100_sxm_700W", "fp8", large);
  CHECK(brief > 1.05 * product_FLOP_per_s("h100_sxm_700W", "fp8", large));  // equal if the limiter acted
  const double exact = exact_product_efficiency("h100_sxm_700W", "fp8", large, 0.9 * brief);
  CHECK(exact == Approx(0.9 * compute_entry("h100_sxm").fp8_product_efficiency_frac).epsilon(0.01));
}

TEST_CASE("memory is its bandwidth and efficiency, a collective its links", "[validate][evidence]") {
  const auto h100 = compute_entry("h100_sxm");
  CHECK(memory_B_per_s("h100_sxm_700W") == Approx(h100.hbm_B_per_s * h100.hbm_efficiency_frac));
  const auto net = network_entry("dgx_h100_ndr");
  CHECK(all_reduce_bus_B_per_s("dgx_h100_ndr", 8, 8e9) ==
        Approx(net.nvlink_B_per_s * net.nvlink_efficiency_frac).epsilon(0.01));
  CHECK(all_reduce_bus_B_per_s("dgx_h100_ndr", 8, 1e5) < 0.1 * net.nvlink_B_per_s);  // hops outweigh bytes
}

TEST_CASE("a service of eight bits reads half of the weights and multiplies faster", "[validate][evidence]") {
  const auto shape = model_entry("llama3_8b");
  CHECK(service_tokens_per_s(shape, load(1, 1), "fp8") > 1.5 * service_tokens_per_s(shape, load(1, 1), "bf16"));
  CHECK(prompt_s(shape, load(1, 1), "fp8") < 0.65 * prompt_s(shape, load(1, 1), "bf16"));
  CHECK(service_tokens_per_s(shape, load(1, 8), "fp8") > 3.0 * service_tokens_per_s(shape, load(1, 1), "fp8"));
}

TEST_CASE("memory limits what a service decodes together", "[validate][evidence]") {
  const auto shape = model_entry("llama3_70b");
  const double many = service_tokens_per_s(shape, load(2, 200), "fp8");
  CHECK(service_tokens_per_s(shape, load(2, 2000), "fp8") == Approx(many));
  CHECK(service_tokens_per_s(shape, load(2, 20), "fp8") < 0.95 * many);
}
