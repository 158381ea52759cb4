#include "tidewatt/io/payload_hash.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string_view>

#include "base/sha256.hpp"
#include "check_arrays.hpp"

namespace TIDEWATT_NAMESPACE::io {
namespace {

constexpr std::uint64_t one_nan = 0x7ff8000000000000U;

void add_u64(Sha256& hash, std::uint64_t value) {
  std::array<char, 8> le{};
  for (unsigned i = 0; i < 8; ++i) le[i] = static_cast<char>((value >> (8 * i)) & 0xffU);
  hash.bytes({le.data(), le.size()});
}

void add_text(Sha256& hash, std::string_view value) {
  add_u64(hash, value.size());
  hash.bytes(value);
}

std::string_view dtype(const std::vector<double>&) { return "f8"; }
std::string_view dtype(const std::vector<std::int64_t>&) { return "i8"; }
std::string_view dtype(const std::vector<std::string>&) { return "str"; }

std::uint64_t bits(double x) { return std::isnan(x) ? one_nan : std::bit_cast<std::uint64_t>(x); }
std::uint64_t bits(std::int64_t x) { return static_cast<std::uint64_t>(x); }

template <class Number>
void add_values(Sha256& hash, const std::vector<Number>& values) {
  static_assert(std::endian::native == std::endian::little);
  std::array<std::uint64_t, 1024> block;
  for (std::size_t begin = 0; begin < values.size(); begin += block.size()) {
    const std::size_t n = std::min(block.size(), values.size() - begin);
    for (std::size_t i = 0; i < n; ++i) block[i] = bits(values[begin + i]);
    hash.bytes({reinterpret_cast<const char*>(block.data()), n * sizeof block[0]});
  }
}

void add_values(Sha256& hash, const std::vector<std::string>& values) {
  for (const auto& value : values) add_text(hash, value);
}

template <class Values>
void add_array(Sha256& hash, const NamedArray& array, const Values& values) {
  add_text(hash, array.path);
  add_text(hash, dtype(values));
  add_u64(hash, array.shape.size());
  for (const std::uint64_t extent : array.shape) add_u64(hash, extent);
  add_values(hash, values);
}

}  // namespace

std::string payload_sha256(const sim::Result& result) {
  check_arrays(result);
  std::vector<const NamedArray*> order;
  for (const NamedArray& array : result.arrays) {
    if (!array.path.starts_with("/provenance/")) order.push_back(&array);
  }
  std::ranges::sort(order, {}, [](const NamedArray* a) -> const std::string& { return a->path; });
  Sha256 hash;
  hash.bytes("tidewatt payload 1\n");
  for (const NamedArray* array : order) {
    std::visit([&](const auto& values) { add_array(hash, *array, values); }, array->values);
  }
  return hash.hex();
}

}  // namespace TIDEWATT_NAMESPACE::io
