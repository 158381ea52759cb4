#include "grid/supply_control.hpp"

#include "supply_case.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

TEST_CASE("the shipped supplies read, and their loop is slower than their current loop") {
  const auto c = shipped_supplies();
  CHECK(c.voltage_loop_Hz < 0.2 * c.current_loop_Hz);
  CHECK(c.link_filter_s == Approx(0.5 / 60.0).epsilon(0.001));
}

TEST_CASE("a control that lacks a key, or has one out of range, is a finding") {
  Node node = parse_toml("link_s = 0.04\nvoltage_loop_Hz = 1e9\n", "mine.toml");
  std::vector<Finding> findings;
  TableReader t(node, "supply_control", findings);
  SupplyControl().fields(t);
  t.finish();
  CHECK(findings.size() == list_fields(SupplyControl()).size() - 1);
}
