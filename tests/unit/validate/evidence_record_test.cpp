#include "validate/evidence_record.hpp"

#include <map>

#include "catch.hpp"
#include "validate/catalog_in_use.hpp"
#include "validate/catalog_variant.hpp"

using namespace tidewatt;
using namespace tidewatt::validate;

namespace {

std::map<std::string, double> rows_of_the_record() {
  std::map<std::string, double> out;
  for (const Row& row : evidence_record_rows({})) out[row.id] = row.got;
  return out;
}

std::map<std::string, double> with(const std::string& kind, const std::string& entry, const std::string& key,
                                   double factor) {
  const VariantFolder folder;
  folder.add(kind, entry,
             with_value(catalog_in_use().text(kind, entry), key, [factor](double x) { return factor * x; }));
  const CatalogInUse use(folder.path());
  return rows_of_the_record();
}

}  // namespace

TEST_CASE("rows of a recorded H100 follow what they are about", "[validate][evidence]") {
  const auto usual = rows_of_the_record();
  const std::string gpu = "h100_sxm_700W";
  auto no_leak = with("gpu", gpu, "power.leakage_W", 0.0);
  CHECK(no_leak["E7/clock-slope"] == Approx(0.0).margin(1e-6));
  CHECK(no_leak["E7/context-slope"] == Approx(0.0).margin(1e-9));
  CHECK(no_leak["E7/clock"] > usual.at("E7/clock"));
  auto no_wait = with("gpu", gpu, "power.wait_activity_ratio", 0.0);
  CHECK(no_wait["E7/wait"] < usual.at("E7/wait") - 30.0);
  CHECK(no_wait["E7/context"] == usual.at("E7/context"));
  // Half of the products of a second take half of the watts above those of waiting.
  const double off_W = usual.at("E7/wait"), short_W = usual.at("E7/duty-20") - off_W;
  CHECK(short_W / 149.7 == Approx((usual.at("E7/duty-35") - off_W) / 249.7).epsilon(0.06));
  // Without the fast limit the first tenth of a second goes at the highest clock, up to the board's peak; the mean over a second is held
  // all the same.
  auto no_fast = with("governor", "nvidia_sampled", "peak_ratio", 2.5);
  CHECK(no_fast["E7/wave-1s"] > 1.1 * usual.at("E7/wave-1s"));
  CHECK(no_fast["E7/wave-1s"] == Approx(1.345));
  // Without the board's peak brief products run at the highest clock, for the watts that its voltage takes.
  auto no_peak = with("gpu", gpu, "governor.edp_peak_ratio", 0.0);
  CHECK(no_peak["E7/duty-60"] > 1.02 * usual.at("E7/duty-60"));
}
