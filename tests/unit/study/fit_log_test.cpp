#include "tidewatt/study/fit_log.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;

namespace {
/// node_W = 1500 + 1.05 · gpu_sum_W, exactly.
std::string exact_log() {
  const auto path = (std::filesystem::temp_directory_path() / ("tidewatt_fit_" + std::to_string(::getpid()) + ".csv")).string();
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
  CHECK_THROWS_AS(study::fit_gpu_log({log, "mine", "h100_sxm_700W", "", -1.0, 40.0, 1.0}), InputError);
  CHECK_THROWS_AS(study::write_entry(study::fit_overhead_log(log, "mine"), log), OutputError);
  CHECK_THROWS_AS(study::write_entry(study::fit_overhead_log(log, "../mine"), log), InputError);
  std::filesystem::remove(log);
}
