#include "tidewatt/base/node.hpp"

#include <pthread.h>

#include "catch.hpp"

using namespace tidewatt;

TEST_CASE("a merged file wins key by key and named lists merge by name") {
  const Node base = parse_toml("a=1\n[t]\nx=1\ny=2\n[[hall]]\nname='p'\nn=1\n[[hall]]\nname='q'\nn=2\n", "base");
  const Node over = parse_toml("[t]\ny=3\n[[hall]]\nname='q'\nn=5\n", "over");
  const Node m = merge(base, over);
  CHECK(std::get<std::int64_t>(m.find("t")->find("x")->value) == 1);
  CHECK(std::get<std::int64_t>(m.find("t")->find("y")->value) == 3);
  const auto& halls = std::get<Node::Array>(m.find("hall")->value);
  REQUIRE(halls.size() == 2);
  CHECK(std::get<std::int64_t>(halls[1].find("n")->value) == 5);
  CHECK(halls[1].find("n")->place.file == "over");
}

TEST_CASE("--set reaches named list items and opens catalog names") {
  Node n = parse_toml("[[hall]]\nname='p'\ngpu='h100'\n", "f");
  apply_set(n, "hall.p.gpu.tdp_W=650");
  const Node* gpu = std::get<Node::Array>(n.find("hall")->value)[0].find("gpu");
  CHECK(std::get<std::string>(gpu->find("catalog")->value) == "h100");
  CHECK(std::get<std::int64_t>(gpu->find("tdp_W")->value) == 650);
  CHECK_THROWS_WITH(apply_set(n, "hall.zzz.n=1"), Catch::Contains("zzz") && Catch::Contains("p"));
  // The file is read by these before anything is set; a value would do nothing.
  for (const char* key : {"base", "base.x", "schema"})
    CHECK_THROWS_WITH(apply_set(n, std::string(key) + "=1"), Catch::Contains("cannot be set"));
}

TEST_CASE("a syntax error and a duplicate key name their line and column") {
  try {
    parse_toml("a = 1\na = 2\n", "f.toml");
    FAIL("accepted a duplicate");
  } catch (const InputError& e) {
    CHECK(e.findings()[0].place.line == 2);
  }
  CHECK_THROWS_AS(parse_toml("[t\n", "f.toml"), InputError);
}

TEST_CASE("lines and depths that no person writes are refused, with their place") {
  const auto refusal = [](const std::string& text) {
    try {
      parse_toml(text, "b.toml");
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const auto dotted = [](std::size_t n) {
    std::string key = "a";
    for (std::size_t i = 1; i < n; ++i) key += ".a";
    return key + " = 1\n";
  };
  CHECK(refusal(dotted(60)).empty());
  CHECK(refusal(dotted(100)).find("nested more than 64") != std::string::npos);
  CHECK(refusal(dotted(30'000)).find("nested more than 64") != std::string::npos);
  CHECK(refusal("x = 1\n" + dotted(1'000'000)).find("b.toml:2:1") != std::string::npos);
}

namespace {

/// What `parse_toml` says of `text` on a stack of 512 KiB: nesting that reaches the parser overflows it.
std::string refusal_on_a_small_stack(std::string text) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 512u << 10);
  pthread_t thread{};
  const auto parse = [](void* at) -> void* {
    auto& given = *static_cast<std::string*>(at);
    try {
      parse_toml(given, "b.toml");
      given = "accepted";
    } catch (const InputError& e) {
      given = e.what();
    }
    return nullptr;
  };
  REQUIRE(pthread_create(&thread, &attributes, parse, &text) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  return text;
}

std::string repeated(const std::string& text, int n) {
  std::string out;
  for (int i = 0; i < n; ++i) out += text;
  return out;
}

}  // namespace

TEST_CASE("nesting is refused before the parser spends stack on it") {
  for (const std::string& text : {repeated("a.", 30'000) + "a = 1\n", "[" + repeated("a.", 30'000) + "a]\n",
                                  repeated("\"a\" . ", 5'000) + "a = 1\n", repeated("'.'.", 5'000) + "a = 1\n",
                                  "x = '''\n'''\nt = " + repeated("{a.a = ", 5'000), "l = " + repeated("[", 30'000)}) {
    INFO(text.substr(0, 60));
    CHECK(refusal_on_a_small_stack(text).find("nested more than 64") != std::string::npos);
  }
  CHECK(refusal_on_a_small_stack("x = \"\"\"a\n\"\"\"\n" + repeated("a.", 30'000) + "a = 1\n").find("b.toml:3:130: ") !=
        std::string::npos);
}

TEST_CASE("dots and brackets in texts, comments and numbers are no nesting") {
  const std::string dots = repeated(".", 200), open = repeated("[", 200);
  for (const std::string& text :
       {"a = '" + dots + open + "'\n", "a = \"\\\"" + dots + open + "\"\n", "# " + dots + open + "\na = 1\n",
        "a = \"\"\"\n" + dots + "\n\"" + open + "\"\"\"\n", "a = '''" + dots + "'" + open + "'''\n",
        std::string("a = \"\"\"x\"\"\"\"\"\nb = 'y'\n"), "a = [" + repeated("1.5, ", 200) + "1.5]\n",
        repeated("[[t]]\nx = [[1.5], [2.5]]\n", 100)}) {
    INFO(text.substr(0, 60));
    CHECK_NOTHROW(parse_toml(text, "g.toml"));
  }
}

TEST_CASE("--set is as deep as a file may be, and says where it stands") {
  Node n = parse_toml("a = 1\n", "f.toml");
  CHECK_THROWS_WITH(apply_set(n, repeated("a.", 100'000) + "a=1"), Catch::Contains("nested more than 64"));
  apply_set(n, "a.b=1");  // over a number: the table is the override's
  CHECK(n.find("a")->place.text() == "--set");
}

TEST_CASE("letters beyond ASCII stand in texts and comments only") {
  const Node n = parse_toml(
      "\xEF\xBB\xBF# caf\xC3\xA9, it's \"here\nname = \"M\xC3\xBCnchen \\\" \xC3\xA9\" # \xC2\xB0"
      "C\nb = '\xC3\xA9\\'\n"
      "c = \"\"\"\n\xC3\xA9 \\\n\"x\" \xEF\xB8\x8F\"\"\"\nd = '''\xC3\xA9''' # \xC3\xA9\n",
      "l.toml");
  CHECK(std::get<std::string>(n.find("name")->value) == "M\xC3\xBCnchen \" \xC3\xA9");
  CHECK(std::get<std::string>(n.find("d")->value) == "\xC3\xA9");
  for (const char* bad : {"a = 1\nt =\xEF\xBB\xBE, 2\n", "a = 1\nk\xC3\xA9y = 1\n",
                          "a = \"x\"\n\xC2\xA0"
                          "b = 1\n"}) {
    INFO(bad);
    try {
      parse_toml(bad, "l.toml");
      CHECK(false);
    } catch (const InputError& e) {
      CHECK(std::string(e.what()).find("l.toml:2:") != std::string::npos);
    }
  }
  Node root = parse_toml("a = 1\n", "l.toml");
  apply_set(root, "a=M\xC3\xBCnchen");  // a bare word is a text
  CHECK(std::get<std::string>(root.find("a")->value) == "M\xC3\xBCnchen");
}
