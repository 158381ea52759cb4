#include "grid/compliance_report.hpp"

#include <algorithm>

#include "catch.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

namespace {
ComplianceReport report() {
  RuleSet rules{"r", "A \"quoted\" <set>", "2025", {}};
  rules.rules.push_back({"ramp", "Ramp up", Metric::ramp_up, 60.0, 0, 0, 1e6 / 6});
  rules.rules.push_back({"flicker", "Flicker", Metric::P_st, 0, 0, 0, 0.9});
  WaveformFigures f;
  f.ramps = {{60.0, {2e6 / 6, 1e4, 7 * ns_per_s}, {}}};
  return evaluate(rules, f);
}
}  // namespace

TEST_CASE("text says verdict, figure, limit, margin and moment") {
  const auto text = compliance_text(report());
  CHECK(text.find("fail") != std::string::npos);
  CHECK(text.find("20 ± 0.6 MW/min, limit <= 10, margin -100.0 %, worst at 7.000 s") != std::string::npos);
  CHECK(text.find("not measured") != std::string::npos);
}

TEST_CASE("JSON is escaped, balanced and null where nothing was measured") {
  const auto json = compliance_json(report());
  CHECK(json.find("A \\\"quoted\\\" <set>") != std::string::npos);
  CHECK(json.find("\"worst_s\":7") != std::string::npos);
  CHECK(json.find("\"value\":null") != std::string::npos);
  CHECK(std::count(json.begin(), json.end(), '{') == std::count(json.begin(), json.end(), '}'));
}

TEST_CASE("HTML is escaped and draws a bar for the measured rule only") {
  const auto html = compliance_html(report());
  CHECK(html.find("&lt;set&gt;") != std::string::npos);
  CHECK(html.find("<set>") == std::string::npos);
  std::size_t n = 0;
  for (std::size_t at = html.find("<svg"); at != std::string::npos; at = html.find("<svg", at + 1)) ++n;
  CHECK(n == 1);
}
