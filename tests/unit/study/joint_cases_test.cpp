#include "study/joint_cases.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

#include "catch.hpp"
#include "study/sensitivity.hpp"
#include "study/sweep.hpp"
#include "study_case.hpp"
#include "tidewatt/sim/look_up.hpp"
#include "tidewatt/sim/run.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

namespace {

std::string shipped(const std::string& name) {
  return std::string(TIDEWATT_SOURCE_DIR) + "/scenarios/" + name + ".toml";
}

/// A Monte Carlo of a shipped scenario, of n cases.
CaseRunner monte_carlo(const StudyCase& c, const std::string& scenario, int n, const std::string& set = "") {
  c.write("mc.toml", "schema = 1\nmode = \"monte_carlo\"\nn_case = " + std::to_string(n) + "\n" + set);
  SweepOptions options;
  options.scenario = scenario;
  return CaseRunner(c.path("mc.toml"), options);
}

std::string bytes_of(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

/// A table of n cases with one output, of which the first n_failed failed.
SweepTable table_of(std::size_t n, std::size_t n_failed) {
  SweepTable t;
  std::vector<double> x(n), f(n);
  std::vector<std::int64_t> number(n);
  std::vector<std::string> status(n, "ok"), error(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = static_cast<double>(i), f[i] = 2.0 * x[i], number[i] = static_cast<std::int64_t>(i);
    if (i < n_failed) status[i] = "failed", error[i] = "input: the loop is too small", f[i] = std::nan("");
  }
  t.columns = {{"x", x}, {"case", number}, {"status", status}, {"error", error}, {"f_MW", f}};
  t.n_row = n;
  return t;
}

}  // namespace

TEST_CASE("no case of a rack fails, though most values drawn contradict the idle watts that were read") {
  const StudyCase c;
  const auto runner = monte_carlo(c, shipped("gb200_nvl72_row"), 3, "set = [\"run.duration_h=0.05\"]\n");
  REQUIRE(runner.notes().size() == 1);
  CHECK(runner.notes()[0].find("draws contradicted themselves and were drawn again") != std::string::npos);
  CHECK(runner.cases().resolved);
  const auto outcome = run_sweep(runner, c.path("one"), {{}, 1, false, {}, {}});
  CHECK(outcome.n_done == 3);
  CHECK(outcome.n_failed == 0);
  const auto table = merge_sweep(runner, c.path("one"));
  const auto seeds = table.numbers("run.seed");
  CHECK(std::set<double>(seeds.begin(), seeds.end()).size() == 3);
  CHECK(table.find("hall.a.gpu.power.vf_voltage_mV[3]") != nullptr);

  const auto again = monte_carlo(c, shipped("gb200_nvl72_row"), 3, "set = [\"run.duration_h=0.05\"]\n");
  run_sweep(again, c.path("two"), {{}, 2, false, {}, {}});
  merge_sweep(again, c.path("two"));
  CHECK(bytes_of(c.path("two/table.csv")) == bytes_of(c.path("one/table.csv")));
}

TEST_CASE("a case can be repeated from its row: what it sets is what --set takes") {
  const StudyCase c;
  const auto runner = monte_carlo(c, c.path("tiny.toml"), 2, "set = [\"run.duration_h=0.01\"]\n");
  const auto record = runner.run(1, CaseStore(c.path("out"), runner.plan_text(), 2));
  REQUIRE_FALSE(record.failed());
  auto set = runner.cases().assignments(1);
  set.insert(set.begin(), "run.duration_h=0.01");
  const auto direct = sim::run(sim::load_scenario(c.path("tiny.toml"), {set, "", ""}));
  for (const auto& [key, value] : record.figures)
    if (key == "pcc_mean_MW" || key == "tokens_per_s_mean" || key == "pcc_max_MW")
      CHECK(std::get<double>(value) == sim::figure(direct, key));
}

TEST_CASE("--set takes one item of a list that a catalog entry has, and refuses what is none") {
  const std::string rack = shipped("gb200_nvl72_row"), key = "hall.a.gpu.power.vf_voltage_mV[3]";
  const auto base = sim::load_scenario(rack);
  const auto assumed = [&](const sim::Scenario& s) {
    return std::any_of(s.assumed.begin(), s.assumed.end(), [&](const auto& a) { return a.key == key; });
  };
  const double mV = 1e3 * base.halls[0].gpu.vf_voltage_V[3] + 0.5;
  const auto set = sim::load_scenario(rack, {{key + "=" + std::to_string(mV)}, "", ""});
  CHECK(set.halls[0].gpu.vf_voltage_V[3] == Approx(1e-3 * mV));
  CHECK(set.halls[0].gpu.vf_voltage_V[4] == base.halls[0].gpu.vf_voltage_V[4]);
  CHECK(assumed(base));
  CHECK_FALSE(assumed(set));
  CHECK_THROWS_AS(sim::load_scenario(rack, {{"hall.a.gpu.power.vf_voltage_mV[99]=700"}, "", ""}), InputError);
  CHECK_THROWS_AS(sim::load_scenario(rack, {{key + "=high"}, "", ""}), InputError);
}

TEST_CASE("events are later by up to one iteration, in whole milliseconds, all of a case by the same share") {
  const StudyCase c;
  const auto runner = monte_carlo(c, shipped("power_brake"), 6);
  const auto base = sim::load_scenario(shipped("power_brake"));
  const double iteration_s = longest_iteration_s(base);
  std::set<double> instants;
  for (std::size_t i = 0; i < 6; ++i) {
    const double at_s = runner.cases().numbers(i).at("event.brake.at_s");
    CHECK(at_s >= base.events[0].at_s);
    CHECK(at_s <= base.events[0].at_s + iteration_s + 1e-3);
    CHECK(std::abs(at_s * 1e3 - std::round(at_s * 1e3)) < 1e-6);
    instants.insert(at_s);
  }
  CHECK(instants.size() == 6);
  CHECK(monte_carlo(c, c.path("tiny.toml"), 2).cases().numbers(0).count("event.brake.at_s") == 0);
}

TEST_CASE("a battery's controller is drawn in whole milliseconds") {
  const StudyCase c;
  const auto runner = monte_carlo(
      c, c.path("tiny.toml"), 2,
      "set = ['mitigation=[{name = \"store\", kind = \"site_battery\", catalog = \"site_battery_10MW\"}]']\n");
  const double ms = runner.cases().numbers(0).at("mitigation.store.control_period_ms");
  CHECK(ms == std::round(ms));
}

TEST_CASE("own variables are drawn as they are, with a seed per case unless one is set") {
  const std::string cap =
      "mode = \"monte_carlo\"\nn_case = 3\n[[variable]]\nkey = \"hall.a.cap_W\"\nlow = 500\nhigh = 700\n";
  const StudyCase c(cap), other("seed = 2\n" + cap);
  const CaseRunner runner(c.sweep());
  CHECK(runner.cases().names == std::vector<std::string>{"hall.a.cap_W", "run.seed"});
  CHECK(runner.cases().values[0][1] != runner.cases().values[1][1]);
  CHECK(CaseRunner(other.sweep()).cases().values[0][1] != runner.cases().values[0][1]);
  SweepOptions held;
  held.load.set = {"run.seed=7"};
  CHECK(CaseRunner(c.sweep(), held).cases().names == std::vector<std::string>{"hall.a.cap_W"});
}

TEST_CASE("an analysis with more than 2 % of its cases failed is refused, naming how many and why") {
  SweepSpec spec;
  spec.mode = "monte_carlo";
  const std::string refusal = refused_analysis(spec, table_of(20, 3));
  CHECK(refusal.find("3 of 20 cases failed") != std::string::npos);
  CHECK(refusal.find("case 0: input: the loop is too small") != std::string::npos);
  CHECK(refused_analysis(spec, table_of(100, 2)).empty());
  spec.mode = "sobol_indices";
  CHECK_FALSE(refused_analysis(spec, table_of(100, 3)).empty());
  spec.mode = "latin_hypercube";
  CHECK(refused_analysis(spec, table_of(20, 3)).empty());
}

TEST_CASE("a tornado names the ends that failed") {
  SweepSpec spec;
  spec.mode = "tornado";
  spec.variables = {{"x", {"x"}, {}, 1, 2, "linear", false, 0}};
  auto table = table_of(3, 0);
  std::get<std::vector<std::string>>(table.columns[2].values)[2] = "failed";
  std::get<std::vector<std::string>>(table.columns[3].values)[2] = "input: too wide";
  std::get<std::vector<double>>(table.columns[4].values) = {1.0, 3.0, std::nan("")};
  CHECK(failed_ends(spec, table) == std::vector<std::string>{"x = 2.0 (high): input: too wide"});
  CHECK(analyse(spec, table).find("f_MW,x,1.0,2.0,3,1,,2,high") != std::string::npos);
}

TEST_CASE("a tornado's words have the lowest and the highest output as ends") {
  SweepSpec spec;
  spec.mode = "tornado";
  spec.variables = {{"w", {"w"}, {"\"none\"", "\"selective\"", "\"full\"", "\"operators\""}, 0, 0, "linear", false, 0},
                    {"x", {"x"}, {}, 1, 2, "linear", false, 0}};
  auto table = table_of(7, 0);
  std::get<std::vector<std::string>>(table.columns[2].values)[3] = "failed";
  std::get<std::vector<std::string>>(table.columns[3].values)[3] = "input: no room";
  std::get<std::vector<double>>(table.columns[4].values) = {2.0, 2.0, 7.0, std::nan(""), 1.0, 2.5, 3.0};
  const auto analysis = analyse(spec, table);
  CHECK(analysis.find("f_MW,w,operators,selective,1,2,7,6,full") != std::string::npos);
  CHECK(analysis.find("f_MW,x,1.0,2.0,2.5,2,3,1,\r\n") != std::string::npos);
  CHECK(failed_ends(spec, table) == std::vector<std::string>{"w = full: input: no room"});
}

TEST_CASE("words vary like numbers: the table names each case's word, and the run uses it") {
  const StudyCase c;
  c.write("words.toml",
          "base = \"tiny.toml\"\n[[assumed]]\nkey = \"job.main.plan.recompute\"\nwords = [\"none\", \"full\"]\nsource "
          "= \"a "
          "test\"\n");
  const auto runner = monte_carlo(c, c.path("words.toml"), 8, "set = [\"run.duration_h=0.02\"]\n");
  const std::string key = "job.main.plan.recompute";
  std::set<double> places;
  for (std::size_t i = 0; i < 8; ++i) {
    const auto set = runner.cases().assignments(i);
    const double place = runner.cases().numbers(i).at(key);
    CHECK(std::count(set.begin(), set.end(), key + (place == 3.0 ? "=\"full\"" : "=\"none\"")) == 1);
    CHECK((place == 0.0 || place == 3.0));
    places.insert(place);
  }
  CHECK(places.size() == 2);
  run_sweep(runner, c.path("out"), {{}, 1, false, {}, {}});
  const auto table = merge_sweep(runner, c.path("out"));
  const auto& words = std::get<std::vector<std::string>>(table.find(key)->values);
  const auto rate = table.numbers("tokens_per_s_mean");
  double slowest_none = 1e300, fastest_full = 0.0;
  for (std::size_t i = 0; i < 8; ++i)
    words[i] == "none" ? slowest_none = std::min(slowest_none, rate[i])
                       : fastest_full = std::max(fastest_full, rate[i]);
  CHECK(fastest_full < slowest_none);
  CHECK(analyse(runner.spec(), table).find("job.main.plan.recompute,") != std::string::npos);
}

TEST_CASE("the nominal run lies between the 5 and 95 % quantiles of its draws") {
  const StudyCase c;
  const std::string set = "set = [\"run.duration_h=0.05\"]\n";
  const auto runner = monte_carlo(c, c.path("tiny.toml"), 20, set);
  run_sweep(runner, c.path("out"), {{}, 2, false, {}, {}});
  const auto table = merge_sweep(runner, c.path("out"));
  const auto nominal = sim::run(sim::load_scenario(c.path("tiny.toml"), {{"run.duration_h=0.05"}, "", ""}));
  for (const char* key : {"tokens_per_s_mean", "pcc_mean_MW", "pue"}) {
    INFO(key);
    CHECK(quantile(table.numbers(key), 0.05) <= sim::figure(nominal, key));
    CHECK(sim::figure(nominal, key) <= quantile(table.numbers(key), 0.95));
  }
}
