#include "study/verify_any.hpp"

#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/io/hdf5_sink.hpp"
#include "tidewatt/sim/run.hpp"
#include "tiny.hpp"

using namespace tidewatt;

TEST_CASE("a result is recognised and verified; one changed byte, a text file and an absent one are refused") {
  const auto path = (std::filesystem::temp_directory_path() / "verify_any_test.h5").string();
  io::Hdf5Sink(path).write(sim::run(tiny()));
  CHECK(study::verify_any(path) == "result");
  {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(4000);
    file.put('\x5a');
  }
  CHECK_THROWS_AS(study::verify_any(path), InputError);
  std::ofstream(path) << "tidewatt case of nothing";
  CHECK_THROWS_AS(study::verify_any(path), InputError);
  std::filesystem::remove(path);
  CHECK_THROWS_AS(study::verify_any(path), InputError);
}
