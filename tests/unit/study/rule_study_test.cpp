#include "study/rule_study.hpp"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/io/hdf5_sink.hpp"
#include "tidewatt/sim/run.hpp"
#include "tiny.hpp"

using namespace tidewatt;
using nlohmann::json;

TEST_CASE("rules are listed and shown with the same names and status in both forms") {
  const auto all = study::list_rules("");
  const auto listed = json::parse(all.json);
  CHECK(listed.size() > 20);
  for (const auto& rule : listed) CHECK_THAT(all.text, Catch::Contains(rule["name"].get<std::string>()));
  const auto shown = study::show_rules("caiso_straw_2026", "");
  CHECK_FALSE(json::parse(shown.json)["binding"].get<bool>());
  CHECK_THAT(shown.text, Catch::Contains("not binding"));
  CHECK_THROWS_AS(study::show_rules("no_such_rule", ""), InputError);
}

TEST_CASE("a recorded window is checked against a rule of one's own, which names the sites it applies to") {
  const auto path = (std::filesystem::temp_directory_path() / "rule_study_test.h5").string();
  io::Hdf5Sink(path).write(sim::run(tiny()));
  const auto own = (std::filesystem::temp_directory_path() / "rule_study_test.toml").string();
  std::ofstream(own) << "title = 't'\ndate = 'd'\n[[applies]]\nsmallest_MW = 100\n[rule.swing]\ntitle = "
                        "'swing'\nfigure = 'peak_to_peak'\nwindow_s = 5\nlimit_MW = 10\n";
  study::RuleCheckOptions o;
  o.rule = own;
  const auto unforced = json::parse(study::check_rules(path, o).json);
  CHECK(unforced["verdict"] == "does not apply");
  o.as_if = true;
  const auto forced = study::check_rules(path, o);
  const auto answer = json::parse(forced.json);
  CHECK(answer["forced"].get<bool>());
  REQUIRE(answer["rules"].size() == 1);
  CHECK(answer["rules"][0]["value_MW"].get<double>() > 0.0);
  CHECK_THAT(forced.text, Catch::Contains("forced with --as-if"));
  o.window = "no_such_window";
  CHECK_THROWS_AS(study::check_rules(path, o), InputError);
  std::filesystem::remove(path);
  std::filesystem::remove(own);
}
