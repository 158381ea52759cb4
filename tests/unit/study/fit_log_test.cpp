#include "study/fit_log.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "synthetic_log.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

namespace {
/// node_W = 1500 + 1.05 · gpu_sum_W, exactly.
std::string exact_log() {
  const auto path =
      (std::filesystem::temp_directory_path() / ("tidewatt_fit_" + std::to_string(::getpid()) + ".csv")).string();
  std::ofstream to(path);
  to << "gpu_sum_W,node_W\n";
  for (int i = 0; i < 50; ++i) to << 1000 + 90 * i << ',' << 1500.0 + 1.05 * (1000 + 90 * i) << '\n';
  return path;
}
}  // namespace

TEST_CASE("a fit gives back the law that made the log, as values and as a catalog entry in its folder") {
  const auto log = exact_log();
  const auto entry = study::fit_overhead_log(log, "mine");
  REQUIRE(entry.values.size() == 2);
  CHECK(entry.values[0].value == Approx(1500.0).epsilon(1e-6));
  CHECK(entry.values[1].value == Approx(1.05).epsilon(1e-6));
  CHECK(entry.toml.find("name = \"mine\"") != std::string::npos);
  CHECK(entry.text.find("node against its GPUs") != std::string::npos);
  const auto folder = std::filesystem::temp_directory_path() / ("tidewatt_fit_out_" + std::to_string(::getpid()));
  const auto path = study::write_entry(entry, folder.string());
  CHECK(std::filesystem::path(path) == folder / "node_overhead" / "mine.toml");
  CHECK(std::filesystem::file_size(path) == entry.toml.size());
  std::filesystem::remove_all(folder);
  std::filesystem::remove(log);
}

TEST_CASE("a log without the columns, an option out of range and an unwritable folder are refused") {
  const auto log = exact_log();
  CHECK_THROWS_AS(study::fit_fans_log(log, "mine"), InputError);
  CHECK_THROWS_AS(study::fit_gpu_log({{log}, "mine", "h100_sxm_700W", "", -1.0, 40.0, 1.0}), InputError);
  CHECK_THROWS_AS(study::write_entry(study::fit_overhead_log(log, "mine"), log), OutputError);
  CHECK_THROWS_AS(study::write_entry(study::fit_overhead_log(log, "../mine"), log), InputError);
  std::filesystem::remove(log);
}

namespace {
const TwoPoles own{0.0167, 0.875, 0.024, 21.0, 0.0, 0.0, {}};

/// Two GPUs as `tidewatt import` writes them; the counter's column is left out on demand.
std::string log_file(const char* name, std::uint64_t seed, bool counter) {
  const auto path = (std::filesystem::temp_directory_path() / (name + std::to_string(::getpid()) + ".csv")).string();
  std::ofstream to(path);
  to << "time_s,gpu,power_W,temperature_degC,clock_MHz" << (counter ? ",energy_J\n" : "\n");
  for (const std::uint64_t gpu : {0u, 1u}) {
    const auto t = synthetic_log(own, {1.0, 1.0, true}, seed + gpu).telemetry;
    for (std::size_t i = 0; i < t.record.size(); ++i) {
      to << t.record.time_s[i] << ',' << gpu << ',' << t.record.power_W[i] << ',' << t.record.die_K[i] - 273.15
         << ",1500";
      if (counter) to << ',' << std::fixed << t.energy_J[i] << std::defaultfloat;
      to << '\n';
    }
  }
  return path;
}
}  // namespace

TEST_CASE("several logs of several GPUs become one type with the spread of its chips") {
  const auto one = log_file("tidewatt_gpu_a", 20, true), other = log_file("tidewatt_gpu_b", 30, false);
  FitGpuOptions o;
  o.files = {one, other}, o.name = "mine";
  const auto entry = fit_gpu_log(o);
  REQUIRE(entry.gpus.size() == 4);
  CHECK(entry.gpus[0].power_from == "energy counter");
  CHECK(entry.gpus[2].power_from.find("1 s before each reading") != std::string::npos);
  const auto json = nlohmann::json::parse(fit_json(entry));
  CHECK(json["values"][0]["key"] == "fast_K_per_W");
  CHECK(json["values"][4]["key"] == "chip_sigma_ratio_of_poles");
  CHECK(json["gpus"][0]["residuals_K"]["spectrum"].size() == 4);
  for (const auto& v : json["values"]) CHECK(v["low"].get<double>() < v["high"].get<double>());
  CHECK(entry.toml.find("[D] fitted to") != std::string::npos);

  o.gpu = "1", o.files = {one};
  CHECK(fit_gpu_log(o).gpus.size() == 1);
  o.gpu = "7";
  CHECK_THROWS_AS(fit_gpu_log(o), InputError);
  std::filesystem::remove(one);
  std::filesystem::remove(other);
}

TEST_CASE("a value at an end of its search is written by force alone") {
  FittedEntry entry{"node_levels", "mine", "schema = 1\n", {{"x", 4.0, 3.9, 4.0, true, true, 0.0, 4.0}}, 0.0, "", {}};
  const auto folder = std::filesystem::temp_directory_path() / ("tidewatt_bound_" + std::to_string(::getpid()));
  CHECK(entry.at_bound() == std::vector<std::string>{"x"});
  CHECK_THROWS_AS(write_entry(entry, folder.string()), InputError);
  CHECK_FALSE(std::filesystem::exists(folder));
  CHECK(std::filesystem::exists(write_entry(entry, folder.string(), true)));
  std::filesystem::remove_all(folder);
}
