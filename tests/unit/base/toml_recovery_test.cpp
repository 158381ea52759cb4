#include "base/toml_recovery.hpp"

#include "catch.hpp"

using namespace tidewatt;

TEST_CASE("a text without errors is read whole") {
  const auto r = recover_toml("a = 1\n[t]\nb = 2\n", "f.toml");
  CHECK(r.findings.empty());
  REQUIRE(r.root.find("t") != nullptr);
  CHECK(r.root.find("t")->find("b") != nullptr);
}

TEST_CASE("a line in error hides neither other errors nor the rest of the text") {
  const auto r = recover_toml("a = 1\nb = = 2\n[t]\nc = 3\nd = \"open\ne = 5\n", "f.toml");
  REQUIRE(r.findings.size() == 2);
  CHECK(r.findings[0].place.line == 2);
  CHECK(r.findings[1].place.line == 5);
  REQUIRE(r.root.find("t") != nullptr);
  CHECK(r.root.find("t")->find("e") != nullptr);
  CHECK(r.explains({{}, "b", "missing (a number)"}));
  CHECK_FALSE(r.explains({{}, "t.x", "missing (a number)"}));
  CHECK_FALSE(r.explains({{}, "b", "unknown key"}));
}

TEST_CASE("a table whose header is in error is left out, and what it would hold is not called missing") {
  const auto r = recover_toml("[run\nx = 1\n[t]\ny = 2\n", "f.toml");
  REQUIRE(r.findings.size() == 1);
  CHECK(r.root.find("x") == nullptr);
  CHECK(r.root.find("t") != nullptr);
  CHECK(r.explains({{}, "run", "missing (table)"}));
}

TEST_CASE("a list without an end is named by its own line, and the tables after it are read") {
  const auto r = recover_toml("a = 1\nlist = [1, [2, 3],  # ]\n  4\n\n[[t]]\nx = 1\n[u]\ny = = 2\n", "f.toml");
  REQUIRE(r.findings.size() == 2);
  CHECK(r.findings[0].text() == "f.toml:2:1: the list of 'list' has no closing ']' before line 5");
  CHECK(r.findings[1].place.line == 8);
  CHECK(r.root.find("a") != nullptr);
  CHECK(r.root.find("t") != nullptr);
  CHECK(r.explains({{}, "list", "missing (a list)"}));
  const auto last = recover_toml("a = 1\nb = [1, 2\n", "f.toml");
  REQUIRE(last.findings.size() == 1);
  CHECK(last.findings[0].place.line == 2);
  CHECK(last.root.find("a") != nullptr);
}

TEST_CASE("an open bracket ends in a few findings") {
  std::string text = "a = [\n";
  for (int i = 0; i < 50; ++i) text += "x" + std::to_string(i) + " = 1\n";
  const auto r = recover_toml(text, "f.toml");
  CHECK(!r.findings.empty());
  CHECK(r.findings.size() <= 5);
}

TEST_CASE("a text longer than anybody writes is parsed once") {
  std::string text = "a = = 1\nb = = 2\n";
  while (text.size() <= (256u << 10)) text += "# a line of no meaning that makes the text long\n";
  const auto r = recover_toml(text, "f.toml");
  CHECK(r.findings.size() == 1);
  CHECK(r.lost_table);
}
