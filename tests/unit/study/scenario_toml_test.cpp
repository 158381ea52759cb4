#include "study/scenario_toml.hpp"

#include "base/text.hpp"
#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/sim/run.hpp"
#include "tiny.hpp"

using namespace tidewatt;

TEST_CASE("a tree of every kind of value reads back the same") {
  const std::string text =
      "a = 1\nb = 2.5\nc = true\nd = 'say \"hi\"'\ne = [1, 2, 3]\nf = [[1.0, 2.0], [3.0, 4.0]]\n'odd key' = "
      "1e-9\n[t]\nx = 1\n[t.u]\ny = 2\n"
      "[[list]]\nname = 'p'\n[list.inner]\nz = 3\n[[list.deep]]\nq = 1\n[[list]]\nname = 'r'\n[last]\nw = {k = 1, m = "
      "'n'}\n";
  const Node once = parse_toml(text, "f.toml");
  const std::string written = study::toml_text(once);
  INFO(written);
  CHECK(study::toml_text(parse_toml(written, "g.toml")) == written);
  CHECK(parse_toml(written, "g.toml").text() == once.text());
}

TEST_CASE("a scenario with overrides, written and read, runs to the same bits") {
  const std::string folder = std::string(TIDEWATT_SOURCE_DIR) + "/tests/scenarios";
  const auto text = read_file(folder + "/tiny.toml", 1u << 20);
  const std::vector<std::string> set = {"hall.a.cap_W=650", "run.duration_h=0.05"};
  sim::LoadOptions options;
  options.set = set;
  const auto direct = sim::load_scenario_text(text, "tiny.toml", folder, options);
  const auto written =
      sim::load_scenario_text(study::scenario_toml(text, "tiny.toml", folder, set), "written.toml", folder, {});
  CHECK(written.halls.front().hall.cap_W == 650.0);
  const auto a = sim::run(direct), b = sim::run(written);
  REQUIRE(a.arrays.size() == b.arrays.size());
  CHECK(figure(a, "pcc_mean_MW") == figure(b, "pcc_mean_MW"));
  CHECK(figure(a, "iteration_s") == figure(b, "iteration_s"));
}

TEST_CASE("the only hall and job are found by their default names; an override that finds nothing is refused") {
  const std::string text = "base = 'llama3_405b_day'\n";
  CHECK(study::scenario_toml(text, "f.toml", "", {"hall.a.cap_W=600"}).find("cap_W = 600") != std::string::npos);
  const std::string bare = "[[hall]]\nn_gpu = 8\n[[job]]\nmodel = 'llama3_8b'\n";
  CHECK(study::scenario_toml(bare, "f.toml", "", {"job.main.plan.tp=4"}).find("tp = 4") != std::string::npos);
  CHECK_THROWS_AS(study::scenario_toml(bare, "f.toml", "", {"hall.b.cap_W=600"}), InputError);
}
