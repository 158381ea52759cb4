#include "tidewatt/sim/build_fleet.hpp"

#include <set>

#include "catch.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

namespace {
Scenario day(std::vector<std::string> set) {
  LoadOptions o;
  o.set = std::move(set);
  return load_scenario(std::string(TIDEWATT_SOURCE_DIR) + "/scenarios/llama3_405b_day.toml", o);
}
}  // namespace

TEST_CASE("racks and rows hold what the scenario says") {
  const auto s = day({});
  const auto f = build_fleet(s);
  CHECK(f.n_gpu() == 16384);
  CHECK(f.n_node() == 2048);
  CHECK(std::set(f.node_rack.begin(), f.node_rack.end()).size() == 1024);
  CHECK(std::set(f.node_row.begin(), f.node_row.end()).size() == 64);
  for (std::size_t n = 1; n < f.n_node(); ++n) CHECK((f.node_row[n] >= f.node_row[n - 1] && f.node_rack[n] >= f.node_rack[n - 1]));
}

TEST_CASE("chips are the same for the same seed, differ for another, and are nominal without spread") {
  const auto a = build_fleet(day({})), b = build_fleet(day({})), c = build_fleet(day({"run.seed=2"}));
  const auto flat = build_fleet(day({"run.spread=false"}));
  CHECK(a.chip[77].leakage_ratio == b.chip[77].leakage_ratio);
  CHECK(a.chip[77].leakage_ratio != c.chip[77].leakage_ratio);
  for (const auto& chip : flat.chip) CHECK((chip.leakage_ratio == 1.0 && chip.voltage_offset_V == 0.0));
  CHECK(flat.resistance_ratio[5] == 1.0);
}
