#include "validate/catalog_variant.hpp"

#include <filesystem>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt::validate;

namespace {

const std::string file = R"(name = "x"
n = 8
list = [
  1.5,  # 3 in all
  2,
]
[power]
tdp_W = 700  # of 10
"dotted.key" = 2.0
[assumed]
"power.tdp_W" = [600, 800]
)";

double twice(double x) { return 2.0 * x; }

bool holds(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("one value of a catalog file changes, and nothing else") {
  const auto text = with_value(file, "power.tdp_W", twice);
  CHECK(holds(text, "tdp_W = 1400  # of 10"));
  CHECK(holds(text, "[600, 800]"));
  CHECK(text.size() == file.size() + 1);
  CHECK(holds(with_value(file, "n", twice), "n = 16\n"));  // a whole number stays one
}

TEST_CASE("each number of a list changes, not those of its comments") {
  const auto text = with_value(file, "list", twice);
  CHECK(holds(text, "  3.0"));
  CHECK(holds(text, "# 3 in all"));
  CHECK(holds(text, "  4,"));
}

TEST_CASE("a key that is not there, or is no number, is refused") {
  CHECK_THROWS_AS(with_value(file, "power.board_W", twice), tidewatt::InputError);
  CHECK_THROWS_AS(with_value(file, "tdp_W", twice), tidewatt::InputError);
  CHECK_THROWS_AS(with_value(file, "name", twice), tidewatt::InputError);
}

TEST_CASE("a folder of variants is gone at its end") {
  std::string path;
  {
    const VariantFolder folder;
    path = folder.path();
    folder.add("gpu", "x", file);
    CHECK(std::filesystem::exists(std::filesystem::path(path) / "gpu" / "x.toml"));
  }
  CHECK(!std::filesystem::exists(path));
}
