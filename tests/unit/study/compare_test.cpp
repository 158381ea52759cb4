#include "study/compare.hpp"

#include <cmath>

#include "catch.hpp"
#include "study_case.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

TEST_CASE("what changed, and what each change does alone") {
  const StudyCase c;
  c.write(
      "other.toml",
      "schema = 1\nbase = \"tiny.toml\"\n[weather]\nclimate = \"phoenix_az\"\n[[hall]]\nname = \"a\"\ncap_W = 500\n");
  const sim::LoadOptions fast{{"run.duration_h=0.01", "record.window.sample.duration_s=1"}, "", ""};
  const auto got = compare(c.path("tiny.toml"), c.path("other.toml"), fast);
  std::size_t n_written = 0, cap = 99, climate = 99;
  for (std::size_t i = 0; i < got.keys.size(); ++i) {
    if (!got.keys[i].behind_name) ++n_written;
    if (got.keys[i].key == "hall.a.cap_W") cap = i;
    if (got.keys[i].key == "weather.climate") climate = i;
  }
  CHECK(n_written == 2);
  REQUIRE(cap < got.keys.size());
  REQUIRE(climate < got.keys.size());
  CHECK(got.keys[cap].before.empty());
  CHECK(got.keys[cap].after == "500");
  CHECK(got.keys.size() > n_written);  // the climates' own values
  bool found = false;
  for (const auto& f : got.figures) {
    if (f.name != "wue_L_per_kWh") continue;
    found = true;
    CHECK(f.after > f.before);  // the desert evaporates more
    CHECK(f.alone[climate] > 0.0);
    CHECK(std::abs(f.alone[climate]) > std::abs(f.alone[cap]));
  }
  CHECK(found);
  CHECK(got.text().find("weather.climate: \"portland_or\" -> \"phoenix_az\"") != std::string::npos);
}

TEST_CASE("a device that only one scenario has is one change, whichever way round") {
  const StudyCase c;
  const std::string battery =
      "[[mitigation]]\nname = \"battery\"\nkind = \"site_battery\"\ncatalog = \"site_battery_10MW\"\npower_MW = "
      "0.1\nenergy_MWh = 0.05\nstandby_kW = 20\n";
  c.write("other.toml", "schema = 1\nbase = \"tiny.toml\"\n[[hall]]\nname = \"a\"\ncap_W = 500\n" + battery);
  const sim::LoadOptions fast{{"run.duration_h=0.01", "record.window.sample.duration_s=1"}, "", ""};
  for (const bool forward : {true, false}) {
    const auto got = forward ? compare(c.path("tiny.toml"), c.path("other.toml"), fast)
                             : compare(c.path("other.toml"), c.path("tiny.toml"), fast);
    REQUIRE(got.keys.size() == 2);
    const std::size_t device = got.keys[0].key == "mitigation.battery" ? 0 : 1;
    CHECK(got.keys[device].key == "mitigation.battery");
    const std::string& with = forward ? got.keys[device].after : got.keys[device].before;
    CHECK(with.find("power_MW = 0.1") != std::string::npos);
    CHECK((forward ? got.keys[device].before : got.keys[device].after).empty());
    bool found = false;
    for (const auto& f : got.figures) {
      CHECK(f.name != "energy_closure");
      if (f.name != "pcc_mean_MW") continue;
      found = true;
      CHECK(std::isfinite(f.alone[device]));
      CHECK(f.alone[device] != 0.0);
      CHECK(std::isfinite(f.alone[1 - device]));
    }
    CHECK(found);
    CHECK(got.text().find("e+2") == std::string::npos);
  }
}

TEST_CASE("values that only one of two catalog entries has are counted, not listed") {
  const StudyCase c;
  c.write("other.toml", "schema = 1\nbase = \"tiny.toml\"\n[[hall]]\nname = \"a\"\nplant = \"crah_chilled_water\"\n");
  const sim::LoadOptions fast{{"run.duration_h=0.01", "record.window.sample.duration_s=1"}, "", ""};
  const std::string text = compare(c.path("tiny.toml"), c.path("other.toml"), fast, false).text();
  CHECK(text.starts_with("1 key differs\n   1  hall.a.plant: "));
  CHECK(text.find("values that only one of the two entries has") != std::string::npos);
  CHECK(text.find(": type: \"outside_air\" -> \"hydronic\"") != std::string::npos);
  CHECK(text.find("-> -") == std::string::npos);
}

TEST_CASE("equal scenarios differ in nothing") {
  const StudyCase c;
  CHECK(changed_keys(c.path("tiny.toml"), c.path("tiny.toml")).empty());
}
