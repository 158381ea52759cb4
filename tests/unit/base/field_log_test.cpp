#include "base/field_log.hpp"

#include "catch.hpp"
#include "tidewatt/base/reader.hpp"

using namespace tidewatt;

TEST_CASE("a reader's log holds every key that it asks for, given or not") {
  const Node root = parse_toml("[[hall]]\nname = \"north\"\ncap_W = 600\n", "f.toml");
  std::vector<Finding> findings;
  FieldLog log;
  TableReader top(root, "", findings, &log);
  const Node* halls = top.list("hall", Need::required, "halls");
  REQUIRE(halls != nullptr);
  TableReader hall(std::get<Node::Array>(halls->value).front(), "hall.north", findings, &log);
  std::string name, kind;
  double cap_W = 0.0, limit_K = 300.0;
  static constexpr std::array<std::string_view, 2> words = {"air", "water"};
  hall.text("name", name, "its name");
  hall.number("cap_W", cap_W, {0, 5000}, "cap", Need::optional);
  hall.number("limit_degC", limit_K, {0, 100}, "limit", Need::optional);
  hall.choice("kind", kind, words, "what it is", Need::optional);
  REQUIRE(log.entries().size() == 5);
  const auto& cap = log.entries()[2];
  CHECK(cap.table == "hall.*");
  CHECK(cap.info.unit == "W");
  CHECK(cap.example == "600");
  CHECK(cap.info.value == "0");  // the default, not what the file gives
  CHECK(log.entries()[3].example.empty());
  CHECK(log.entries()[4].options == std::vector<std::string>{"air", "water"});
}

TEST_CASE("keys that follow a `kind` belong to its word") {
  const Node root = parse_toml("kind = \"water\"\nflow_frac = 0.5\n", "f.toml");
  std::vector<Finding> findings;
  FieldLog log;
  TableReader r(root, "plant", findings, &log);
  static constexpr std::array<std::string_view, 2> words = {"air", "water"};
  std::string kind;
  double flow = 0.0;
  r.choice("kind", kind, words, "what it is");
  r.number("flow_frac", flow, {0, 1}, "flow");
  CHECK(log.entries()[0].variant.empty());
  CHECK(log.entries()[1].variant == "water");
}
