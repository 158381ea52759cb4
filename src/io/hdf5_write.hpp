#pragma once
#include <string>
#include <vector>

#include "hdf5_handle.hpp"
#include "tidewatt/base/named_array.hpp"

namespace TIDEWATT_NAMESPACE::io::hdf5 {

/// A new file that exists in memory only.
File create_in_memory();

/// The bytes of the file on disk. @param file from `create_in_memory`.
std::vector<char> take_image(const File& file);

/// A group that keeps the order of creation. @param path of it; groups on the way are created, too
Group create_group(hid_t parent, const std::string& path);

/// One text. @param text of any length, without NUL
void write_attribute(hid_t object, const std::string& name, const std::string& text);
/// One number. @param value in the unit that its name says
void write_attribute(hid_t object, const std::string& name, double value);
/// One whole number. @param value a count or a code
void write_attribute(hid_t object, const std::string& name, std::int64_t value);

/// A dataset: numbers with a checksum (unless there are none), shuffled and deflated where that pays; text as it is.
/// @param deflated numbers may be compressed
Dataset write_dataset(hid_t file, const NamedArray& array, bool deflated);

/// A single text of any length.
void write_text(hid_t group, const std::string& name, const std::string& text);

/// A scale without values: netCDF's dimension without coordinate variable.
Dataset write_bare_scale(hid_t file, const std::string& path, std::uint64_t extent);

/// Marks `dataset` as the scale of dimension `name`.
void make_scale(hid_t dataset, const std::string& name);

/// Says that `scale` measures dimension `dimension` of `dataset`.
void attach_scale(hid_t dataset, hid_t scale, unsigned dimension);

}  // namespace TIDEWATT_NAMESPACE::io::hdf5
