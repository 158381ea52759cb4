#include "study/load_model.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "catch.hpp"

using namespace tidewatt;

namespace {
study::SiteLoad site(const char* settings) { return study::site_load({}, 100e6, 120e6, {settings, ""}); }
const study::ModelTarget target{7, "tidewatt 0; result x; scenario sha256 00", "x", {}};

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
  for (const char* words : {"scenario sha256 00", "records: 100 MW", "remainder without a record: 6 MW",
                            "drives, load id 9 in x_cmpldw.dyr", "load id, Lfm, QPratio",
                            "load id 8: 12.5 MW, 15.625 MVA", "not held: 14 MW, drives",
                            "not held: 10 MW, servers: batteries recharge", "settings: load_settings ups_spread"})
    CHECK(text.find(words) != std::string::npos);
  CHECK(made.warnings.empty());
  CHECK(made.checked.find("54 of 54") != std::string::npos);
}

TEST_CASE("a counter is a warning with its megawatts; a site without a part that PERC1 can hold gets no file") {
  const auto made = study::perc1_model(site("ups_counter"), target);
  REQUIRE(made.warnings.size() == 1);
  CHECK(made.warnings[0].find("100 MW may stay away") != std::string::npos);
  auto free = site("ups_central");
  for (auto& p : free.parts) p.group.current_ratio = std::numeric_limits<double>::infinity();
  CHECK(study::perc1_model(free, target).warnings.empty());  // leaves at once at 0.85 pu: 1.18 times the current
  for (auto& p : free.parts)
    if (p.kind == grid::LoadKind::supply) p.group.voltage = {{0.5, 0.15, true, ""}};
  REQUIRE(study::perc1_model(free, target).warnings.size() == 1);
  CHECK(study::perc1_model(free, target).warnings[0].find("20 times the current") != std::string::npos);
  auto none = site("ups_central");
  std::erase_if(none.parts, [](const auto& p) { return p.kind == grid::LoadKind::supply; });
  CHECK_THROWS_AS(study::perc1_model(none, target), study::UnfitError);
}

TEST_CASE("a composite load holds drives and supplies, not motors; a repeating load needs a line") {
  const auto made = study::cmpldw_model(site("ups_spread"), target);
  const std::string text = made.files.at(0).text();
  CHECK(count(text, "'CMLDBLU2' 12") == 2);
  CHECK(text.find("complete alternative to PERC1") != std::string::npos);
  CHECK(text.find("records: 114 MW; remainder without a record: 6 MW") != std::string::npos);
  CHECK(text.find("not held: 2 MW, motors") != std::string::npos);
  CHECK_THROWS_AS(study::linjbl_model({"w", 0.0, 1e-3, std::vector<double>(50'000, 1e6), {}, {}, {}}, target),
                  InputError);
}

TEST_CASE("records that are read together share no load id and sum up to the site") {
  const auto load = site("ups_central");
  auto beside = target;
  beside.beside_perc1 = true;
  const auto supplies = study::perc1_model(load, target), drives = study::cmpldw_model(load, beside);
  REQUIRE(supplies.loads.size() == 1);
  REQUIRE(drives.loads.size() == 1);
  CHECK(supplies.loads[0].id != drives.loads[0].id);
  CHECK(supplies.loads[0].power_W == 100e6);
  CHECK(drives.loads[0].power_W == Approx(14e6));  // 70 % of the plant's 20 MW
  for (const auto* made : {&supplies, &drives}) {
    const std::string text = made->files[0].text();
    INFO(text);
    CHECK(text.find("remainder without a record: 6 MW") != std::string::npos);
    CHECK(text.find(fmt::format("'{} '", made->loads[0].id)) != std::string::npos);
  }
  CHECK(drives.files[0].text().find("beside x_perc1.dyr") != std::string::npos);
  CHECK(drives.files[0].text().find("supplies, load id 1 in x_perc1.dyr: 100 MW") != std::string::npos);
  // The drives have one id in both sets.
  CHECK(study::cmpldw_model(load, target).loads[0].id == drives.loads[0].id);
  auto no_drives = load;
  std::erase_if(no_drives.parts, [](const auto& p) { return p.kind == grid::LoadKind::drive; });
  CHECK_THROWS_AS(study::cmpldw_model(no_drives, beside), study::UnfitError);
}

TEST_CASE("a repeating load says of which line it is") {
  std::vector<double> P(60'000);
  for (std::size_t i = 0; i < P.size(); ++i)
    P[i] = 80e6 + 1e6 * std::sin(2e-3 * 3.14159265358979 * static_cast<double>(i));
  const std::string text = study::linjbl_model({"w", 0.0, 1e-3, P, {}, {}, {}}, target).files[0].text();
  CHECK_THAT(text, Catch::Contains("its largest line at or above 0.244 Hz") && Catch::Contains("1 Hz, amplitude 1 MW"));
}

TEST_CASE("each record names the program it is for; an unknown one is refused with those that are known") {
  auto t = target;
  CHECK(study::perc1_model(site("ups_central"), t).files[0].text().find("for PSS|E 36") != std::string::npos);
  t.program = "powerworld24";
  CHECK(study::perc1_model(site("ups_central"), t).files[0].text().find("for PowerWorld 24") != std::string::npos);
  t.program = "psse34";
  CHECK(study::cmpldw_model(site("ups_central"), t).files[0].text().find("'CMLDBLU1' 12 1 0 132") != std::string::npos);
  try {
    study::perc1_model(site("ups_central"), t);
    FAIL("accepted");
  } catch (const InputError& e) {
    CHECK(std::string(e.what()).find("did you mean 'psse36'?") != std::string::npos);
  }
}
