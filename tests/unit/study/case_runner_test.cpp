#include "study/case_runner.hpp"

#include <algorithm>

#include "catch.hpp"
#include "study_case.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/io/payload_hash.hpp"
#include "tidewatt/io/summary_json.hpp"
#include "tidewatt/sim/run.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

namespace {

const std::string one = "mode = \"list\"\n[[variable]]\nkey = \"hall.a.cap_W\"\nvalues = [600]\n";

}  // namespace

TEST_CASE("a case of a sweep is the same run as its overrides on the command line") {
  const StudyCase c(one);
  const CaseRunner runner(c.sweep());
  const auto record = runner.run(0, CaseStore(c.path("out"), runner.plan_text(), 1));
  const auto direct = sim::run(sim::load_scenario(
      c.path("tiny.toml"), {{"run.duration_h=0.01", "record.window.sample.duration_s=1", "hall.a.cap_W=600"}, "", ""}));
  REQUIRE_FALSE(record.failed());
  CHECK(std::get<std::string>(record.figures.back().second) == io::payload_sha256(direct));
  // Every figure of the run is in the record; the record has those of the machines too. As text: a list may hold NaN.
  const auto text = [](const auto& figure) { return io::summary_json({figure}); };
  for (const auto& figure : direct.summary) {
    INFO(figure.first);
    CHECK(std::any_of(record.figures.begin(), record.figures.end(),
                      [&](const auto& f) { return text(f) == text(figure); }));
  }
}

TEST_CASE("a kept result is vouched for by its case") {
  const StudyCase c("keep_results = true\noutputs = [\"pue\"]\n" + one);
  const CaseRunner runner(c.sweep());
  CaseStore store(c.path("out"), runner.plan_text(), 1);
  store.put(runner.run(0, store));
  std::size_t n_figure = 0;
  CHECK(store.read([&](const CaseRecord& record) { n_figure += record.figures.size(); }).damaged.empty());
  CHECK(n_figure == 1);
  std::filesystem::resize_file(store.result_path(0), 1000);
  CHECK(store.read().damaged_cases.size() == 1);
}

TEST_CASE("a misspelt key or a range outside its limits is found before the first case") {
  const StudyCase misspelt("mode = \"list\"\n[[variable]]\nkey = \"hall.a.cap_w\"\nvalues = [600]\n");
  CHECK_THROWS_AS(CaseRunner(misspelt.sweep()), InputError);
  const StudyCase outside(
      "mode = \"sobol\"\nn_case = 4\n[[variable]]\nkey = \"hall.a.recirculation_frac\"\nlow = 0.1\nhigh = 3\n");
  CHECK_THROWS_AS(CaseRunner(outside.sweep()), InputError);
  const StudyCase nowhere("mode = \"list\"\n[[variable]]\nkey = \"hall.b.cap_W\"\nvalues = [600]\n");
  CHECK_THROWS_AS(CaseRunner(nowhere.sweep()), InputError);
}

TEST_CASE("two variables that are legal only together are not refused beforehand") {
  const StudyCase c(
      "mode = \"list\"\n[[variable]]\nkey = \"hall.a.n_gpu\"\nvalues = [256]\n"
      "[[variable]]\nkey = \"job.main.plan.n_gpu\"\nvalues = [256]\n");
  CHECK_NOTHROW(CaseRunner(c.sweep()));
}

TEST_CASE("the plan changes with whatever a figure depends on") {
  const StudyCase a(one), b("seed = 2\n" + one), d("outputs = [\"pue\"]\n" + one);
  CHECK(CaseRunner(a.sweep()).plan_text() == CaseRunner(b.sweep()).plan_text());  // a list samples nothing
  CHECK(CaseRunner(a.sweep()).plan_text() != CaseRunner(d.sweep()).plan_text());
}
