#include "tidewatt/io/hdf5_sink.hpp"

#include <hdf5.h>
#include <hdf5_hl.h>

#include <algorithm>
#include <cstring>

#include "catch.hpp"
#include "sample_result.hpp"
#include "scratch_folder.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/io/payload_hash.hpp"

using namespace tidewatt;
using sim::Result;

namespace {

std::vector<H5Z_filter_t> filters(hid_t file, const char* path) {
  const hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
  const hid_t creation = H5Dget_create_plist(dataset);
  std::vector<H5Z_filter_t> out;
  for (unsigned i = 0; i < static_cast<unsigned>(H5Pget_nfilters(creation)); ++i) {
    unsigned flags = 0, config = 0;
    std::size_t n = 0;
    out.push_back(H5Pget_filter2(creation, i, &flags, &n, nullptr, 0, nullptr, &config));
  }
  H5Pclose(creation), H5Dclose(dataset);
  return out;
}

template <class T>
std::vector<T> read(hid_t file, const char* path, hid_t type, std::size_t n) {
  std::vector<T> out(n);
  const hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
  const herr_t status = H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out.data());
  H5Dclose(dataset);
  if (status < 0) out.clear();
  return out;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), 8 * a.size()) == 0;
}

std::string message_of(const Result& result) {
  try {
    io::hdf5_image(result);
  } catch (const OutputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("values come back bit for bit, with filters where they should be and a scale on every dimension") {
  const ScratchFolder folder;
  const Result r = sample_result();
  io::Hdf5Sink(folder.file("r.h5")).write(r);
  const hid_t file = H5Fopen(folder.file("r.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  REQUIRE(file >= 0);
  const auto& die = std::get<std::vector<double>>(r.arrays[1].values);
  const auto& state = std::get<std::vector<std::int64_t>>(r.arrays[2].values);
  const auto& wave = std::get<std::vector<double>>(r.arrays[4].values);
  CHECK(same_bits(read<double>(file, "/day/die_max_K", H5T_NATIVE_DOUBLE, die.size()), die));
  CHECK(read<std::int64_t>(file, "/day/job_state", H5T_NATIVE_INT64, state.size()) == state);
  CHECK(same_bits(read<double>(file, "/waveform_start/pcc_W", H5T_NATIVE_DOUBLE, wave.size()), wave));
  using Filters = std::vector<H5Z_filter_t>;
  const Filters all{H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE, H5Z_FILTER_FLETCHER32};
  for (const char* path : {"/day/die_max_K", "/day/job_state", "/day/time", "/waveform_start/pcc_W"}) {
    CHECK(filters(file, path) == all);
  }
  for (const char* path : {"/energy/in_J", "/stage/work_frac"}) {
    CHECK(filters(file, path) == Filters{H5Z_FILTER_FLETCHER32});
  }
  for (const NamedArray& array : r.arrays) {
    const hid_t dataset = H5Dopen2(file, array.path.c_str(), H5P_DEFAULT);
    const bool scale = array.dims.size() == 1 && array.path.ends_with("/" + array.dims[0]);
    for (unsigned i = 0; i < array.dims.size(); ++i) {
      INFO(array.path << " dimension " << i);
      CHECK((scale ? H5DSis_scale(dataset) == 1 : H5DSget_num_scales(dataset, i) == 1));
    }
    H5Dclose(dataset);
  }
  CHECK(H5Fclose(file) >= 0);
}

TEST_CASE("one flipped bit in the stored values is noticed when they are read") {
  const ScratchFolder folder;
  const Result r = sample_result();
  std::vector<char> image = io::hdf5_image(r);
  // The small array is stored uncompressed: its values can be found in the file.
  const std::vector<double> load{1e7, 2e7, 1e7};
  std::vector<char> needle(24);
  std::memcpy(needle.data(), load.data(), 24);
  const auto at = std::search(image.begin(), image.end(), needle.begin(), needle.end());
  REQUIRE(at != image.end());
  *at = static_cast<char>(*at ^ 1);
  std::ofstream(folder.file("r.h5"), std::ios::binary).write(image.data(), static_cast<std::streamsize>(image.size()));
  H5E_BEGIN_TRY {
    const hid_t file = H5Fopen(folder.file("r.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    REQUIRE(file >= 0);
    CHECK(read<double>(file, "/iteration/load_W", H5T_NATIVE_DOUBLE, 3).empty());
    CHECK(read<double>(file, "/energy/in_J", H5T_NATIVE_DOUBLE, 2).size() == 2);
    H5Fclose(file);
  }
  H5E_END_TRY
}

TEST_CASE("equal results make equal files, whenever and wherever they are written") {
  CHECK(io::hdf5_image(sample_result(5000)) == io::hdf5_image(sample_result(5000)));
}

TEST_CASE("a failed write is an OutputError and leaves nothing") {
  const ScratchFolder folder;
  CHECK_THROWS_AS(io::Hdf5Sink(folder.file("missing/r.h5")).write(sample_result(10)), OutputError);
  CHECK_THROWS_AS(io::Hdf5Sink("/dev/full").write(sample_result(10)), OutputError);
  CHECK(folder.entries() == 0);
  CHECK(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL) == 0);  // nothing stays open in the library either
}

TEST_CASE("what a file cannot hold is refused by name") {
  const auto with = [](NamedArray array) {
    Result r = sample_result(10);
    r.arrays.push_back(std::move(array));
    return message_of(r);
  };
  using Doubles = std::vector<double>;
  CHECK(with({"/day/x_W", {"time"}, {3}, Doubles(3), "W", ""}).find("3 long here and 1440 elsewhere") !=
        std::string::npos);
  CHECK(with({"/day/x_W", {"time"}, {1440}, Doubles(7), "W", ""}).find("7 values for 1440") != std::string::npos);
  CHECK(with({"day/x_W", {}, {}, Doubles(1), "W", ""}).find("not absolute") != std::string::npos);
  CHECK(with({"/day/time", {"time"}, {1440}, Doubles(1440), "s", ""}).find("same path") != std::string::npos);
  CHECK(with({"/iteration/edge", {"k"}, {2}, Doubles(2), "s", ""}).find("name of a dimension") != std::string::npos);
  CHECK(with({"/day/t", {}, {}, std::vector<std::string>{std::string("a\0b", 3)}, "", ""}).find("NUL") !=
        std::string::npos);
  CHECK(with({"/day", {}, {}, Doubles(1), "W", ""}).find("HDF5 could not") != std::string::npos);
  Result timeless = sample_result(10);
  timeless.provenance.clear();
  CHECK(message_of(timeless).find("start_time") != std::string::npos);
}
