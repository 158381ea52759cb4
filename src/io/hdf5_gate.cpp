#include "hdf5_gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <string_view>

#include "base/utf8.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::io::hdf5 {
namespace {

constexpr int most_rank = 2;
constexpr std::size_t most_depth = 3, most_name_bytes = 255, most_fixed_text_bytes = 1024;
constexpr std::array<std::string_view, 7> of_datasets = {"units", "calendar",       "long_name",     "CLASS",
                                                         "NAME",  "REFERENCE_LIST", "DIMENSION_LIST"};

[[noreturn]] void refuse(const std::string& path, std::string_view why) {
  throw OutputError(fmt::format("{}: {}", path, why));
}

struct Link {
  std::string name;
  bool is_hard = false;
  std::uint64_t address = 0;  ///< of the object
};

herr_t add_link(hid_t, const char* name, const H5L_info_t* info, void* links) {
  // The union begins with the address; since HDF5 1.12 with a token that holds it.
  Link link{name, info->type == H5L_TYPE_HARD, 0};
  std::memcpy(&link.address, &info->u, sizeof link.address);
  static_cast<std::vector<Link>*>(links)->push_back(std::move(link));
  return 0;
}

herr_t add_attribute(hid_t, const char* name, const H5A_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

bool is_plain(std::string_view name) {
  return !name.empty() && name.size() <= most_name_bytes && name != "." && name != ".." && is_utf8(name) &&
         std::ranges::none_of(name, [](unsigned char c) { return c < 0x20 || c == 0x7f || c == '/'; });
}

std::vector<hsize_t> extents(hid_t space, const std::string& path) {
  if (H5Sget_simple_extent_type(space) == H5S_NULL) refuse(path, "has no values at all");
  const int rank = check(H5Sget_simple_extent_ndims(space), "measure " + path);
  if (rank > most_rank) refuse(path, fmt::format("has {} dimensions, at most {} are written", rank, most_rank));
  std::vector<hsize_t> now(static_cast<std::size_t>(rank)), most(now.size());
  check(H5Sget_simple_extent_dims(space, now.data(), most.data()), "measure " + path);
  if (now != most) refuse(path, "can grow, which no array of a result does");
  return now;
}

bool is_text(hid_t type) { return H5Tget_class(type) == H5T_STRING; }
bool is_number(hid_t type) { return H5Tequal(type, H5T_IEEE_F64LE) > 0 || H5Tequal(type, H5T_STD_I64LE) > 0; }

/// An attribute, by name and type; its value is not read.
void check_attribute(hid_t object, const std::string& name, const std::string& path, bool is_dataset,
                     std::size_t rank) {
  const std::string where = path + "@" + name;
  if (!is_plain(name)) refuse(path, "has an attribute whose name no result has");
  if (is_dataset && std::ranges::find(of_datasets, name) == of_datasets.end())
    refuse(where, "no array of a result has this attribute");
  const Attribute attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), "open " + where);
  const Type type(H5Aget_type(attribute), "find the type of " + where);
  const Space space(H5Aget_space(attribute), "measure " + where);
  const std::vector<hsize_t> shape = extents(space, where);
  if (is_dataset && name == "REFERENCE_LIST") {  // never read
    if (shape.size() != 1 || H5Tget_class(type) != H5T_COMPOUND) refuse(where, "is no list of references");
    return;
  }
  if (is_dataset && name == "DIMENSION_LIST") {
    const Type item(H5Tget_class(type) == H5T_VLEN ? H5Tget_super(type) : H5Tcopy(type), "find the type of " + where);
    if (H5Tget_class(type) != H5T_VLEN || H5Tequal(item, H5T_STD_REF_OBJ) <= 0 || shape.size() != 1 || shape[0] != rank)
      refuse(where, "is no list of a scale for each dimension");
    return;
  }
  if (!shape.empty()) refuse(where, "has more than one value");
  if (is_text(type) && (H5Tis_variable_str(type) > 0 || H5Tget_size(type) <= most_fixed_text_bytes)) return;
  if (!is_dataset && is_number(type)) return;
  refuse(where, "is of a type that no result has");
}

void check_attributes(hid_t object, const std::string& path, bool is_dataset, std::size_t rank) {
  std::vector<std::string> names;
  check(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, add_attribute, &names),
        "list attributes of " + path);
  if (!is_dataset && path != "/" && path != "/provenance" && !names.empty())
    refuse(path, "is a group with attributes, which no result has");
  for (const auto& name : names) check_attribute(object, name, path, is_dataset, rank);
}

void check_filters(hid_t creation, const std::string& path, bool has_numbers) {
  const int n = check(H5Pget_nfilters(creation), "list filters of " + path);
  if (n > 3 || (n > 0 && !has_numbers)) refuse(path, "has filters that no array of a result has");
  std::vector<H5Z_filter_t> seen;
  for (int i = 0; i < n; ++i) {
    unsigned flags = 0, config = 0;
    std::size_t n_value = 0;
    const H5Z_filter_t filter =
        H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &n_value, nullptr, 0, nullptr, &config);
    const bool known = filter == H5Z_FILTER_SHUFFLE || filter == H5Z_FILTER_DEFLATE || filter == H5Z_FILTER_FLETCHER32;
    if (!known || std::ranges::find(seen, filter) != seen.end())
      refuse(path, fmt::format("has filter {}: results have shuffle, deflate and fletcher32, once each",
                               static_cast<int>(filter)));
    seen.push_back(filter);
  }
}

/// Where the values lie, and in which form.
void check_storage(hid_t dataset, const std::string& path, const std::vector<hsize_t>& shape, bool has_numbers) {
  const Properties creation(H5Dget_create_plist(dataset), "look at the storage of " + path);
  if (check(H5Pget_external_count(creation), "look at the storage of " + path) > 0)
    refuse(path, "has its values in another file (external storage)");
  const H5D_layout_t layout = H5Pget_layout(creation);
  if (layout == H5D_VIRTUAL) refuse(path, "is a virtual dataset: its values are those of others");
  if (layout != H5D_CONTIGUOUS && !(layout == H5D_CHUNKED && has_numbers))
    refuse(path, "is stored in a form that no array of a result has");
  H5D_fill_value_t fill = H5D_FILL_VALUE_ERROR;
  check(H5Pfill_value_defined(creation, &fill), "look at the storage of " + path);
  if (fill == H5D_FILL_VALUE_USER_DEFINED) refuse(path, "has a fill value of its own");
  check_filters(creation, path, has_numbers);
  if (layout != H5D_CHUNKED) return;
  std::array<hsize_t, most_rank> chunk{};
  if (H5Pget_chunk(creation, most_rank, chunk.data()) != static_cast<int>(shape.size()))
    refuse(path, "has chunks of another rank");
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (chunk[i] > shape[i]) refuse(path, "has chunks that are larger than it is");
}

class Gate {
 public:
  explicit Gate(std::uint64_t file_bytes) : file_bytes_(file_bytes) {}

  /// @param path of the group, "" for the root
  void group(hid_t id, const std::string& path, std::size_t depth) {
    check_attributes(id, path.empty() ? "/" : path, false, 0);
    for (const Link& link : links_of(id, path)) {
      const std::string at = is_plain(link.name) ? path + "/" + link.name : path + "/?";
      if (at.ends_with("/?")) refuse(at, "has a name that no result has");
      if (!link.is_hard) refuse(at, "is a soft or external link; results have none");
      if (!admitted.at.emplace(link.address, at).second) refuse(at, "is another name of an object of the file");
      object(id, link.name, at, depth);
    }
  }

  Admitted admitted;

 private:
  std::vector<Link> links_of(hid_t id, const std::string& path) const {
    std::vector<Link> links;
    if (H5Literate(id, H5_INDEX_CRT_ORDER, H5_ITER_INC, nullptr, add_link, &links) < 0) {
      links.clear();  // the order of creation is not kept
      check(H5Literate(id, H5_INDEX_NAME, H5_ITER_INC, nullptr, add_link, &links), "list " + path + "/");
    }
    return links;
  }

  void object(hid_t parent, const std::string& name, const std::string& path, std::size_t depth) {
    const Handle<H5Oclose> id(H5Oopen(parent, name.c_str(), H5P_DEFAULT), "open " + path);
    const H5I_type_t kind = H5Iget_type(id);
    if (kind == H5I_DATASET)
      dataset(id, path);
    else if (kind != H5I_GROUP)
      refuse(path, "is neither a group nor an array");
    else if (depth + 1 == most_depth)
      refuse(path, "is a group deeper than a result has any");
    else
      group(id, path, depth + 1);
  }

  void dataset(hid_t id, const std::string& path) {
    const Type type(H5Dget_type(id), "find the type of " + path);
    const bool has_texts = is_text(type) && H5Tis_variable_str(type) > 0, has_numbers = is_number(type);
    const bool is_bare = H5Tequal(type, H5T_IEEE_F32BE) > 0;  // a dimension without values (write_bare_scale)
    if (!has_texts && !has_numbers && !is_bare)
      refuse(path, "has values of a type that no result has: 64-bit numbers and texts are written");
    const Space space(H5Dget_space(id), "measure " + path);
    const std::vector<hsize_t> shape = extents(space, path);
    check_storage(id, path, shape, has_numbers);
    check_attributes(id, path, true, shape.size());
    if (!is_bare) count(path, shape, has_texts ? text_bytes : number_bytes);
    admitted.datasets.push_back(path);
  }

  void count(const std::string& path, const std::vector<hsize_t>& shape, std::uint64_t bytes) {
    bool over = false;
    for (const hsize_t extent : shape) over |= __builtin_mul_overflow(bytes, extent, &bytes);
    if (std::ranges::find(shape, 0U) != shape.end()) bytes = 0, over = false;
    over |= __builtin_add_overflow(admitted.value_bytes, bytes, &admitted.value_bytes);
    if (over || admitted.value_bytes > most_value_bytes(file_bytes_))
      refuse(path, fmt::format("asks for more memory than a file of {} bytes may", file_bytes_));
  }

  std::uint64_t file_bytes_;
};

}  // namespace

Admitted admit(hid_t file, std::uint64_t file_bytes) {
  Gate gate(file_bytes);
  const Group root(H5Gopen2(file, "/", H5P_DEFAULT), "open the root group");
  gate.group(root, "", 0);
  return std::move(gate.admitted);
}

}  // namespace TIDEWATT_NAMESPACE::io::hdf5
