#include "io/read_waveform.hpp"

#include <unistd.h>

#include <filesystem>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/io/hdf5_sink.hpp"

using namespace tidewatt;

TEST_CASE("a window comes back as it was written, and an unknown one names those that are there") {
  const auto path =
      (std::filesystem::temp_directory_path() / ("tidewatt_window_" + std::to_string(::getpid()) + ".h5")).string();
  sim::Result r;
  const auto add = [&](const char* name, std::vector<double> v, const char* unit) {
    const std::uint64_t n = v.size();
    r.arrays.push_back({std::string("/waveform_sample/") + name, {"time"}, {n}, std::move(v), unit, "a test"});
  };
  add("time", {2.0, 2.001, 2.002}, "s");
  add("pcc_W", {1e6, 1.5e6, 1.25e6}, "W");
  add("pcc_var", {2e5, 3e5, 2.5e5}, "var");
  add("bus_pu", {1.0, 0.99, 0.995}, "1");
  add("frequency_Hz", {60.0, 59.99, 59.98}, "Hz");
  r.provenance = {{"start_time", "2024-07-20T00:00:00"}, {"scenario", ""}, {"seed", "1"}, {"version", "0"}};
  io::Hdf5Sink(path).write(r);
  CHECK(io::waveform_windows(path) == std::vector<std::string>{"sample"});
  for (const char* window : {"sample", ""}) {
    const auto w = io::read_waveform(path, window);
    CHECK(w.first_s == 2.0);
    CHECK(w.pcc_W == std::vector<double>{1e6, 1.5e6, 1.25e6});
    CHECK(w.pcc_var[1] == 3e5);
    CHECK(w.frequency_Hz[2] == 59.98);
  }
  CHECK_THROWS_AS(io::read_waveform(path, "other"), InputError);
  CHECK_THROWS_AS(io::read_waveform("/no/such/file.h5", ""), InputError);
  std::filesystem::remove(path);
}
