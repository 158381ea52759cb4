#include "hdf5_read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "base/utf8.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::io::hdf5 {
namespace {

herr_t add_attribute_name(hid_t, const char* name, const H5A_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// The places of a file's space, a count.
std::vector<std::uint64_t> shape_of(hid_t space) {
  const int rank = check(H5Sget_simple_extent_ndims(space), "measure a space");
  std::vector<hsize_t> extent(static_cast<std::size_t>(rank));
  check(H5Sget_simple_extent_dims(space, extent.data(), nullptr), "measure a space");
  return {extent.begin(), extent.end()};
}

/// A list of one reference in memory, as HDF5 allocates it.
struct References {
  explicit References(std::size_t n) : lists(n) {}
  References(const References&) = delete;
  References& operator=(const References&) = delete;
  ~References() {
    for (const auto& list : lists) H5free_memory(list.p);
  }
  std::vector<hvl_t> lists;
};

/// Names of the dimensions, from the addresses in DIMENSION_LIST: no reference is followed, and H5DS is not called
/// (H5DSiterate_scales of 1.10 crashes where the list is of another rank).
std::vector<std::string> dimensions(hid_t dataset, const std::string& path, std::size_t rank,
                                    const std::map<std::uint64_t, std::string>& at) {
  if (read_attribute(dataset, "CLASS") == "DIMENSION_SCALE") return {last_part(path)};
  std::vector<std::string> out(rank);
  if (rank == 0 || check(H5Aexists(dataset, "DIMENSION_LIST"), "look for the dimensions of " + path) == 0) return out;
  const Attribute attribute(H5Aopen(dataset, "DIMENSION_LIST", H5P_DEFAULT), "open the dimensions of " + path);
  const Type type(H5Tvlen_create(H5T_STD_REF_OBJ), "create a type of references");
  References read(rank);
  check(H5Aread(attribute, type, read.lists.data()), "read the dimensions of " + path);
  const std::string group = path.substr(0, path.rfind('/') + 1);
  for (std::size_t i = 0; i < rank; ++i) {
    if (read.lists[i].len == 0) continue;
    const auto scale = at.find(*static_cast<const hobj_ref_t*>(read.lists[i].p));
    if (read.lists[i].len != 1 || scale == at.end() || scale->second != group + last_part(scale->second))
      throw OutputError(fmt::format("{}: its dimension {} is not one scale of its group", path, i));
    out[i] = last_part(scale->second);
  }
  return out;
}

void require_utf8(const std::string& text, const std::string& where) {
  if (!is_utf8(text)) throw OutputError(where + ": has text that is no UTF-8");
}

/// Text of any length, of one value (or as many as the space has).
std::vector<std::string> take_texts(std::vector<char*>& raw, hid_t type, hid_t space, const std::string& where) {
  std::vector<std::string> out;
  out.reserve(raw.size());
  for (const char* text : raw) out.emplace_back(text == nullptr ? "" : text);
  H5Dvlen_reclaim(type, space, H5P_DEFAULT, static_cast<void*>(raw.data()));
  for (const auto& text : out) require_utf8(text, where);
  return out;
}

Type memory_text() {
  Type type(H5Tcopy(H5T_C_S1), "create a text type");
  check(H5Tset_size(type, H5T_VARIABLE), "make text variable in length");
  check(H5Tset_cset(type, H5T_CSET_UTF8), "mark text as UTF-8");
  return type;
}

}  // namespace

namespace {

// HDF5 reads the caller's bytes where they are: every "copy" of the image is the image itself. (H5LTopen_file_image does the same, but
// loses a few bytes where the file cannot be opened.)
void* same_image(std::size_t, H5FD_file_image_op_t, void* image) { return image; }
void* copy_of_same(void* to, const void* from, std::size_t, H5FD_file_image_op_t, void*) {
  return to == from ? to : nullptr;
}
void* never_longer(void*, std::size_t, H5FD_file_image_op_t, void*) { return nullptr; }
herr_t keep_image(void*, H5FD_file_image_op_t, void*) { return 0; }
void* same_user_data(void* image) { return image; }
herr_t keep_user_data(void*) { return 0; }

}  // namespace

File open_in_memory(std::string_view image) {
  static std::atomic<std::uint64_t> n_opened = 0;  // HDF5 takes files of one name for the same file
  auto* bytes = const_cast<char*>(image.data());   // opened for reading only
  const Properties access(H5Pcreate(H5P_FILE_ACCESS), "create a property list");
  check(H5Pset_fapl_core(access, 65536, false), "keep the file in memory");
  H5FD_file_image_callbacks_t calls = {same_image,     copy_of_same,   never_longer, keep_image,
                                       same_user_data, keep_user_data, bytes};
  check(H5Pset_file_image_callbacks(access, &calls), "keep the file in memory");
  check(H5Pset_file_image(access, bytes, image.size()), "keep the file in memory");
  return {H5Fopen(fmt::format("tidewatt_image_{}", n_opened++).c_str(), H5F_ACC_RDONLY, access), "open the file"};
}

std::optional<NamedArray> describe_dataset(hid_t file, const std::string& path,
                                           const std::map<std::uint64_t, std::string>& at) {
  const Dataset dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT), "open " + path);
  const auto name = read_attribute(dataset, "NAME");
  if (name && name->starts_with("This is a netCDF dimension but not a netCDF variable")) return {};
  const Space space(H5Dget_space(dataset), "open the space of " + path);
  NamedArray out;
  out.path = path;
  out.shape = shape_of(space);
  out.dims = dimensions(dataset, path, out.shape.size(), at);
  out.unit = read_attribute(dataset, "units").value_or("");
  out.long_name = read_attribute(dataset, "long_name").value_or("");
  const Type type(H5Dget_type(dataset), "find the type of " + path);
  const H5T_class_t kind = H5Tget_class(type);
  if (kind == H5T_INTEGER) out.values = std::vector<std::int64_t>{};
  if (kind == H5T_STRING && H5Tis_variable_str(type) > 0) out.values = std::vector<std::string>{};
  if (kind != H5T_INTEGER && kind != H5T_FLOAT && !(kind == H5T_STRING && H5Tis_variable_str(type) > 0))
    fail("use the type of " + path);
  return out;
}

void read_values(hid_t file, NamedArray& array) {
  const Dataset dataset(H5Dopen2(file, array.path.c_str(), H5P_DEFAULT), "open " + array.path);
  const Space space(H5Dget_space(dataset), "open the space of " + array.path);
  const auto n = static_cast<std::size_t>(check(H5Sget_simple_extent_npoints(space), "measure " + array.path));
  const auto read = [&](hid_t type, void* to) {
    if (n > 0) check(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to), "read " + array.path);
  };
  if (auto* numbers = std::get_if<std::vector<double>>(&array.values)) {
    numbers->resize(n);
    read(H5T_NATIVE_DOUBLE, numbers->data());
  } else if (auto* whole = std::get_if<std::vector<std::int64_t>>(&array.values)) {
    whole->resize(n);
    read(H5T_NATIVE_INT64, whole->data());
  } else {
    std::vector<char*> raw(n, nullptr);
    const Type type = memory_text();
    read(type, static_cast<void*>(raw.data()));
    array.values = take_texts(raw, type, space, array.path);
  }
}

std::optional<std::string> read_attribute(hid_t object, const std::string& name) {
  if (check(H5Aexists(object, name.c_str()), "look for the attribute " + name) == 0) return {};
  const Attribute attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), "open the attribute " + name);
  const Type stored(H5Aget_type(attribute), "find the type of " + name);
  if (H5Tget_class(stored) != H5T_STRING) return {};
  if (H5Tis_variable_str(stored) <= 0) {  // HDF5's own attributes
    std::string text(H5Tget_size(stored), '\0');
    check(H5Aread(attribute, stored, text.data()), "read the attribute " + name);
    text.resize(std::min(text.size(), text.find('\0')));
    require_utf8(text, "attribute " + name);
    return text;
  }
  const Space space(H5Aget_space(attribute), "open the space of " + name);
  if (H5Sget_simple_extent_npoints(space) != 1) return {};
  const Type type = memory_text();
  std::vector<char*> raw(1, nullptr);
  check(H5Aread(attribute, type, static_cast<void*>(raw.data())), "read the attribute " + name);
  return take_texts(raw, type, space, "attribute " + name).front();
}

std::vector<std::pair<std::string, std::string>> read_attributes(hid_t object) {
  std::vector<std::string> names;
  if (H5Aiterate2(object, H5_INDEX_CRT_ORDER, H5_ITER_INC, nullptr, add_attribute_name, &names) < 0) {
    names.clear();
    check(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, add_attribute_name, &names), "list attributes");
  }
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& name : names)
    if (auto text = read_attribute(object, name)) out.emplace_back(name, std::move(*text));
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::io::hdf5
