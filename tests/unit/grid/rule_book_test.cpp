#include "grid/rule_book.hpp"

#include <cmath>
#include <filesystem>

#include "catch.hpp"
#include "tidewatt/grid/compliance.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

namespace {

RuleBook book(const std::string& name, std::vector<Finding>& findings) {
  const auto path = std::filesystem::path(TIDEWATT_SOURCE_DIR) / "catalog" / "rules" / (name + ".toml");
  Node n = parse_toml_file(path.string());
  std::erase_if(std::get<Node::Table>(n.value), [](const auto& item) {
    return item.first == "schema" || item.first == "kind" || item.first == "name" || item.first == "sources" ||
           item.first == "assumed";
  });
  return read_rule_book(n, name, "rules", findings);
}

const RuleBand& band_of(const std::vector<RuleBand>& bands, double x) {
  const RuleBand* found = nullptr;
  for (const auto& b : bands)
    if (b.holds(x)) {
      REQUIRE(!found);
      found = &b;
    }
  REQUIRE(found);
  return *found;
}

std::size_t wrong(const std::string& text) {
  std::vector<Finding> findings;
  read_rule_book(parse_toml("title = \"t\"\ndate = \"d\"\n" + text, "r.toml"), "r", "rules", findings);
  return findings.size();
}

}  // namespace

TEST_CASE("every rule file reads without a finding, and every level lies in one band only") {
  int n = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(std::filesystem::path(TIDEWATT_SOURCE_DIR) / "catalog" / "rules")) {
    std::vector<Finding> findings;
    const auto b = book(file.path().stem().string(), findings);
    INFO(file.path().string() << (findings.empty() ? "" : findings[0].text()));
    CHECK(findings.empty());
    if (b.ride)
      for (double v = 0.0; v < 1.3; v += 0.01) band_of(b.ride->voltage, std::round(v * 100.0) / 100.0);
    ++n;
  }
  CHECK(n >= 23);
}

TEST_CASE("the Texas rule asks what the secondary sources say, edges included, and binds; a straw proposal does not") {
  std::vector<Finding> findings;
  const auto ercot = book("ercot_nogrr282", findings);
  const auto& v = ercot.ride->voltage;
  CHECK(band_of(v, 0.1999).stay_s == 0.15);
  CHECK(band_of(v, 0.20).stay_s == 0.25);
  CHECK(band_of(v, 0.50).stay_s == 0.5);
  CHECK(band_of(v, 0.80).stay_s == 2.0);
  CHECK(band_of(v, 0.90).duty == BandDuty::continuous);
  CHECK(band_of(v, 1.10).duty == BandDuty::continuous);
  CHECK(band_of(v, 1.20).stay_s == 2.0);
  CHECK(band_of(v, 1.21).duty == BandDuty::may_trip);
  CHECK(band_of(ercot.ride->frequency, 57.0).stay_s == 299.0);
  CHECK(ercot.binding());
  CHECK(ercot.why_not(80e6, not_stated, 1.0).empty());
  CHECK(ercot.why_not(80e6, not_stated, 0.4).find("40 %") != std::string::npos);
  CHECK(ercot.why(80e6, 138e3, 1.0) ==
        "the site's largest 80 MW are at or above 75 MW, 100 % of it computing load, at or above 50 %");
  CHECK(ercot.why_not(2.6e6, not_stated, 1.0).find("below 75 MW") != std::string::npos);
  CHECK_FALSE(book("caiso_straw_2026", findings).binding());
  const auto spp = book("spp_hill", findings);
  CHECK(spp.why_not(20e6, 138e3, 1.0).find("50 MW") ==
        std::string::npos);  // another voltage, or too small: either is said
  CHECK_FALSE(spp.why_not(20e6, 138e3, 1.0).empty());
  CHECK(spp.why_not(20e6, 34.5e3, 1.0).empty());
  CHECK(band_of(spp.ride->voltage, 0.7).duty == BandDuty::not_read);
}

TEST_CASE("limits of both kinds come in SI: a share per minute, a power per minute") {
  std::vector<Finding> findings;
  for (const auto& r : book("ercot_nprr1191", findings).rules)
    if (r.figure == RecordFigure::slope_up) {
      CHECK(r.limit == Approx(8e6 / 60));
      CHECK(r.limit_share == Approx(0.02 / 60));
    }
}

TEST_CASE("bands that overlap, leave a gap or share an edge, and limits in another unit are refused") {
  CHECK(wrong("[ride]\nvoltage = [{low_pu=0.0, high_pu=0.9, stay_s=1}, {low_pu=0.9, duty=\"continuous\"}]") == 0);
  CHECK(wrong("[ride]\nvoltage = [{low_pu=0.0, high_pu=0.9, stay_s=1}, {low_pu=0.8, duty=\"continuous\"}]") == 1);
  CHECK(wrong("[ride]\nvoltage = [{low_pu=0.0, high_pu=0.8, stay_s=1}, {low_pu=0.9, duty=\"continuous\"}]") == 1);
  CHECK(wrong("[ride]\nvoltage = [{low_pu=0.0, high_pu=0.9, stay_s=1, edges=\"both\"}, {low_pu=0.9, "
              "duty=\"continuous\"}]") == 1);
  CHECK(wrong("[ride]\nvoltage = [{low_pu=0.0, high_pu=0.9}]") == 1);
  CHECK(wrong("[ride]\nrecovery_s = 2.0") == 1);
  const std::string rule = "[rule.a]\ntitle=\"x\"\nfigure=\"slope_up\"\nwindow_s=60\n";
  CHECK(wrong(rule + "limit_MW_per_min = 1") == 0);
  CHECK(wrong(rule + "limit_MW = 1") == 1);
  CHECK(wrong(rule) == 1);
  CHECK(wrong("") == 1);
}

TEST_CASE(
    "a run's rules refuse what only a recorded window or a ride-through study can judge, and say which command does") {
  std::vector<Finding> findings;
  read_rules(
      parse_toml("title=\"t\"\ndate=\"d\"\n[rule.a]\ntitle=\"x\"\nfigure=\"peak_to_peak\"\nwindow_s=5\nlimit_MW=1\n",
                 "r.toml"),
      "mine", "site.rules", findings);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].message.find("tidewatt rules check mine") != std::string::npos);
  findings.clear();
  read_rules(parse_toml("title=\"t\"\ndate=\"d\"\n[ride]\nrocof_Hz_per_s=1\n", "r.toml"), "mine", "site.rules",
             findings);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].message.find("tidewatt ride") != std::string::npos);
}
