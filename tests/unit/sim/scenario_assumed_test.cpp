#include <algorithm>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/sim/scenario.hpp"
#include "tiny.hpp"

using namespace tidewatt;

namespace {

std::string assumed(const std::string& rest) { return "\n[[assumed]]\nsource = \"a test\"\n" + rest + "\n"; }
const std::string stages = assumed("key = \"job.main.plan.virtual_stages\"\nvalues = [4, 1, 2]");

const catalog::AssumedInput* find(const sim::Scenario& s, const std::string& key) {
  const auto at = std::find_if(s.assumed.begin(), s.assumed.end(), [&](const auto& a) { return a.key == key; });
  return at == s.assumed.end() ? nullptr : &*at;
}

std::string refusal(const std::string& more, std::vector<std::string> set = {}) {
  try {
    tiny(more, std::move(set));
  } catch (const InputError& e) {
    REQUIRE(e.findings().size() == 1);
    return e.findings().front().key + ": " + e.findings().front().message;
  }
  return "accepted";
}

}  // namespace

TEST_CASE("values that a scenario assumes stand beside the catalog's ranges") {
  const auto s = tiny(stages);
  const auto* a = find(s, "job.main.plan.virtual_stages");
  REQUIRE(a != nullptr);
  CHECK(a->value == 2.0);
  CHECK(a->values == std::vector<double>{1, 2, 4});
  CHECK((a->low == 1.0 && a->high == 4.0));
  CHECK(a->source == "a test");
  CHECK(s.assumed.size() == tiny().assumed.size() + 1);
}

TEST_CASE("a scenario's own range takes the place of the catalog's") {
  const std::string key = "hall.a.gpu.governor.window_s";
  const auto before = tiny();
  REQUIRE(find(before, key) != nullptr);
  const auto s = tiny(assumed("key = \"" + key + "\"\nlow = 0.9\nhigh = 1.1"));
  CHECK(s.assumed.size() == before.assumed.size());
  CHECK(find(s, key)->low == 0.9);
  CHECK(find(s, key)->value == find(before, key)->value);
}

TEST_CASE("what is set is known") {
  CHECK(find(tiny(stages, {"job.main.plan.virtual_stages=4"}), "job.main.plan.virtual_stages") == nullptr);
}

TEST_CASE("a range that cannot be drawn from is refused with its reason") {
  const std::string of = "key = \"job.main.plan.virtual_stages\"\n";
  CHECK(refusal(assumed("key = \"job.main.plan.virtual_stage\"\nlow = 1\nhigh = 2")) ==
        "assumed.1: 'job.main.plan.virtual_stage' is no number of this scenario");
  CHECK(refusal(assumed(of + "low = 2\nhigh = 2")).find("are no range") != std::string::npos);
  CHECK(refusal(assumed(of + "low = 1\nvalues = [1, 2]")).find("either low and high, or values") != std::string::npos);
  CHECK(refusal(assumed(of + "values = [2]")).find("at least two") != std::string::npos);
  CHECK(refusal(assumed(of + "values = [2, 2]")).find("each once") != std::string::npos);
  CHECK(refusal(assumed(of + "values = [1, 4]")) ==
        "assumed.1: the scenario has job.main.plan.virtual_stages = 2, which is none of 1, 4");
  CHECK(refusal(assumed("key = \"hall.a.recirculation_frac\"\nlow = 0.1\nhigh = 0.2")) ==
        "assumed.1: the scenario has hall.a.recirculation_frac = 0.05, outside 0.1 to 0.2");
  // 32 layers on four stages: three chunks of each are not possible.
  CHECK(refusal(assumed(of + "values = [2, 3]")).starts_with("assumed.1: job.main.plan.virtual_stages = 3: "));
}

TEST_CASE("one key assumed twice is refused") {
  try {
    tiny(stages + stages);
    FAIL("accepted");
  } catch (const InputError& e) {
    CHECK(e.findings().front().message == "'job.main.plan.virtual_stages' is assumed twice");
  }
}
