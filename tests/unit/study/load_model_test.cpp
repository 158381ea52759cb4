#include "tidewatt/study/load_model.hpp"

#include "catch.hpp"

using namespace tidewatt;

namespace {
study::SiteLoad site(const char* settings) { return study::site_load({}, 100e6, 120e6, {settings, ""}); }
const study::ModelTarget target{7, "tidewatt 0; result x; scenario sha256 00", "x"};

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t n = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}
}  // namespace

TEST_CASE("PERC1: one record per line, the header says megawatts, origin, remainder and what is not held") {
  const auto made = study::perc1_model(site("ups_spread"), target);
  const std::string text = made.files.at(0).text();
  CHECK(made.files[0].name == "x_perc1.dyr");
  CHECK(count(text, "\n7 'PERC1' '") == 8);
  for (const char* words : {"scenario sha256 00", "records: 100 MW", "remainder without a record: 20 MW", "load id 8: 12.5 MW, 15.625 MVA", "not held: 14 MW, drives", "not held: 10 MW, servers: batteries recharge",
                            "settings: load_settings ups_spread"})
    CHECK(text.find(words) != std::string::npos);
  CHECK(made.warnings.empty());
  CHECK(made.checked.find("54 of 54") != std::string::npos);
}

TEST_CASE("a counter is a warning with its megawatts; a site without a part that PERC1 can hold gets no file") {
  const auto made = study::perc1_model(site("ups_counter"), target);
  REQUIRE(made.warnings.size() == 1);
  CHECK(made.warnings[0].find("100 MW may stay away") != std::string::npos);
  auto none = site("ups_central");
  std::erase_if(none.parts, [](const auto& p) { return p.kind == grid::LoadKind::supply; });
  CHECK_THROWS_AS(study::perc1_model(none, target), study::UnfitError);
}

TEST_CASE("a composite load holds drives and supplies, not motors; a repeating load needs a line") {
  const auto made = study::cmpldw_model(site("ups_spread"), target);
  const std::string text = made.files.at(0).text();
  CHECK(count(text, "'CMLDBLU2' 12") == 2);
  CHECK(text.find("not held: 2 MW, motors") != std::string::npos);
  CHECK_THROWS_AS(study::linjbl_model({"w", 0.0, 1e-3, std::vector<double>(50'000, 1e6), {}, {}, {}}, target), InputError);
}
