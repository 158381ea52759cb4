#include "tidewatt/study/compare.hpp"

#include <cmath>

#include "catch.hpp"
#include "study_case.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

TEST_CASE("what changed, and what each change does alone") {
  const StudyCase c;
  c.write("other.toml", "schema = 1\nbase = \"tiny.toml\"\n[weather]\nclimate = \"phoenix_az\"\n[[hall]]\nname = \"a\"\ncap_W = 500\n");
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

TEST_CASE("equal scenarios differ in nothing") {
  const StudyCase c;
  CHECK(changed_keys(c.path("tiny.toml"), c.path("tiny.toml")).empty());
}
