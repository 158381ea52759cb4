#include "io/result_file.hpp"

#include <cstring>
#include <filesystem>

#include "catch.hpp"
#include "sample_result.hpp"
#include "scratch_folder.hpp"
#include "tidewatt/io/hdf5_sink.hpp"
#include "tidewatt/io/payload_hash.hpp"
#include "tidewatt/io/summary_json.hpp"

using namespace tidewatt;

TEST_CASE("a result comes back with the same arrays, figures and provenance") {
  const ScratchFolder folder;
  const auto written = sample_result();
  io::Hdf5Sink(folder.file("r.h5")).write(written);
  io::ResultFile file(folder.file("r.h5"));
  CHECK(file.arrays().size() == written.arrays.size());
  sim::Result again;
  for (const auto& array : written.arrays) {
    INFO(array.path);
    const auto* read = file.read(array.path);
    REQUIRE(read != nullptr);
    CHECK(read->dims == array.dims);
    CHECK(read->shape == array.shape);
    CHECK(read->long_name == array.long_name);
    if (!array.path.ends_with("/time")) CHECK(read->unit == array.unit);
    again.arrays.push_back(*read);
  }
  CHECK(io::payload_sha256(again) == io::payload_sha256(written));
  CHECK(file.payload_sha256() == io::payload_sha256(written));
  CHECK(file.summary_json() == io::result_json(written));
  auto expected = written.provenance, found = file.provenance();
  std::ranges::sort(expected), std::ranges::sort(found);
  CHECK(found == expected);
  CHECK(file.read("/day/no_such") == nullptr);
}

TEST_CASE("what was verified is what is read, even when the file changes meanwhile") {
  const ScratchFolder folder;
  const std::string path = folder.file("r.h5");
  const auto written = sample_result();
  io::Hdf5Sink(path).write(written);
  io::ResultFile file(path);
  std::ofstream(path, std::ios::binary) << "gone";
  const auto* die = file.read("/day/die_max_K");
  REQUIRE(die != nullptr);
  const auto& values = std::get<std::vector<double>>(die->values);
  const auto& original = std::get<std::vector<double>>(written.arrays[1].values);
  CHECK(std::memcmp(values.data(), original.data(), 8 * original.size()) == 0);
  CHECK(file.read("/day/die_max_K") == die);  // read once, and where it was
  file.copy_to(folder.file("copy.h5"));
  CHECK(io::ResultFile(folder.file("copy.h5")).payload_sha256() == file.payload_sha256());
}

TEST_CASE(
    "a long result that repeats itself stays uncompressed, so that its size allows its values, and is read array by "
    "array") {
  const ScratchFolder folder;
  constexpr std::size_t n = 9'000'000;  // 72 MB: more than what is read at once
  auto written = sample_result(10);
  written.arrays.push_back({"/still/pcc_W", {"bin"}, {n}, std::vector<double>(n, 1e6), "W", "power"});
  io::Hdf5Sink(folder.file("r.h5")).write(written);
  CHECK(std::filesystem::file_size(folder.file("r.h5")) > 8 * n);
  io::ResultFile file(folder.file("r.h5"));
  const auto* read = file.read("/still/pcc_W");
  REQUIRE(read != nullptr);
  CHECK(std::get<std::vector<double>>(read->values) == std::vector<double>(n, 1e6));
  CHECK(file.read("/still/pcc_W") == read);
}
