#include "tidewatt/base/reader.hpp"

#include "catch.hpp"

using namespace tidewatt;

namespace {
struct Thing {
  double tdp_W = 0, clock_Hz = 0, inlet_K = 0;
  std::int64_t n = 0;
  void fields(FieldVisitor& v) {
    v.number("tdp_W", tdp_W, {50, 3000}, "board power");
    v.number("clock_MHz", clock_Hz, {100, 5000}, "clock");
    v.number("inlet_degC", inlet_K, {-50, 60}, "inlet", Need::optional);
    v.integer("n", n, {1, 100}, "count");
  }
};

std::vector<Finding> read(const char* text, Thing& t) {
  std::vector<Finding> findings;
  const Node n = parse_toml(text, "f.toml");
  TableReader r(n, "hall.a.gpu", findings);
  t.fields(r);
  r.finish();
  return findings;
}
}  // namespace

TEST_CASE("values arrive in SI") {
  Thing t;
  CHECK(read("tdp_W=700\nclock_MHz=1980\ninlet_degC=20\nn=8\n", t).empty());
  CHECK(t.clock_Hz == 1.98e9);
  CHECK(t.inlet_K == Approx(293.15));
}

TEST_CASE("every finding is reported at once, with place, range and nearest key") {
  Thing t;
  const auto f = read("tdp_kW = 0.7\nclock_MHz = -5\nm = 3\ninlet_degC = 'warm'\n", t);
  REQUIRE(f.size() == 6);
  std::string all;
  for (const auto& x : f) all += x.text() + "\n";
  CHECK_THAT(all, Catch::Contains("f.toml:1:1: hall.a.gpu.tdp_kW: wrong unit suffix: this key is written 'tdp_W'"));
  CHECK_THAT(all, Catch::Contains("f.toml:2:1: hall.a.gpu.clock_MHz: -5 is outside 100 to 5000 MHz"));
  CHECK_THAT(all, Catch::Contains("hall.a.gpu.m: unknown key (did you mean 'n'?)"));
  CHECK_THAT(all, Catch::Contains("hall.a.gpu.inlet_degC: \"warm\" is not a number"));
  CHECK_THAT(all, Catch::Contains("hall.a.gpu.n: missing"));
}

TEST_CASE("the field list can be read back as data") {
  Thing t;
  read("tdp_W=700\nclock_MHz=1980\ninlet_degC=20\nn=8\n", t);
  const auto list = list_fields(t);
  REQUIRE(list.size() == 4);
  CHECK(list[1].key == "clock_MHz");
  CHECK(list[1].unit == "MHz");
  CHECK(list[1].value == "1980");
}
