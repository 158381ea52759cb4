#include "sim/scenario_inputs.hpp"

#include "catch.hpp"

using namespace tidewatt;
using sim::input_changes;

namespace {

const std::string text =
    "schema = 1\nseed = 3\n\n# ---- base = common.toml\n[run]\nduration_h = 1\n\n# --set a.b=1\n# --weather hot.csv"
    "\n# ---- input weather hot.csv sha256=aa\n# ---- input recording day=d.csv sha256=bb\n# ---- input catalog "
    "gpu/x.toml sha256=cc"
    "\n# ---- input catalog built-in sha256=dd";

std::string with(const std::string& from, const std::string& to) {
  std::string out = text;
  return out.replace(out.find(from), from.size(), to);
}

/// "name: message" of the only difference.
std::string only(const std::string& now) {
  const auto found = input_changes(text, now);
  return found.size() == 1 ? found.front().text() : std::to_string(found.size()) + " differences";
}

}  // namespace

TEST_CASE("each input that changed is named, and what is the same is not") {
  CHECK(input_changes(text, text).empty());
  CHECK(only(with("seed = 3", "seed = 4")) == "scenario file: changed: line 2 was 'seed = 3', is 'seed = 4'");
  CHECK(only(with("duration_h = 1", "duration_h = 2")).starts_with("base file common.toml: changed: line 2"));
  CHECK(only(with("a.b=1", "a.b=2")).starts_with("override of a.b: was =1"));
  CHECK(only(with("\n# --set a.b=1", "")) == "override of a.b: is not there any more");
  CHECK(only(with("sha256=aa", "sha256=ab")) == "weather: the contents of hot.csv changed");
  CHECK(only(with("input weather hot.csv sha256=aa", "input weather cold.csv sha256=ab")) ==
        "weather: another file: was hot.csv, is cold.csv");
  CHECK(only(with("sha256=bb", "sha256=bc")) == "recording of day: the contents of d.csv changed");
  CHECK(only(with("sha256=cc", "sha256=cd")) == "catalog file gpu/x.toml: its contents changed");
  CHECK(only(with("sha256=dd", "sha256=de")) == "built-in catalog: its contents changed");
  CHECK(only(text + "\n# ---- input catalog gpu/y.toml sha256=ee") == "catalog file gpu/y.toml: is new");
  CHECK(input_changes(text, with("sha256=aa", "sha256=ab") + "\n# --set c=1").size() == 2);
}

TEST_CASE("where a file lies does not matter") {
  CHECK(input_changes(text, with("# --weather hot.csv\n", "")).empty());
  CHECK(input_changes(text, with("input weather hot.csv", "input weather renamed.csv")).empty());
}

TEST_CASE("the inputs are listed for the result's provenance") {
  CHECK(sim::inputs_of(text) ==
        "weather hot.csv sha256=aa\nrecording day=d.csv sha256=bb\ncatalog gpu/x.toml sha256=cc\ncatalog built-in "
        "sha256=dd");
  CHECK(sim::inputs_of("schema = 1\n").empty());
}
