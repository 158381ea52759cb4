#include "io/result_contents.hpp"

#include "catch.hpp"
#include "io/guarded_child.hpp"
#include "sample_result.hpp"
#include "tidewatt/io/hdf5_sink.hpp"

using namespace tidewatt;

TEST_CASE("the contents of a result come from its bytes, those of no result are refused") {
  const auto written = sample_result(5000);
  const auto image = io::hdf5_image(written);
  const std::string bytes(image.begin(), image.end());
  const auto contents = io::read_contents(bytes);
  CHECK(contents.arrays.size() == written.arrays.size());
  CHECK(contents.has_values);
  NamedArray again = contents.arrays.at(0);
  again.values = std::vector<double>{};
  io::read_values(bytes, again);
  CHECK(again.values == contents.arrays.at(0).values);
  CHECK_THROWS_AS(io::read_contents("no HDF5"), io::ChildError);
  CHECK_THROWS_AS(io::read_contents(bytes.substr(0, bytes.size() / 2)), io::ChildError);
}
