#include "io/hdf5_write.hpp"

#include "catch.hpp"
#include "io/hdf5_read.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::io;

namespace {

std::size_t image_bytes(bool deflated) {
  const hdf5::File file = hdf5::create_in_memory();
  hdf5::create_group(file, "/day");
  hdf5::write_dataset(file, {"/day/it_W", {"time"}, {9000}, std::vector<double>(9000, 1.0), "W", ""}, deflated);
  return hdf5::take_image(file).size();
}

}  // namespace

TEST_CASE("numbers that repeat themselves shrink only where they may be deflated") {
  CHECK(image_bytes(true) < 9000);
  CHECK(image_bytes(false) > 8 * 9000);
}

TEST_CASE("a text with a NUL is no attribute") {
  const hdf5::File file = hdf5::create_in_memory();
  CHECK_THROWS_AS(hdf5::write_attribute(file, "a", std::string("x\0y", 3)), OutputError);
  hdf5::write_attribute(file, "a", std::string("x"));
  CHECK(hdf5::read_attribute(file, "a") == "x");
}
