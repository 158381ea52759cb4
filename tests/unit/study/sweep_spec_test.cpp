#include "study/sweep_spec.hpp"

#include "catch.hpp"
#include "study_case.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

namespace {

std::string refusal(const std::string& text) {
  try {
    read_sweep(parse_toml(text, "s.toml"), ".");
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

const std::string head = "schema = 1\nscenario = \"tiny.toml\"\n";

}  // namespace

TEST_CASE("a sweep file is read whole") {
  const auto s = read_sweep(parse_toml(head + R"(
mode = "grid"
seed = 0
outputs = ["pue"]
[[variable]]
key = "hall.a.cap_W"
name = "cap"
low = 500
high = 700
n_point = 3
[[variable]]
key = "weather.day"
values = ["hot", "typical"]
)",
                                       "s.toml"),
                            "folder");
  CHECK(s.scenario == "folder/tiny.toml");
  CHECK(s.seed == 0);
  REQUIRE(s.variables.size() == 2);
  CHECK(s.variables[0].name == "cap");
  CHECK(s.variables[0].at(0.5) == "600.0");
  CHECK(s.variables[1].name == "weather.day");
  CHECK(s.variables[1].at(0.999) == "\"typical\"");
}

TEST_CASE("a range is divided evenly, evenly in its logarithm, or into whole numbers") {
  Variable v{"x", {"x"}, {}, 1.0, 100.0, "log", false, 0};
  CHECK(v.at(0.0) == "1.0");
  CHECK(std::stod(v.at(0.5)) == Approx(10.0).epsilon(1e-14));
  CHECK(v.at(1.0) == "100.0");
  v.whole = true;
  CHECK(v.at(0.5) == "10");
}

TEST_CASE("every mistake is refused, with its key") {
  const std::string variable = "[[variable]]\nkey = \"a.b\"\n";
  CHECK(refusal(head + "mode = \"grid\"\n").find("nothing is varied") != std::string::npos);
  CHECK(refusal(head + "mode = \"gird\"\n" + variable + "values = [1]\n").find("did you mean 'grid'") !=
        std::string::npos);
  CHECK(refusal(head + "mode = \"grid\"\n" + variable).find("values") != std::string::npos);
  CHECK(refusal(head + "mode = \"grid\"\n" + variable + "low = 1\nhigh = 2\n").find("n_point") != std::string::npos);
  CHECK(refusal(head + "mode = \"sobol\"\n" + variable + "low = 1\nhigh = 2\n").find("n_case") != std::string::npos);
  CHECK(refusal(head + "mode = \"sobol\"\nn_case = 4\n" + variable + "low = 2\nhigh = 1\n").find("not below high") !=
        std::string::npos);
  CHECK(refusal(head + "mode = \"sobol\"\nn_case = 4\n" + variable + "low = -1\nhigh = 1\nscale = \"log\"\n")
            .find("above 0") != std::string::npos);
  CHECK(refusal(head + "mode = \"list\"\n" + variable + "low = 1\nhigh = 2\n").find("needs values") !=
        std::string::npos);
  CHECK(refusal(head + "mode = \"grid\"\n" + variable + "values = []\n").find("one item at least") !=
        std::string::npos);
  CHECK(refusal(head + "mode = \"grid\"\n" + variable + "values = [[1]]\n").find("expected numbers") !=
        std::string::npos);
  CHECK(refusal(head + "mode = \"grid\"\n" + variable + "values = [1]\n" + variable + "values = [2]\n")
            .find("two are called") != std::string::npos);
  CHECK(refusal(head + "mode = \"grid\"\nn_cases = 3\n" + variable + "values = [1]\n").find("did you mean 'n_case'") !=
        std::string::npos);
  CHECK(refusal(head + "mode = \"grid\"\n" + variable + "name = \"=1+1\"\nvalues = [1]\n")
            .find(":6:1: variable.1.name: \"=1+1\" is no heading") != std::string::npos);
  CHECK(refusal(head + "mode = \"grid\"\n" + variable + "name = \"x/y\"\nvalues = [1]\n" + variable +
                "name = \"x_y\"\nvalues = [2]\n")
            .find("two are called") != std::string::npos);
  CHECK(refusal(head + "mode = \"list\"\n[[case]]\nset = [\"a\"]\n").find("key=value") != std::string::npos);
  CHECK(refusal("schema = 1\nscenario = \"../x.toml\"\nmode = \"grid\"\n" + variable + "values = [1]\n")
            .find("below the sweep") != std::string::npos);
}

TEST_CASE("a scenario is a sweep over what it assumes, if one says how") {
  const StudyCase c;
  SweepOptions options;
  CHECK_THROWS_AS(read_sweep(c.path("tiny.toml"), options), InputError);
  options.mode = "tornado";
  CHECK(read_sweep(c.path("tiny.toml"), options).mode == "tornado");
}
