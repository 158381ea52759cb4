#include "tidewatt/base/reader.hpp"

#include "base/text.hpp"
#include "base/units.hpp"
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

TEST_CASE("a whole number may be written as a decimal; a fraction may not") {
  Thing t;
  CHECK(read("tdp_W=700\nclock_MHz=1980\nn=8.0\n", t).empty());
  CHECK(t.n == 8);
  const auto f = read("tdp_W=700\nclock_MHz=1980\nn=8.5\n", t);
  REQUIRE(f.size() == 1);
  CHECK(f[0].message == "8.5 is not a whole number");
  CHECK(read("tdp_W=700\nclock_MHz=1980\nn=1e300\n", t).size() == 1);
}

TEST_CASE("a wrong unit suffix is answered with the key of the same quantity") {
  std::vector<Finding> findings;
  const Node n = parse_toml("leakage_per_K = 0.01\nleakage_mV = 3\n", "f.toml");
  TableReader r(n, "power", findings);
  double x = 0.0;
  for (const char* key : {"leakage_frac_per_K", "leakage_W", "leakage_frac_per_V"})
    r.number(key, x, {0, 1}, "leakage", Need::optional);
  r.finish();
  REQUIRE(findings.size() == 2);
  for (const auto& f : findings) {
    const bool per_K = f.key == "power.leakage_per_K";  // no voltage among the known ones: leakage_mV gets the nearest
    CHECK(f.message ==
          std::string("wrong unit suffix: this key is written '") + (per_K ? "leakage_frac_per_K'" : "leakage_W'"));
  }
}

TEST_CASE("a name that is no slip of the pen is found by a whole word that it shares, units apart") {
  const std::vector<std::string> known = {"global_batch_sequences", "cap_W", "replica_batch_sequences", "mix_frac",
                                          "h100_sxm_700W"};
  CHECK(nearest("power_cap_kW", known) == "cap_W");
  CHECK(nearest("batch", known) == "global_batch_sequences");
  CHECK(nearest("h100", known) == "h100_sxm_700W");
  CHECK(nearest("sunshine_frac", known).empty());  // a unit in common says nothing
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

TEST_CASE("the suffix of a key says its unit: prefixes, hours and days, degrees, energy prices") {
  const auto si = [](const char* key, double value) {
    const auto unit = unit_of_key(key);
    REQUIRE(unit);
    return value * unit->scale + unit->offset;
  };
  CHECK(si("power_MW", 2.5) == Approx(2.5e6));
  CHECK(si("power_kW", 2.5) == Approx(2.5e3));
  CHECK(si("short_circuit_MVA", 3) == Approx(3e6));
  CHECK(si("ramp_MW_per_min", 6) == Approx(1e5));
  CHECK(si("energy_MWh", 1) == Approx(3.6e9));
  CHECK(si("energy_kWh", 1) == Approx(3.6e6));
  CHECK(si("inlet_degC", 25) == Approx(298.15));
  CHECK(si("clock_MHz", 1980) == Approx(1.98e9));
  CHECK(si("voltage_mV", 900) == Approx(0.9));
  CHECK(si("planned_rate_per_day", 86400) == Approx(1.0));
  CHECK(si("rate_per_node_day", 86400) == Approx(1.0));
  CHECK(si("repair_h", 2) == Approx(7200.0));
  CHECK(si("price_USD_per_MWh", 3.6e9) == Approx(1.0));
  CHECK(si("water_L_per_kWh", 3.6e9) == Approx(1.0));
  CHECK(si("memory_GB", 1) == Approx(1e9));
  CHECK(si("memory_GiB", 1) == Approx(1073741824.0));
}

TEST_CASE("a finding shows control characters of the input as text") {
  CHECK(Finding{{"f.toml", 1, 2}, "a", "\"\x1b[2J\x7f\" is no name"}.text() ==
        "f.toml:1:2: a: \"\\x1b[2J\\x7f\" is no name");
  CHECK(Finding{{}, "", "two\n  lines"}.text() == "two\n  lines");
}

TEST_CASE("a quantity written as text is told as the number to write") {
  Thing t;
  const auto f = read("tdp_W = \"600 W\"\nclock_MHz = \"1.2 GHz\"\ninlet_degC = \"20 m\"\nn = \"8\"\n", t);
  std::string all;
  for (const auto& x : f) all += x.text() + "\n";
  CHECK_THAT(all, Catch::Contains("tdp_W: \"600 W\" is not a number; write 600: the unit is in the key"));
  CHECK_THAT(all, Catch::Contains("clock_MHz: \"1.2 GHz\" is not a number; write 1200: the key's unit is MHz"));
  CHECK_THAT(all, Catch::Contains("write a plain number: the key's unit is degC"));
  CHECK_THAT(all, Catch::Contains("write 8 without quotes"));
}
