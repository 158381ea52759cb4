#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hdf5_handle.hpp"
#include "tidewatt/base/named_array.hpp"

namespace TIDEWATT_NAMESPACE::io::hdf5 {

/// Opens a file image in memory. @param image must outlive the file  @throws OutputError as everything below
File open_in_memory(std::string_view image);

/// What a dataset is, without its values; nothing for a dimension without values (write_bare_scale).
/// @param path one that `admit` let through  @param at its map of addresses, by which dimensions have their names
std::optional<NamedArray> describe_dataset(hid_t file, const std::string& path,
                                           const std::map<std::uint64_t, std::string>& at);

/// The values of `array`, which `describe_dataset` gave.
void read_values(hid_t file, NamedArray& array);

/// A text attribute of an object; nothing if there is none of that name. @throws OutputError if it is no UTF-8
std::optional<std::string> read_attribute(hid_t object, const std::string& name);

/// All text attributes of an object.
std::vector<std::pair<std::string, std::string>> read_attributes(hid_t object);

}  // namespace TIDEWATT_NAMESPACE::io::hdf5
