#include "study/case_list.hpp"

#include "catch.hpp"
#include "study_case.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

namespace {

Variable listed(const std::string& key, std::vector<std::string> values) {
  return {key, {key}, std::move(values), 0, 0, "linear", false, 0};
}

}  // namespace

TEST_CASE("grid, list and written cases set what they say, equal cases once") {
  SweepSpec s;
  s.mode = "grid";
  s.variables = {listed("a", {"1", "2"}), listed("b", {"\"x\"", "\"y\"", "\"y\""})};
  auto list = list_cases(s);
  REQUIRE(list.size() == 6);
  CHECK(list.assignments(4) == std::vector<std::string>{"a=2", "b=\"y\""});
  CHECK(list.same_as == std::vector<std::size_t>{0, 1, 1, 3, 4, 4});
  s.mode = "list";
  CHECK_THROWS_AS(list_cases(s), InputError);
  s.variables[1].values.pop_back();
  CHECK(list_cases(s).assignments(1) == std::vector<std::string>{"a=2", "b=\"y\""});
  s.variables.clear();
  s.cases = {{"a=1"}, {"c=3", "a=2"}};
  list = list_cases(s);
  CHECK(list.names == std::vector<std::string>{"a", "c"});
  CHECK(list.assignments(0) == std::vector<std::string>{"a=1"});
  CHECK(list.assignments(1) == std::vector<std::string>{"a=2", "c=3"});
}

TEST_CASE("one value goes to several keys, and a grid holds both ends of a range") {
  SweepSpec s;
  s.mode = "grid";
  s.variables = {{"n", {"hall.a.n_gpu", "job.main.plan.n_gpu"}, {}, 64, 128, "linear", true, 3}};
  const auto list = list_cases(s);
  REQUIRE(list.size() == 3);
  CHECK(list.assignments(0) == std::vector<std::string>{"hall.a.n_gpu=64", "job.main.plan.n_gpu=64"});
  CHECK(list.assignments(1).front() == "hall.a.n_gpu=96");
  CHECK(list.assignments(2).front() == "hall.a.n_gpu=128");
}

TEST_CASE("a tornado has the base and two cases per variable, indices (k + 2) n, and too many are refused") {
  SweepSpec s;
  s.mode = "tornado";
  s.variables = {{"a", {"a"}, {}, 1, 2, "linear", false, 0}, {"b", {"b"}, {}, 3, 4, "linear", false, 0}};
  const auto list = list_cases(s);
  REQUIRE(list.size() == 5);
  CHECK(list.assignments(0).empty());
  CHECK(list.assignments(2) == std::vector<std::string>{"a=2.0"});
  CHECK(list.assignments(3) == std::vector<std::string>{"b=3.0"});
  s.mode = "sobol_indices";
  s.n_case = 8;
  CHECK(list_cases(s).size() == 32);
  s.n_case = 900'000;
  CHECK_THROWS_AS(list_cases(s), InputError);
}

TEST_CASE("a tornado runs each word of a list, and numbers at both ends") {
  SweepSpec s;
  s.mode = "tornado";
  s.variables = {listed("a", {"\"none\"", "\"selective\"", "\"full\""}), listed("b", {"1", "2", "4"})};
  const auto list = list_cases(s);
  REQUIRE(list.size() == 1 + 3 + 2);
  CHECK(list.assignments(2) == std::vector<std::string>{"a=\"selective\""});
  CHECK(list.assignments(5) == std::vector<std::string>{"b=4"});
}

TEST_CASE("words that a plan does not say become a variable that sets them as text") {
  const StudyCase c;
  std::vector<std::string> left_out;
  sim::LoadOptions load;
  auto root = parse_toml_file(c.path("tiny.toml"));
  auto& plan = *std::get<Node::Array>(root.find("job")->value).front().find("plan");
  std::erase_if(std::get<Node::Table>(plan.value), [](const auto& item) { return item.first == "recompute"; });
  const auto scenario = sim::read_scenario(root, c.path(""), load);
  const auto variables = assumed_variables(scenario, root, c.path(""), load, left_out);
  const auto v = std::find_if(variables.begin(), variables.end(),
                              [](const Variable& x) { return x.name == "job.main.plan.recompute"; });
  REQUIRE(v != variables.end());
  CHECK(v->values == std::vector<std::string>{"\"none\"", "\"selective\"", "\"full\""});
  CHECK(v->is_text());
}

TEST_CASE("the assumed inputs of a scenario become variables with the catalog's ranges") {
  const StudyCase c;
  std::vector<std::string> left_out;
  const auto scenario = sim::load_scenario(c.path("tiny.toml"));
  const auto variables = assumed_variables(scenario, parse_toml_file(c.path("tiny.toml")), c.path(""), {}, left_out);
  CHECK(variables.size() > 20);
  for (const auto& v : variables) CHECK(v.low < v.high);
  const auto leakage = std::find_if(variables.begin(), variables.end(),
                                    [](const Variable& v) { return v.name == "hall.a.gpu.power.leakage_W"; });
  CHECK(leakage != variables.end());
}

TEST_CASE("a battery's controller is drawn in whole milliseconds, without which no draw would run") {
  const StudyCase c;
  auto root = parse_toml_file(c.path("tiny.toml"));
  sim::LoadOptions load;
  load.set = {"mitigation=[{name = \"store\", kind = \"site_battery\", catalog = \"site_battery_10MW\"}]"};
  std::vector<std::string> left_out;
  const auto scenario = sim::read_scenario(root, c.path(""), load);
  const auto variables = assumed_variables(scenario, root, c.path(""), load, left_out);
  const auto period = std::find_if(variables.begin(), variables.end(),
                                   [](const Variable& v) { return v.name == "mitigation.store.control_period_ms"; });
  REQUIRE(period != variables.end());
  CHECK(period->whole);
}
