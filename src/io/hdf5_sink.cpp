#include "tidewatt/io/hdf5_sink.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "check_arrays.hpp"
#include "durable_file.hpp"
#include "hdf5_gate.hpp"
#include "hdf5_write.hpp"
#include "summary_text.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/io/payload_hash.hpp"
#include "tidewatt/io/summary_json.hpp"
#include "verified_file.hpp"

namespace TIDEWATT_NAMESPACE::io {
namespace {

using namespace hdf5;

std::string start_time(const sim::Result& result) {
  for (const auto& [key, text] : result.provenance) {
    if (key == "start_time") return text;
  }
  throw OutputError("a result with an array called time needs the provenance text start_time");
}

void create_groups(const File& file, const sim::Result& result) {
  std::set<std::string> made{"", "/provenance"};
  create_group(file, "/provenance");
  for (const NamedArray& array : result.arrays) {
    const std::string& path = array.path;
    for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
      if (made.insert(path.substr(0, slash)).second) create_group(file, path.substr(0, slash));
    }
  }
}

void describe(const Dataset& dataset, const NamedArray& array, const sim::Result& result) {
  const bool is_time = split_path(array.path).name == "time";
  const std::string unit = is_time ? "seconds since " + start_time(result) : array.unit;
  if (!unit.empty()) write_attribute(dataset, "units", unit);
  if (is_time) write_attribute(dataset, "calendar", std::string("standard"));
  if (!array.long_name.empty()) write_attribute(dataset, "long_name", array.long_name);
}

// Scales first, so that every dataset that follows can attach to them.
void write_arrays(const File& file, const sim::Result& result, const Extents& extents, bool deflated) {
  std::map<std::string, Dataset> scales;
  const auto is_scale = [&](const NamedArray& array) { return extents.contains(array.path); };
  for (const NamedArray& array : result.arrays) {
    if (!is_scale(array)) continue;
    Dataset dataset = write_dataset(file, array, deflated);
    describe(dataset, array, result);
    make_scale(dataset, split_path(array.path).name);
    scales.emplace(array.path, std::move(dataset));
  }
  for (const auto& [path, extent] : extents) {
    if (!scales.contains(path)) scales.emplace(path, write_bare_scale(file, path, extent));
  }
  for (const NamedArray& array : result.arrays) {
    if (is_scale(array)) continue;
    const Dataset dataset = write_dataset(file, array, deflated);
    describe(dataset, array, result);
    for (unsigned i = 0; i < array.dims.size(); ++i) {
      attach_scale(dataset, scales.at(split_path(array.path).group + "/" + array.dims[i]), i);
    }
  }
}

struct WriteFigure {
  hid_t root;
  const std::string& name;
  void operator()(std::monostate) const {}
  void operator()(double value) const { write_attribute(root, name, value); }
  void operator()(std::int64_t value) const { write_attribute(root, name, value); }
  void operator()(const std::string& value) const { write_attribute(root, name, value); }
  void operator()(const std::vector<std::pair<std::string, double>>& value) const {
    write_attribute(root, name, value_json(value));
  }
  void operator()(const std::vector<std::int64_t>& value) const { write_attribute(root, name, value_json(value)); }
};

void write_summary(const File& file, const sim::Result& result) {
  const Group root(H5Gopen2(file, "/", H5P_DEFAULT), "open the root group");
  write_attribute(root, "Conventions", std::string("CF-1.8"));
  write_attribute(root, "summary_json", result_json(result));
  write_attribute(root, "summary_text", summary_text(result));
  const auto is_hash = [](const auto& figure) { return figure.first == "payload_sha256"; };
  if (std::ranges::none_of(result.summary, is_hash)) write_attribute(root, "payload_sha256", payload_sha256(result));
  for (const auto& [name, value] : result.summary) std::visit(WriteFigure{root, name}, value);
}

void write_provenance(const File& file, const sim::Result& result) {
  const Group group(H5Gopen2(file, "/provenance", H5P_DEFAULT), "open the provenance group");
  for (const auto& [key, text] : result.provenance) {
    if (text.find('\n') == std::string::npos)
      write_attribute(group, key, text);
    else
      write_text(group, key, text);
  }
}

std::vector<char> image_of(const sim::Result& result, const Extents& extents, bool deflated) {
  const File file = create_in_memory();
  write_summary(file, result);
  create_groups(file, result);
  write_arrays(file, result, extents, deflated);
  write_provenance(file, result);
  return take_image(file);
}

/// What the values take in memory, as the gate counts them.
std::uint64_t value_bytes(const sim::Result& result) {
  std::uint64_t out = 0;
  for (const NamedArray& array : result.arrays) {
    const std::uint64_t each =
        std::holds_alternative<std::vector<std::string>>(array.values) ? text_bytes : number_bytes;
    out += std::visit([&](const auto& values) { return each * values.size(); }, array.values);
  }
  return out;
}

}  // namespace

std::vector<char> hdf5_image(const sim::Result& result) {
  const Extents extents = check_arrays(result);
  const Quiet quiet;
  std::vector<char> image = image_of(result, extents, true);
  // Readers refuse a file whose values are too large for its size (hdf5_gate.hpp). Arrays that repeat themselves for days shrink
  // below that: such a result stays uncompressed.
  if (value_bytes(result) > most_value_bytes(image.size())) image = image_of(result, extents, false);
  const std::string line = seal({image.data(), image.size()});
  image.insert(image.end(), line.begin(), line.end());
  return image;
}

void Hdf5Sink::write(const sim::Result& result) { write_durably(path_, hdf5_image(result)); }

}  // namespace TIDEWATT_NAMESPACE::io
