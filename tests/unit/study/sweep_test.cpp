#include "study/sweep.hpp"

#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "study_case.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

namespace {

std::string text_of(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

const std::string caps = "mode = \"grid\"\n[[variable]]\nkey = \"hall.a.cap_W\"\nvalues = [500, 600, 700, 600]\n";

}  // namespace

TEST_CASE("the table does not depend on workers, shards, or where the sweep was stopped") {
  const StudyCase c(caps);
  const CaseRunner runner(c.sweep());
  const auto outcome = run_sweep(runner, c.path("one"), {{}, 1, false, {}, {}});
  CHECK(outcome.n_total == 3);  // two cases are equal
  CHECK(outcome.n_ran == 3);
  const auto table = merge_sweep(runner, c.path("one"));
  CHECK(table.n_row == 4);
  CHECK(table.numbers("pcc_mean_MW")[0] < table.numbers("pcc_mean_MW")[2]);
  CHECK(table.numbers("pcc_mean_MW")[1] == table.numbers("pcc_mean_MW")[3]);

  for (std::size_t k = 0; k < 2; ++k) run_sweep(runner, c.path("shards"), {{k, 2}, 2, false, {}, {}});
  merge_sweep(runner, c.path("shards"));
  CHECK(text_of(c.path("shards/table.csv")) == text_of(c.path("one/table.csv")));
  CHECK(text_of(c.path("shards/table.h5")) == text_of(c.path("one/table.h5")));

  std::size_t seen = 0;
  std::vector<bool> told;  // is the time left known?
  run_sweep(runner, c.path("told"),
            {{}, 1, false, [&](const SweepProgress& p) { told.push_back(p.left_s.has_value()); }, {}});
  CHECK(told == std::vector<bool>{false, true, true, true});

  SweepRunOptions stopping{{}, 1, false, [&](const SweepProgress& p) { seen = p.n_done; }, [&] { return seen >= 1; }};
  CHECK(run_sweep(runner, c.path("stopped"), stopping).stopped);
  CHECK_THROWS_AS(merge_sweep(runner, c.path("stopped")), InputError);
  const auto rest = run_sweep(runner, c.path("stopped"), {{}, 2, false, {}, {}});
  CHECK(rest.n_ran < 3);
  CHECK(rest.n_done == 3);
  merge_sweep(runner, c.path("stopped"));
  CHECK(text_of(c.path("stopped/table.csv")) == text_of(c.path("one/table.csv")));
}

TEST_CASE("a case that fails is a row with its error, and runs again only when asked") {
  const StudyCase c(
      "mode = \"list\"\n[[case]]\nset = [\"hall.a.cap_W=600\"]\n[[case]]\nset = [\"job.main.plan.tp=3\"]\n");
  const CaseRunner runner(c.sweep());
  const auto outcome = run_sweep(runner, c.path("out"));
  CHECK(outcome.n_failed == 1);
  REQUIRE(outcome.failures.size() == 1);
  CHECK(outcome.failures[0].starts_with("case 1: input: job.main.plan"));
  CHECK(run_sweep(runner, c.path("out")).failures == outcome.failures);
  const auto table = merge_sweep(runner, c.path("out"));
  CHECK(std::get<std::vector<std::string>>(table.find("status")->values) == std::vector<std::string>{"ok", "failed"});
  CHECK(std::get<std::vector<std::string>>(table.find("error")->values)[1].find("input: job.main.plan") == 0);
  CHECK(run_sweep(runner, c.path("out")).n_ran == 0);
  CHECK(run_sweep(runner, c.path("out"), {{}, 1, true, {}, {}}).n_ran == 1);
}

TEST_CASE("a damaged case runs again, its file set aside") {
  const StudyCase c(caps);
  const CaseRunner runner(c.sweep());
  run_sweep(runner, c.path("out"));
  merge_sweep(runner, c.path("out"));
  const std::string before = text_of(c.path("out/table.csv")), victim = c.path("out/cases/000/000001.case");
  std::fstream(victim, std::ios::in | std::ios::out).seekp(200).put('#');
  CHECK_THROWS_AS(merge_sweep(runner, c.path("out")), InputError);
  const auto outcome = run_sweep(runner, c.path("out"));
  CHECK(outcome.n_ran == 1);
  CHECK(outcome.damaged.size() == 1);
  CHECK(std::filesystem::exists(victim + ".damaged"));
  merge_sweep(runner, c.path("out"));
  CHECK(text_of(c.path("out/table.csv")) == before);
}
