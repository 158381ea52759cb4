#include "study/filing.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/sha256.hpp"
#include "catch.hpp"
#include "tidewatt/catalog/catalog.hpp"
#include "tidewatt/io/hdf5_sink.hpp"
#include "tiny.hpp"

using namespace tidewatt;
namespace fs = std::filesystem;

namespace {

grid::RuleBook rules(const std::string& name) {
  std::vector<Finding> findings;
  return grid::read_rule_book(catalog::Catalog().values("rules", name), name, name, findings);
}

sim::Scenario site(std::vector<std::string> set = {}) {
  auto s = tiny("", std::move(set));
  s.text = read_file(std::string(TIDEWATT_SOURCE_DIR) + "/tests/scenarios/tiny.toml", 1u << 20);
  return s;
}

bool any(const std::vector<std::string>& items, const std::string& word) {
  return std::any_of(items.begin(), items.end(), [&](const auto& i) { return i.find(word) != std::string::npos; });
}

}  // namespace

TEST_CASE("without a result a filing says what is open and invents nothing") {
  study::FilingOptions o{"tiny.toml", {}};
  o.as_if = true;
  const auto pack = study::make_filing(site(), rules("ercot_nogrr282"), o);
  CHECK(pack.ride == "fail");
  CHECK(any(pack.open, "no result was given"));
  CHECK(any(pack.open, "motors and drives"));
  CHECK(any(pack.open, "overlay with PSS/E"));
  for (const auto& r : pack.sheet) {
    INFO(r.field);
    CHECK_FALSE(r.value.empty());
    CHECK_FALSE(r.method.empty());
    CHECK_FALSE(r.input.empty());
    if (r.field == "largest power") CHECK(r.value == "open");
  }
  const std::string page = pack.files.at(0).text();
  CHECK(pack.files[0].name == "report.html");
  for (const char* words :
       {"Open items", "One-line diagram", "Ride-through", "Data sheet", "Assumed inputs", "@media print", "flat start"})
    CHECK(page.find(words) != std::string::npos);
  CHECK(page.find("nan") == std::string::npos);
  CHECK(page.find("inf ") == std::string::npos);
}

TEST_CASE("a filing lists an assumed word with the words that it may be") {
  study::FilingOptions o{"tiny.toml", {}};
  o.as_if = true;
  const auto s =
      tiny("\n[[assumed]]\nkey = \"job.main.plan.recompute\"\nwords = [\"none\", \"full\"]\nsource = \"not said\"\n");
  const std::string page = study::make_filing(s, rules("ercot_nogrr282"), o).files.at(0).text();
  const auto at = page.find("job.main.plan.recompute");
  REQUIRE(at != std::string::npos);
  const std::string row = page.substr(at, page.find("</tr>", at) - at);
  for (const char* word : {">none<", ">none or full<", ">not said<"}) CHECK(row.find(word) != std::string::npos);
}

TEST_CASE("diagram, data sheet and records show the settings that are filed, and what they replace") {
  study::FilingOptions o{"tiny.toml", {}};
  o.as_if = true;
  const auto with_ups = site({"site.ups=ups_double_conversion", "site.ups.low_pu=0"});
  const auto value = [](const study::FilingPack& pack, const std::string& field) {
    for (const auto& r : pack.sheet)
      if (r.field.find(field) != std::string::npos) return r.value;
    return std::string();
  };
  const auto own = study::make_filing(with_ups, rules("ercot_nogrr282"), o);
  CHECK(value(own, "leaves below") == "never leaves by low voltage");
  CHECK(value(own, "settings of the load") == "site.ups of the scenario");
  o.source.settings = "ups_central";
  const auto other = study::make_filing(with_ups, rules("ercot_nogrr282"), o);
  CHECK(value(other, "servers: leaves below") == "0.85 pu for longer than 0 s");
  CHECK(value(other, "drives: leaves above") == "no limit is set: never leaves by high voltage");
  CHECK(value(other, "settings of the load") == "load_settings ups_central, which replace site.ups of the scenario");
  const std::string page = other.files.at(0).text();
  CHECK(page.find("servers, supplies of ups_central") != std::string::npos);
  CHECK(page.find("as filed; they replace site.ups of the scenario") != std::string::npos);
  CHECK(page.find("Uninterruptible supplies") == std::string::npos);
  CHECK(any(other.open, "transformer connection: balanced voltages only"));
}

TEST_CASE("with a result: figures with their input, records, playback, and a manifest of every file", "[long]") {
  const fs::path folder = fs::temp_directory_path() / ("tidewatt_filing_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const auto s = site({"run.duration_h=0.05"});
  const std::string file = (folder / "tiny.h5").string();
  const auto result = sim::run(s, {});
  io::Hdf5Sink(file).write(result);
  study::FilingOptions o{"tiny.toml", {file}};
  o.as_if = true;
  o.source.settings = "ups_spread";
  const auto pack = study::make_filing(s, rules("ieso_2026"), o);
  const auto row =
      std::find_if(pack.sheet.begin(), pack.sheet.end(), [](const auto& r) { return r.field == "largest power"; });
  REQUIRE(row != pack.sheet.end());
  CHECK(std::stod(row->value) == Approx(figure(result, "pcc_max_MW")).epsilon(1e-3));
  // The spectrum draws the limit that holds for this site: 0.5 % of its peak, which is less than 5 MW.
  const auto largest = std::find_if(pack.sheet.begin(), pack.sheet.end(),
                                    [](const auto& r) { return r.field == "largest power in the window"; });
  REQUIRE(largest != pack.sheet.end());
  // 5,000 MVA over its design power, without a power of ten.
  const auto ratio = std::find_if(pack.sheet.begin(), pack.sheet.end(),
                                  [](const auto& r) { return r.field.starts_with("short-circuit ratio"); });
  REQUIRE(ratio != pack.sheet.end());
  CHECK(ratio->value.find('e') == std::string::npos);
  CHECK(std::stod(ratio->value) == Approx(5000.0 / std::stod(pack.sheet.front().value)).epsilon(5e-3));
  const auto report =
      std::find_if(pack.files.begin(), pack.files.end(), [](const auto& f) { return f.name == "report.html"; });
  REQUIRE(report != pack.files.end());
  const std::string text = report->text(), said = "a single line of this amplitude reaches ";
  const auto at = text.find(said);
  REQUIRE(at != std::string::npos);
  // The sheet gives the power with four digits.
  CHECK(std::stod(text.substr(at + said.size(), 12)) == Approx(0.005 * std::stod(largest->value)).epsilon(2e-3));
  std::vector<std::string> names;
  for (const auto& f : pack.files) names.push_back(f.name);
  CHECK(any(names, "tiny_perc1.dyr"));
  CHECK(any(names, ".cff"));
  CHECK(any(names, "datasheet.csv"));
  const auto manifest = nlohmann::json::parse(study::filing_manifest(s, pack.files));
  REQUIRE(manifest["files"].size() == pack.files.size());
  CHECK(manifest["files"][1]["sha256"] == sha256_hex(pack.files[1].text()));
  CHECK_THROWS_AS(study::make_filing(s, rules("ieso_2026"), {"tiny.toml", {file}, "no_such_window"}), InputError);
  CHECK_THROWS_AS(study::make_filing(s, rules("ieso_2026"), {"tiny.toml", {file, file}}),
                  InputError);  // two files of one name
  fs::remove_all(folder);
}

TEST_CASE("ramps over windows that do not fit twice into the rated part are open, and each figure names its span",
          "[long]") {
  const fs::path folder = fs::temp_directory_path() / ("tidewatt_spans_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  auto s = site({"run.duration_h=0.05", "site.rules_from_s=80"});
  s.text += "\n# --set run.duration_h=0.05\n# --set site.rules_from_s=80\n";
  const std::string file = (folder / "tiny.h5").string();
  io::Hdf5Sink(file).write(sim::run(s, {}));
  auto other = s;
  other.text += "# --set hall.a.n_gpu=256\n";
  study::FilingOptions o{"tiny.toml", {file}};
  o.as_if = true;
  o.source.settings = "ups_central";
  const auto pack = study::make_filing(s, rules("ieso_2026"), o);
  const auto row = [&](const std::string& field) {
    const auto at = std::find_if(pack.sheet.begin(), pack.sheet.end(), [&](const auto& r) { return r.field == field; });
    INFO(field);
    REQUIRE(at != pack.sheet.end());
    return *at;
  };
  CHECK(row("steepest rise, 10 s").value != "open");
  CHECK(row("steepest rise, 60 s").value == "open");  // 100 s are rated, 180 simulated
  CHECK(row("steepest rise, 60 s").input == "the rated part is too short, below two windows");
  CHECK(row("steepest rise, 10 s").span == "rated part, 80 to 180 s");
  CHECK(row("largest power").span == "whole run, 0 to 180 s, start-up included");
  CHECK(row("largest reactive power").span == "window sample, 30 to 90 s");
  CHECK_THAT(row("short-circuit power").method, Catch::StartsWith("assumed, range"));
  CHECK(pack.open.at(0).find("assumed, not stated: short-circuit power") == 0);
  CHECK_THAT(row("power factor, mean").value, Catch::EndsWith(" lagging"));
  // One definition of the largest line in report, data sheet and record.
  const std::string page = pack.files.at(0).text();
  const std::string line = row("frequency of the largest line").value;
  CHECK(page.find(": " + line + " Hz, amplitude " + row("amplitude of the largest line").value + " MW") !=
        std::string::npos);
  CHECK(page.find("Ramps of the rated part, 80 to 180 s") != std::string::npos);
  CHECK(pack.warnings.empty());
  const auto warned = study::make_filing(other, rules("ieso_2026"), o);
  REQUIRE(warned.warnings.size() == 1);
  CHECK_THAT(warned.warnings[0], Catch::Contains("tiny.h5 is of another scenario than tiny.toml"));
  CHECK(any(warned.open, "was made with another input"));
  fs::remove_all(folder);
}

TEST_CASE("rules that do not apply are said, and judged only as if") {
  const auto pack = study::make_filing(site(), rules("ercot_nogrr282"), {"tiny.toml", {}});
  CHECK(pack.ride.find("does not apply") == 0);
  CHECK(pack.files.at(0).text().find("The rules do not apply") != std::string::npos);
}
