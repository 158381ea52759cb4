#include "io/hdf5_read.hpp"

#include "catch.hpp"
#include "io/hdf5_write.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::io;

TEST_CASE("a dimension has the name of its scale only if the gate has seen that scale in the same group") {
  const hdf5::File file = hdf5::create_in_memory();
  hdf5::create_group(file, "/day");
  const auto scale = hdf5::write_bare_scale(file, "/day/edge", 3);
  const auto array =
      hdf5::write_dataset(file, {"/day/load_W", {"edge"}, {3}, std::vector<double>{1, 2, 3}, "W", ""}, true);
  hdf5::attach_scale(array, scale, 0);
  H5O_info_t info;
  REQUIRE(H5Oget_info(scale, &info) >= 0);
  const auto dims = [&](const char* path) {
    return hdf5::describe_dataset(file, "/day/load_W", {{info.addr, path}}).value().dims;
  };
  CHECK(dims("/day/edge") == std::vector<std::string>{"edge"});
  CHECK_THROWS_AS(dims("/other/edge"), OutputError);
  CHECK_THROWS_AS(hdf5::describe_dataset(file, "/day/load_W", {}), OutputError);
}

TEST_CASE("text that is no UTF-8 is refused") {
  const hdf5::File file = hdf5::create_in_memory();
  hdf5::write_attribute(file, "units", std::string("\xff"));
  CHECK_THROWS_AS(hdf5::read_attribute(file, "units"), OutputError);
}
