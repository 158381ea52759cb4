#include "study/fit_tables.hpp"

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "study/fit_clocks.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/catalog/catalog.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

namespace {
struct File {
  File(const char* name, const std::string& text)
      : path((std::filesystem::temp_directory_path() / (name + std::to_string(::getpid()) + ".csv")).string()) {
    std::ofstream(path) << text;
  }
  ~File() { std::filesystem::remove(path); }
  std::string path;
};

FitTableOptions options(const File& file) {
  FitTableOptions o;
  o.files = {file.path}, o.name = "mine";
  return o;
}

/// Whether a fitted entry is one that a catalog reads.
void check_entry(const FittedEntry& entry) {
  const auto folder = std::filesystem::temp_directory_path() / ("tidewatt_tables_" + std::to_string(::getpid()));
  write_entry(entry, folder.string());
  const catalog::Catalog catalog(folder.string());
  CHECK(catalog.has(entry.kind, "mine"));
  std::filesystem::remove_all(folder);
}
}  // namespace

TEST_CASE("points of several GPUs become one type, with its V/f table and its chips' scatter", "[study][fit_tables]") {
  const auto m = clock_model("h100_sxm_700W", {"work"});
  std::vector<double> p = {61, 41.4, 0.03, 2.8, 1.3, 1.2, 0.72, 0.9};
  std::string text = "gpu,power_W,clock_MHz,temperature_degC,limit_W,load\n";
  for (int gpu = 0; gpu < 3; ++gpu)
    for (int i = 0; i < 90; ++i) {
      const double f = 900e6 + 12e6 * i, T = 308.15 + (i * 37 % 40);
      p[1] = 41.4 * (1.0 + 0.15 * (gpu - 1));
      const double W = clock_point_W(m, p, {0, 0, f, T, 0, 0, true}, false) + 0.5 * std::sin(1.7 * i * (gpu + 1));
      text += std::to_string(gpu) + "," + std::to_string(W) + "," + std::to_string(f * 1e-6) + "," +
              std::to_string(T - 273.15) + ",700,work\n";
    }
  const File file("tidewatt_points", text);
  const auto entry = fit_table("clocks", options(file));
  CHECK(entry.kind == "gpu");
  CHECK(entry.toml.find("vf_voltage_mV = [") != std::string::npos);
  const auto json = nlohmann::json::parse(fit_json(entry));
  REQUIRE(json["gpus"].size() == 3);
  CHECK(json["gpus"][0]["residuals_W"]["rms"].get<double>() < 1.0);
  bool spread = false;
  for (const auto& v : json["values"]) spread |= v["key"] == "chip_sigma_ratio";
  CHECK(spread);
  check_entry(entry);
}

TEST_CASE("failures by cause, and jobs of a scheduler, become rates per node and day", "[study][fit_tables]") {
  const File events("tidewatt_failures", "time,cause,repair_h\n1,gpu,3\n2,gpu,5\n3,network,\n4,gpu,4\n5,network,1\n");
  auto o = options(events);
  CHECK_THROWS_AS(fit_table("failures", o), InputError);  // how many nodes, for how long?
  o.nodes = 100, o.days = 30;
  const auto entry = fit_table("failures", o);
  CHECK(entry.toml.find("causes = [\"gpu\", \"network\"]") != std::string::npos);
  CHECK(entry.values[0].low < 3.0 / 3000);
  CHECK(entry.values[0].high > 3.0 / 3000);
  check_entry(entry);
  const File jobs("tidewatt_jobs", "job,state,nodes,elapsed_s\na,COMPLETED,8,864000\nb,NODE_FAIL,16,432000\n");
  const auto of_jobs = fit_table("failures", options(jobs));
  CHECK(of_jobs.text.find("1 failures in 160 node days") != std::string::npos);
}

TEST_CASE("every fit says which column it lacks, and takes a whole table", "[study][fit_tables]") {
  const File empty("tidewatt_none", "a,b\n1,2\n");
  for (const auto& f : table_fits()) {
    INFO(f.word);
    auto o = options(empty);
    o.nodes = 1, o.days = 1;
    if (std::string(f.word) != "failures") CHECK_THROWS_AS(fit_table(f.word, o), InputError);
  }
  CHECK_THROWS_AS(fit_table("clock", options(empty)), InputError);
  auto wide = options(empty);
  wide.branches = 0;
  CHECK_THROWS_AS(fit_table("feeder", wide), InputError);

  std::string iterations = "iteration_s\n", node = "gpu_sum_W,node_W\n", feeder = "input_W,output_W\n";
  for (int i = 0; i < 60; ++i) {
    iterations += std::to_string(5.0 + 0.02 * ((i * 29 % 60) / 60.0)) + "\n";
    node += std::to_string(1000 + 80 * i) + "," + std::to_string(2600 + 1.08 * 80 * i + (i * 7 % 5)) + "\n";
    feeder += std::to_string(4e5 + 3e4 * i + 2600 + 14000 * std::pow((4e5 + 3e4 * i) / 2.45e6, 2) + 20 * (i * 7 % 5)) +
              "," + std::to_string(4e5 + 3e4 * i) + "\n";
  }
  const File a("tidewatt_iterations", iterations), b("tidewatt_node", node), c("tidewatt_feeder", feeder);
  for (const auto& [word, file] : {std::pair{"jitter", &a}, std::pair{"server", &b}, std::pair{"feeder", &c}}) {
    INFO(word);
    const auto entry = fit_table(word, options(*file));
    CHECK(entry.rms > 0.0);
    CHECK_FALSE(entry.residuals.empty());
    check_entry(entry);
  }
}
