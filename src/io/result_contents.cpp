#include "result_contents.hpp"

#include <algorithm>
#include <optional>

#include "base/archive.hpp"
#include "guarded_child.hpp"
#include "hdf5_gate.hpp"
#include "hdf5_read.hpp"

namespace TIDEWATT_NAMESPACE::io {
namespace {

using Send = GuardedChild::Send;

constexpr std::string_view provenance_group = "/provenance/";
constexpr std::uint64_t values_at_once_bytes = std::uint64_t{64} << 20U;  ///< more are read one array at a time
constexpr std::uint64_t cpu_bytes_per_s = std::uint64_t{64} << 20U;       ///< a quarter of what inflating takes

ChildLimits limits_for(std::string_view image) {
  const std::uint64_t values = hdf5::most_value_bytes(image.size());
  return {values + (std::uint64_t{16} << 20U), static_cast<unsigned>(3 + values / cpu_bytes_per_s)};
}

template <class... T>
void send(const Send& to, T&... values) {
  ArchiveWriter writer;
  writer(values...);
  to(writer.take());
}

template <class... T>
void receive(GuardedChild& from, std::uint64_t most_bytes, T&... values) {
  const std::string block = from.receive(most_bytes);
  ArchiveReader reader(block);
  reader(values...);
}

// In the child.

/// Numbers as they are in memory, so that the parent reads them to where they stay.
template <class Number>
void send_values(const Send& to, const std::vector<Number>& values) {
  to({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Number)});
}
void send_values(const Send& to, const std::vector<std::string>& values) {
  auto texts = values;
  send(to, texts);
}
void send_values(const Send& to, const NamedArray& array) {
  std::visit([&](const auto& values) { send_values(to, values); }, array.values);
}

/// Sends an array's values and forgets them.
void decode_values(const Send& to, hid_t file, NamedArray& array) {
  hdf5::read_values(file, array);
  send_values(to, array);
  std::visit([](auto& values) { values = {}; }, array.values);
}

void decode(const Send& to, std::string_view image) {
  const hdf5::Quiet quiet;
  const hdf5::File file = hdf5::open_in_memory(image);
  const hdf5::Admitted admitted = hdf5::admit(file, image.size());
  ResultContents out;
  const hdf5::Group root(H5Gopen2(file, "/", H5P_DEFAULT), "open the root group");
  out.summary_json = hdf5::read_attribute(root, "summary_json").value_or("");
  out.summary_text = hdf5::read_attribute(root, "summary_text").value_or("");
  out.payload_sha256 = hdf5::read_attribute(root, "payload_sha256").value_or("");
  if (H5Lexists(file, "provenance", H5P_DEFAULT) > 0) {
    const hdf5::Group group(H5Gopen2(file, "provenance", H5P_DEFAULT), "open the provenance group");
    out.provenance = hdf5::read_attributes(group);
  }
  for (const auto& path : admitted.datasets) {
    auto array = hdf5::describe_dataset(file, path, admitted.at);
    if (!array) continue;
    if (!path.starts_with(provenance_group)) {
      out.arrays.push_back(std::move(*array));
      continue;
    }
    hdf5::read_values(file, *array);
    if (const auto* texts = std::get_if<std::vector<std::string>>(&array->values);
        texts != nullptr && texts->size() == 1)
      out.provenance.emplace_back(path.substr(provenance_group.size()), texts->front());
  }
  out.has_values = admitted.value_bytes <= values_at_once_bytes;
  send(to, out.summary_json, out.summary_text, out.payload_sha256, out.provenance, out.arrays, out.has_values);
  if (!out.has_values) return;
  for (auto& array : out.arrays) decode_values(to, file, array);
}

// In the parent.

/// Room for the values of arrays, of which a file has only so many. The child has checked that, but a forged file may have made
/// the child say anything.
class Room {
 public:
  explicit Room(std::string_view image) : left_bytes_(hdf5::most_value_bytes(image.size())) {}
  std::size_t places(const NamedArray& array, std::uint64_t bytes_per_value) {
    std::uint64_t n = 1, bytes = 0;
    bool over = array.dims.size() != array.shape.size();
    for (const std::uint64_t extent : array.shape) over |= __builtin_mul_overflow(n, extent, &n);
    over |= __builtin_mul_overflow(n, bytes_per_value, &bytes) || bytes > left_bytes_;
    if (over) throw ChildError(array.path + ": asks for more memory than a file of its size may");
    left_bytes_ -= bytes;
    return n;
  }
  std::uint64_t left_bytes() const { return left_bytes_; }

 private:
  std::uint64_t left_bytes_;
};

template <class Number>
void receive_values(GuardedChild& from, Room& room, const NamedArray& array, std::vector<Number>& values) {
  values.resize(room.places(array, sizeof(Number)));
  from.receive(values.data(), values.size() * sizeof(Number));
}

void receive_values(GuardedChild& from, Room& room, const NamedArray& array, std::vector<std::string>& values) {
  const std::size_t n = room.places(array, hdf5::text_bytes);
  receive(from, room.left_bytes(), values);
  if (values.size() != n) throw ChildError(array.path + ": its shape and its number of values differ");
}

void receive_values(GuardedChild& from, Room& room, NamedArray& array) {
  std::visit([&](auto& values) { receive_values(from, room, array, values); }, array.values);
}

}  // namespace

ResultContents read_contents(std::string_view image) {
  GuardedChild child(limits_for(image), [&](const Send& to) { decode(to, image); });
  ResultContents out;
  Room room(image);
  receive(child, room.left_bytes(), out.summary_json, out.summary_text, out.payload_sha256, out.provenance, out.arrays,
          out.has_values);
  if (!out.has_values) return out;
  for (auto& array : out.arrays) receive_values(child, room, array);
  return out;
}

void read_values(std::string_view image, NamedArray& array) {
  GuardedChild child(limits_for(image), [&](const Send& to) {
    const hdf5::Quiet quiet;
    const hdf5::File file = hdf5::open_in_memory(image);
    hdf5::admit(file, image.size());
    NamedArray values = array;
    decode_values(to, file, values);
  });
  Room room(image);
  receive_values(child, room, array);
}

}  // namespace TIDEWATT_NAMESPACE::io
