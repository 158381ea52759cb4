#include "base/name.hpp"

#include "catch.hpp"

using namespace tidewatt;

TEST_CASE("a name is 1 to 64 letters, digits, underscores and hyphens") {
  for (const char* good : {"a", "main", "hall-2", "Window_10", "7"}) {
    INFO(good);
    CHECK(is_name(good));
  }
  CHECK(is_name(std::string(64, 'x')));
  CHECK_FALSE(is_name(std::string(65, 'x')));
  for (const char* bad : {"", " a", "a b", "a/b", "../a", "a.b", "$\\frac$", "=1+1", "a,b", "a\"b", "a'b", "<b>",
                          "M\xC3\xBCnchen", "a\nb"}) {
    INFO(bad);
    CHECK_FALSE(is_name(bad));
  }
  CHECK_FALSE(is_name(std::string_view("a\0b", 3)));
}

TEST_CASE("what is no name is a finding at its own place; other types are the reader's") {
  std::vector<Finding> findings;
  const Node n = parse_toml("a = 1\nb = 'x/y'\nc = 'fine'\n", "f.toml");
  for (const char* key : {"a", "b", "c"}) check_name(*n.find(key), key, findings);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].text() == "f.toml:2:1: b: \"x/y\" is not a name: use 1 to 64 letters, digits, _ and -");
}
