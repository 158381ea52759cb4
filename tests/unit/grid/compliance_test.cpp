#include "tidewatt/grid/compliance.hpp"

#include <filesystem>

#include "catch.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

namespace {
RuleSet set(const std::string& name, std::vector<Finding>& findings) {
  Node node = parse_toml_file(std::string(TIDEWATT_SOURCE_DIR) + "/catalog/rules/" + name + ".toml");
  Node values;
  for (const char* key : {"title", "date", "rule"})
    if (const Node* n = node.find(key)) values.set(key, *n);
  return read_rules(values, name, "rules", findings);
}
WaveformFigures swing() {
  WaveformFigures f;
  f.peak_W = {100e6, 0.5e6, -1};
  f.mean_W = {80e6, 0.5e6, -1};
  f.range_W = {9e6, 0.2e6, 5 * ns_per_s};
  f.ramps = {{1.0, {0.5e6, 0.1e6, ns_per_s}, {2e6, 0.1e6, 2 * ns_per_s}}};
  f.bands = {{0.1, 20.0, {3e6, 0.1e6, -1}, {0.199, 0.01, -1}}};
  return f;
}
}  // namespace

TEST_CASE("every rule set of the catalog reads; what a run cannot measure names the command that judges it") {
  int n = 0, elsewhere = 0;
  for (const auto& file : std::filesystem::directory_iterator(std::string(TIDEWATT_SOURCE_DIR) + "/catalog/rules")) {
    std::vector<Finding> findings;
    const Node node = parse_toml_file(file.path().string());
    Node values{Node::Table{}, node.place};
    for (const auto& [key, value] : std::get<Node::Table>(node.value))
      if (key != "schema" && key != "kind" && key != "name" && key != "sources" && key != "assumed")
        values.set(key, value);
    const auto rules = read_rules(values, file.path().stem().string(), "rules", findings);
    for (const auto& f : findings)
      if (f.message.find("tidewatt rules check") == std::string::npos &&
          f.message.find("tidewatt ride") == std::string::npos)
        FAIL(f.text());
    CHECK((!rules.rules.empty() || !findings.empty()));
    CHECK(!rules.date.empty());
    elsewhere += findings.empty() ? 0 : 1;
    ++n;
  }
  CHECK(n >= 23);
  CHECK(elsewhere >= 15);
}

TEST_CASE("pass, fail, undecided and not measured, with margins by hand") {
  std::vector<Finding> findings;
  const auto report = evaluate(set("power_stabilization_example", findings), swing());
  REQUIRE(report.outcomes.size() == 4);
  const auto& range = report.outcomes[0];
  CHECK(range.verdict == Compliance::pass);
  CHECK(range.margin == Approx(0.01));
  CHECK(range.margin_frac == Approx(0.1));
  CHECK(range.figure.spread == Approx(0.09 * (0.2 / 9 + 0.5 / 100)));
  CHECK(range.figure.worst == 5 * ns_per_s);
  CHECK(report.outcomes[1].verdict == Compliance::undecided);  // 0.199 ± 0.01 against 0.2
  CHECK(report.outcomes[2].verdict == Compliance::pass);
  CHECK(report.outcomes[3].verdict == Compliance::fail);
  CHECK(report.outcomes[3].margin == Approx(-1e6));
  CHECK(report.verdict() == Compliance::fail);
  auto f = swing();
  f.ramps.clear();
  const auto less = evaluate(set("power_stabilization_example", findings), f);
  CHECK(less.outcomes[3].verdict == Compliance::not_measured);
  CHECK(less.verdict() == Compliance::undecided);
}

TEST_CASE("a site that draws no power has no share of it") {
  // Range over the peak was infinite where on-site turbines fed the grid throughout, and no result could be written.
  std::vector<Finding> findings;
  auto f = swing();
  f.peak_W.value = -1e6;
  const auto report = evaluate(set("power_stabilization_example", findings), f);
  CHECK(report.outcomes[0].verdict == Compliance::not_measured);
}

TEST_CASE("a lower limit holds from below, and a change of one figure flips its rule only") {
  std::vector<Finding> findings;
  const auto rules = read_rules(parse_toml(R"(title = "limits"
date = "2026"
[rule.largest_loss]
title = "load lost"
figure = "load_lost"
limit_MW = 1500
[rule.voltage_low]
title = "voltage"
figure = "voltage_low"
limit_pu = 0.95
[rule.voltage_high]
title = "voltage"
figure = "voltage_high"
limit_pu = 1.05
)",
                                           "r.toml"),
                                "limits", "rules", findings);
  WaveformFigures f;
  f.voltage_low_pu = {0.96, 0.001, 1};
  f.voltage_high_pu = {1.01, 0.001, 1};
  f.load_lost_W = {100e6, 1e6, 1};
  CHECK(evaluate(rules, f).verdict() == Compliance::pass);
  f.voltage_low_pu.value = 0.94;
  const auto report = evaluate(rules, f);
  int failed = 0;
  for (const auto& o : report.outcomes) failed += o.verdict == Compliance::fail;
  CHECK(failed == 1);
  CHECK(report.outcomes[1].margin == Approx(-0.01));
}

TEST_CASE("a rule with a limit in another unit, none, or without its window is refused with its place") {
  const auto reads = [](const std::string& rule) {
    std::vector<Finding> findings;
    read_rules(parse_toml("title = \"x\"\ndate = \"y\"\n[rule.a]\ntitle = \"t\"\n" + rule, "r.toml"), "x", "rules",
               findings);
    return findings.size();
  };
  CHECK(reads("figure = \"range\"\nlimit_MW = 1\n") == 0);
  CHECK(reads("figure = \"range\"\nlimit_frac = 0.1\n") == 1);
  CHECK(reads("figure = \"range\"\n") == 1);
  CHECK(reads("figure = \"ramp_up\"\nlimit_MW_per_min = 1\n") == 1);
  CHECK(reads("figure = \"ramp_up\"\nwindow_s = 1\nlimit_MW_per_min = 1\nlimit_MW_per_s = 1\n") == 1);
  CHECK(reads("figure = \"wobble\"\nlimit_MW = 1\n") == 1);
  CHECK(reads("figure = \"line_share\"\nlow_Hz = 2\nhigh_Hz = 1\nlimit_frac = 1\n") == 1);
}
