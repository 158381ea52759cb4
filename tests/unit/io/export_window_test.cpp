#include "io/export_window.hpp"

#include <unistd.h>

#include <filesystem>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/io/hdf5_sink.hpp"

using namespace tidewatt;
namespace fs = std::filesystem;

namespace {
/// A result with one window of four samples, in a folder of its own.
struct Recorded {
  fs::path folder = fs::temp_directory_path() / ("tidewatt_export_" + std::to_string(::getpid()));
  std::string file = (folder / "run.h5").string();
  Recorded() {
    fs::create_directories(folder);
    sim::Result r;
    const auto add = [&](const char* name, std::vector<double> v, const char* unit) {
      const std::uint64_t n = v.size();
      r.arrays.push_back({std::string("/waveform_sample/") + name, {"time"}, {n}, std::move(v), unit, "a test"});
    };
    add("time", {2.0, 2.001, 2.002, 2.003}, "s");
    add("pcc_W", {1e6, 1.5e6, 1.25e6, 1e6}, "W");
    add("pcc_var", {2e5, 3e5, 2.5e5, 2e5}, "var");
    add("bus_pu", {1.0, 0.99, 0.995, 1.0}, "1");
    add("frequency_Hz", {60.0, 59.99, 59.98, 60.0}, "Hz");
    r.provenance = {{"start_time", "2024-07-20T00:00:00"}, {"scenario", ""}, {"seed", "1"}, {"version", "0"}};
    io::Hdf5Sink(file).write(r);
  }
  ~Recorded() { fs::remove_all(folder); }
};
}  // namespace

TEST_CASE("every format is made for the folder given or beside the result, and its sizes are those of its files") {
  const Recorded run;
  for (const auto& format : io::export_formats()) {
    INFO(format);
    const auto made = io::export_window(run.file, {format, "", (run.folder / format).string()});
    REQUIRE(!made.files.empty());
    io::write_export(made.folder, made.files, made.total_bytes());
    for (std::size_t i = 0; i < made.files.size(); ++i) CHECK(fs::file_size(made.path(i)) == made.bytes[i]);
    CHECK(made.n_sample == 4);
  }
  CHECK(fs::path(io::export_window(run.file, {"csv", "sample", ""}).path(0)).parent_path() == run.folder);
}

TEST_CASE("an unknown format names the nearest; unknown windows and encodings are refused") {
  const Recorded run;
  try {
    io::export_window(run.file, {"comtrde", "", ""});
    FAIL("accepted");
  } catch (const InputError& e) {
    CHECK(std::string(e.what()).find("did you mean 'comtrade'?") != std::string::npos);
  }
  CHECK_THROWS_AS(io::export_window(run.file, {"csv", "no_such_window", ""}), InputError);
  CHECK_THROWS_AS(io::export_window(run.file, {"comtrade", "", "", {}, "morse"}), InputError);
}
