#include "hdf5_write.hpp"

#include <fmt/format.h>
#include <hdf5_hl.h>

#include <algorithm>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::io::hdf5 {
namespace {

constexpr std::uint64_t chunk_values = 65536;         // 512 KiB of doubles: fits the default chunk cache of readers
constexpr std::uint64_t compress_above_bytes = 1024;  // below, the deflate header eats the gain
constexpr std::size_t grow_bytes = std::size_t{1} << 20U;

Properties properties(hid_t kind) { return {H5Pcreate(kind), "create a property list"}; }

// Object times would make two equal runs differ in their bytes.
Properties untimed(hid_t kind) {
  Properties p = properties(kind);
  check(H5Pset_obj_track_times(p, false), "leave out object times");
  return p;
}

Type utf8_type() {
  Type type(H5Tcopy(H5T_C_S1), "create a text type");
  check(H5Tset_size(type, H5T_VARIABLE), "make text variable in length");
  check(H5Tset_cset(type, H5T_CSET_UTF8), "mark text as UTF-8");
  return type;
}

Space scalar() { return {H5Screate(H5S_SCALAR), "create a scalar space"}; }

Attribute create_attribute(hid_t object, const std::string& name, hid_t type) {
  return {H5Acreate2(object, name.c_str(), type, scalar(), H5P_DEFAULT, H5P_DEFAULT), "create attribute " + name};
}

void require_no_nul(const std::string& name, const std::string& text) {
  if (text.find('\0') != std::string::npos) throw OutputError(fmt::format("the text of {} holds a NUL", name));
}

// Along the first dimension (time), whole along the others: readers ask for a stretch of time.
std::vector<hsize_t> chunk_shape(const std::vector<std::uint64_t>& shape) {
  std::vector<hsize_t> chunk(shape.begin(), shape.end());
  std::uint64_t row = 1;
  for (std::size_t i = 1; i < shape.size(); ++i) row *= shape[i];
  chunk[0] = std::min<hsize_t>(chunk[0], std::max<hsize_t>(1, chunk_values / row));
  return chunk;
}

Properties dataset_properties(const NamedArray& array, bool is_text, bool deflated) {
  Properties p = untimed(H5P_DATASET_CREATE);
  const std::uint64_t n = std::visit([](const auto& values) -> std::uint64_t { return values.size(); }, array.values);
  // Filters need chunks, chunks need an extent; HDF5 1.10 refuses any filter on text of variable length.
  if (n == 0 || array.shape.empty() || is_text) return p;
  const std::vector<hsize_t> chunk = chunk_shape(array.shape);
  check(H5Pset_chunk(p, static_cast<int>(chunk.size()), chunk.data()), "set the chunks");
  if (deflated && 8 * n > compress_above_bytes) {
    check(H5Pset_shuffle(p), "set shuffle");
    check(H5Pset_deflate(p, 1), "set deflate");
  }
  check(H5Pset_fletcher32(p), "set fletcher32");
  return p;
}

Dataset create_dataset(hid_t file, const NamedArray& array, hid_t type, bool is_text, bool deflated) {
  const std::vector<hsize_t> shape(array.shape.begin(), array.shape.end());
  const Space space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), "create a space");
  return {H5Dcreate2(file, array.path.c_str(), type, space, H5P_DEFAULT, dataset_properties(array, is_text, deflated),
                     H5P_DEFAULT),
          "create dataset " + array.path};
}

Dataset write_values(hid_t file, const NamedArray& array, hid_t disk, hid_t memory, const void* values, bool is_text,
                     bool deflated = false) {
  Dataset dataset = create_dataset(file, array, disk, is_text, deflated);
  if (std::ranges::find(array.shape, 0U) == array.shape.end()) {
    check(H5Dwrite(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), "write dataset " + array.path);
  }
  return dataset;
}

}  // namespace

File create_in_memory() {
  const Properties access = properties(H5P_FILE_ACCESS);
  check(H5Pset_fapl_core(access, grow_bytes, false), "keep the file in memory");
  check(H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V110), "choose the file format");
  const Properties creation = untimed(H5P_FILE_CREATE);
  check(H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED), "keep creation order");
  check(H5Pset_attr_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED), "keep attribute order");
  File file(H5Fcreate("tidewatt-in-memory", H5F_ACC_TRUNC, creation, access), "create the file in memory");
  // From here on the format of 1.10, which has checksums on all of its own structure. Only the superblock stays in the
  // first format: H5Fget_file_image clears a flag in the later ones without renewing their checksum (1.10.8).
  check(H5Fset_libver_bounds(file, H5F_LIBVER_V110, H5F_LIBVER_V110), "choose the object format");
  return file;
}

std::vector<char> take_image(const File& file) {
  check(H5Fflush(file, H5F_SCOPE_GLOBAL), "flush the file in memory");
  const ssize_t size = check(H5Fget_file_image(file, nullptr, 0), "measure the file image");
  std::vector<char> image(static_cast<std::size_t>(size));
  check(H5Fget_file_image(file, image.data(), image.size()), "take the file image");
  return image;
}

Group create_group(hid_t parent, const std::string& path) {
  const Properties link = properties(H5P_LINK_CREATE);
  check(H5Pset_create_intermediate_group(link, 1), "create groups on the way");
  const Properties creation = untimed(H5P_GROUP_CREATE);
  check(H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED), "keep creation order");
  check(H5Pset_attr_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED), "keep attribute order");
  return {H5Gcreate2(parent, path.c_str(), link, creation, H5P_DEFAULT), "create group " + path};
}

void write_attribute(hid_t object, const std::string& name, const std::string& text) {
  require_no_nul(name, text);
  const Type type = utf8_type();
  const char* value = text.c_str();
  check(H5Awrite(create_attribute(object, name, type), type, static_cast<const void*>(&value)),
        "write attribute " + name);
}

void write_attribute(hid_t object, const std::string& name, double value) {
  check(H5Awrite(create_attribute(object, name, H5T_IEEE_F64LE), H5T_NATIVE_DOUBLE, &value), "write attribute " + name);
}

void write_attribute(hid_t object, const std::string& name, std::int64_t value) {
  check(H5Awrite(create_attribute(object, name, H5T_STD_I64LE), H5T_NATIVE_INT64, &value), "write attribute " + name);
}

Dataset write_dataset(hid_t file, const NamedArray& array, bool deflated) {
  if (const auto* numbers = std::get_if<std::vector<double>>(&array.values)) {
    return write_values(file, array, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, numbers->data(), false, deflated);
  }
  if (const auto* whole = std::get_if<std::vector<std::int64_t>>(&array.values)) {
    return write_values(file, array, H5T_STD_I64LE, H5T_NATIVE_INT64, whole->data(), false, deflated);
  }
  const auto& values = std::get<std::vector<std::string>>(array.values);
  std::vector<const char*> texts;
  texts.reserve(values.size());
  for (const std::string& text : values) texts.push_back(text.c_str());
  const Type type = utf8_type();
  return write_values(file, array, type, type, static_cast<const void*>(texts.data()), true);
}

void write_text(hid_t group, const std::string& name, const std::string& text) {
  require_no_nul(name, text);
  write_dataset(group, {name, {}, {}, std::vector<std::string>{text}, "", ""}, false);
}

Dataset write_bare_scale(hid_t file, const std::string& path, std::uint64_t extent) {
  const hsize_t shape = extent;
  const Space space(H5Screate_simple(1, &shape, nullptr), "create a space");
  Dataset dataset(
      H5Dcreate2(file, path.c_str(), H5T_IEEE_F32BE, space, H5P_DEFAULT, untimed(H5P_DATASET_CREATE), H5P_DEFAULT),
      "create dimension " + path);
  make_scale(dataset, fmt::format("This is a netCDF dimension but not a netCDF variable.{:10}", extent));
  return dataset;
}

void attach_scale(hid_t dataset, hid_t scale, unsigned dimension) {
  check(H5DSattach_scale(dataset, scale, dimension), "attach a dimension scale");
}

void make_scale(hid_t dataset, const std::string& name) {
  check(H5DSset_scale(dataset, name.c_str()), "make a dimension scale of " + name);
}

}  // namespace TIDEWATT_NAMESPACE::io::hdf5
