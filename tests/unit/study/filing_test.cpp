#include "study/filing.hpp"

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

TEST_CASE("with a result: figures with their input, records, playback, and a manifest of every file") {
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

TEST_CASE("rules that do not apply are said, and judged only as if") {
  const auto pack = study::make_filing(site(), rules("ercot_nogrr282"), {"tiny.toml", {}});
  CHECK(pack.ride.find("does not apply") == 0);
  CHECK(pack.files.at(0).text().find("The rules do not apply") != std::string::npos);
}
