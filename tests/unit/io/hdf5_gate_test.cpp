#include "io/hdf5_gate.hpp"

#include <functional>

#include "catch.hpp"
#include "io/hdf5_read.hpp"
#include "io/hdf5_write.hpp"
#include "sample_result.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/io/hdf5_sink.hpp"

using namespace tidewatt;
using namespace tidewatt::io;

namespace {

using Change = std::function<void(hid_t file)>;

/// What the gate says of a file with a group `/day`, the array `/day/it_W` and a change.
std::string verdict(const Change& change) {
  const hdf5::Quiet quiet;
  const hdf5::File file = hdf5::create_in_memory();
  hdf5::create_group(file, "/day");
  hdf5::write_dataset(file, {"/day/it_W", {"time"}, {3}, std::vector<double>{1, 2, 3}, "W", ""}, true);
  change(file);
  try {
    hdf5::admit(file, 10000);
  } catch (const OutputError& e) {
    return e.what();
  }
  return "admitted";
}

void create(hid_t file, const char* path, hid_t type, const std::vector<hsize_t>& shape, hid_t creation = H5P_DEFAULT,
            const hsize_t* most = nullptr) {
  const hdf5::Space space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), most), "space");
  const hdf5::Dataset dataset(H5Dcreate2(file, path, type, space, H5P_DEFAULT, creation, H5P_DEFAULT), "dataset");
}

hdf5::Properties properties() { return {H5Pcreate(H5P_DATASET_CREATE), "properties"}; }

}  // namespace

TEST_CASE("the gate admits what the writer makes, with every kind of array") {
  const auto image = hdf5_image(sample_result(5000));
  const std::string bytes(image.begin(), image.end());
  const hdf5::File file = hdf5::open_in_memory(bytes);
  const auto admitted = hdf5::admit(file, bytes.size());
  CHECK(admitted.datasets.size() >= sample_result(10).arrays.size());
  CHECK(verdict([](hid_t) {}) == "admitted");
}

TEST_CASE("the gate follows no link but hard ones, and each object once") {
  const Change changes[] = {
      [](hid_t f) { H5Lcreate_soft("/day/it_W", f, "/day/other", H5P_DEFAULT, H5P_DEFAULT); },
      [](hid_t f) { H5Lcreate_external("/etc/passwd", "/x", f, "/day/other", H5P_DEFAULT, H5P_DEFAULT); },
      [](hid_t f) { H5Lcreate_hard(f, "/day/it_W", f, "/day/other", H5P_DEFAULT, H5P_DEFAULT); },
      [](hid_t f) { H5Lcreate_hard(f, "/day", f, "/day/other", H5P_DEFAULT, H5P_DEFAULT); }};
  for (const auto& change : changes) CHECK(verdict(change).starts_with("/day/other: is a"));
}

TEST_CASE("the gate refuses values that lie elsewhere, grow, or pass through filters of others") {
  CHECK(verdict([](hid_t f) {
          const auto p = properties();
          H5Pset_external(p, "/etc/passwd", 0, 24);
          create(f, "/day/x", H5T_IEEE_F64LE, {3}, p);
        }).starts_with("/day/x: has its values in another file"));
  CHECK(verdict([](hid_t f) {
          const auto p = properties();
          const hsize_t three = 3;
          const hdf5::Space space(H5Screate_simple(1, &three, nullptr), "space");
          H5Pset_virtual(p, space, "other.h5", "/x", space);
          create(f, "/day/x", H5T_IEEE_F64LE, {3}, p);
        }).starts_with("/day/x: is a virtual dataset"));
  CHECK(verdict([](hid_t f) {
          const auto p = properties();
          const hsize_t three = 3;
          H5Pset_chunk(p, 1, &three);
          H5Pset_nbit(p);
          create(f, "/day/x", H5T_IEEE_F64LE, {3}, p);
        }).starts_with("/day/x: has filter"));
  CHECK(verdict([](hid_t f) {
          const auto p = properties();
          const hsize_t three = 3, most = H5S_UNLIMITED;
          H5Pset_chunk(p, 1, &three);
          create(f, "/day/x", H5T_IEEE_F64LE, {3}, p, &most);
        }).starts_with("/day/x: can grow"));
}

TEST_CASE("the gate refuses types, ranks and sizes that the writer does not make") {
  CHECK(verdict([](hid_t f) { create(f, "/day/x", H5T_IEEE_F32LE, {3}); }).find("type") != std::string::npos);
  CHECK(verdict([](hid_t f) { create(f, "/day/x", H5T_STD_I64BE, {3}); }).find("type") != std::string::npos);
  CHECK(verdict([](hid_t f) { create(f, "/day/x", H5T_IEEE_F64LE, {1, 1, 1}); }).find("dimensions") !=
        std::string::npos);
  CHECK(verdict([](hid_t f) { create(f, "/day/x", H5T_IEEE_F64LE, {10'000'000'000}); }).find("memory") !=
        std::string::npos);
  CHECK(verdict([](hid_t f) {
          create(f, "/day/x", H5T_IEEE_F64LE, {hsize_t{1} << 40U, hsize_t{1} << 40U});
        }).find("memory") != std::string::npos);
  CHECK(verdict([](hid_t f) { create(f, "/day/x", H5T_IEEE_F64LE, {4'000'000}); }) == "admitted");
}

TEST_CASE("the gate refuses attributes that the writer does not make, and names that no result has") {
  CHECK(verdict([](hid_t f) {
          const hdf5::Dataset dataset(H5Dopen2(f, "/day/it_W", H5P_DEFAULT), "open");
          hdf5::write_attribute(dataset, "valid", 1.0);
        }).starts_with("/day/it_W@valid: "));
  CHECK(verdict([](hid_t f) {  // H5DSiterate_scales of HDF5 1.10 crashes here
          const hdf5::Dataset dataset(H5Dopen2(f, "/day/it_W", H5P_DEFAULT), "open");
          const hdf5::Type type(H5Tvlen_create(H5T_STD_REF_OBJ), "type");
          const hsize_t two = 2;
          const hdf5::Space space(H5Screate_simple(1, &two, nullptr), "space");
          const hdf5::Attribute list(H5Acreate2(dataset, "DIMENSION_LIST", type, space, H5P_DEFAULT, H5P_DEFAULT),
                                     "list");
        })
            .starts_with("/day/it_W@DIMENSION_LIST: "));
  CHECK(verdict([](hid_t f) { hdf5::create_group(f, "/day/\x1b[31m"); }).starts_with("/day/?: has a name"));
  CHECK(verdict([](hid_t f) { hdf5::create_group(f, "/day/a/b"); }).find("deeper") != std::string::npos);
}
