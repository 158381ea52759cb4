#include "io/verified_file.hpp"

#include "catch.hpp"
#include "io/checkpoint.hpp"
#include "io/result_file.hpp"
#include "sample_result.hpp"
#include "scratch_folder.hpp"
#include "tidewatt/io/hdf5_sink.hpp"
#include "tiny.hpp"

using namespace tidewatt;

namespace {

void put(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

std::string text_of(const std::string& path) {
  const auto bytes = bytes_of(path);
  return {bytes.begin(), bytes.end()};
}

/// How many of `n` one-bit flips and as many truncations are refused, spread evenly over the file.
std::size_t refused(const std::string& path, const std::string& whole, std::size_t n) {
  std::size_t out = 0;
  const auto count = [&](const std::string& bytes) {
    put(path, bytes);
    try {
      io::verify_file(path);
    } catch (const io::CorruptFileError&) {
      ++out;
    }
  };
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t bit = k * (8 * whole.size() - 1) / (n - 1);
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    count(flipped);
    count(whole.substr(0, k * (whole.size() - 1) / (n - 1)));
  }
  put(path, whole);
  return out;
}

}  // namespace

TEST_CASE(
    "a result is read as it was written, or refused: every flipped bit and every cut is noticed before HDF5 looks") {
  const ScratchFolder folder;
  const std::string path = folder.file("r.h5");
  io::Hdf5Sink(path).write(sample_result());
  const std::string whole = text_of(path);
  CHECK(io::verify_file(path) == "result");
  CHECK(refused(path, whole, 300) == 600);
  CHECK(io::verify_file(path) == "result");
}

TEST_CASE("each byte of the seal counts, and nothing may stand behind it") {
  const ScratchFolder folder;
  const std::string path = folder.file("r.h5");
  io::Hdf5Sink(path).write(sample_result(10));
  const std::string whole = text_of(path);
  const std::size_t n = io::seal("").size();
  std::size_t n_refused = 0;
  for (std::size_t at = whole.size() - n; at < whole.size(); ++at) {
    std::string bad = whole;
    bad[at] = static_cast<char>(bad[at] ^ 4);
    put(path, bad);
    try {
      io::read_sealed(path);
    } catch (const io::CorruptFileError&) {
      ++n_refused;
    }
  }
  CHECK(n_refused == n);
  for (const std::string& bytes : {whole + "\n", whole.substr(0, whole.size() - n), std::string()}) {
    put(path, bytes);
    CHECK_THROWS_AS(io::read_sealed(path), io::CorruptFileError);
    CHECK_THROWS_AS(io::ResultFile(path), io::CorruptFileError);
  }
  CHECK_THROWS_AS(io::read_sealed(folder.file("none.h5")), InputError);
}

TEST_CASE("a checkpoint is verified the same way") {
  const ScratchFolder folder;
  const std::string path = folder.file("c");
  const auto scenario = tiny();
  sim::Engine engine(scenario, {1, {}});
  engine.step();
  io::write_checkpoint(path, engine, scenario.text);
  const std::string whole = text_of(path);
  CHECK(io::verify_file(path) == "checkpoint");
  CHECK(refused(path, whole, 100) == 200);
}
