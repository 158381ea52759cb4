#include "tidewatt/io/payload_hash.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <string_view>

#include "check_arrays.hpp"
#include "tidewatt/base/error.hpp"

namespace tidewatt::io {
namespace {

constexpr std::uint64_t one_nan = 0x7ff8000000000000U;

class Sha256 {
 public:
  Sha256() {
    require(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
    buffer_.reserve(std::size_t{1} << 16U);
  }

  void bytes(std::string_view text) {
    // Small pieces gather in a buffer: a call per value would cost more than the hash.
    if (buffer_.size() + text.size() > buffer_.capacity()) flush();
    if (text.size() > buffer_.capacity()) return update(text);
    buffer_.append(text);
  }

  void u64(std::uint64_t value) {
    std::array<char, 8> le{};
    for (unsigned i = 0; i < 8; ++i) le[i] = static_cast<char>((value >> (8 * i)) & 0xffU);
    bytes({le.data(), le.size()});
  }

  void text(std::string_view value) {
    u64(value.size());
    bytes(value);
  }

  std::string hex() {
    flush();
    std::array<unsigned char, 32> digest{};
    require(EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr) == 1);
    std::string out;
    for (const unsigned char byte : digest) out += fmt::format("{:02x}", byte);
    return out;
  }

 private:
  static void require(bool ok) {
    if (!ok) throw OutputError("SHA-256 failed in libcrypto");
  }
  void update(std::string_view piece) { require(EVP_DigestUpdate(context_.get(), piece.data(), piece.size()) == 1); }
  void flush() {
    update(buffer_);
    buffer_.clear();
  }

  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_{EVP_MD_CTX_new(), &EVP_MD_CTX_free};
  std::string buffer_;
};

std::string_view dtype(const std::vector<double>&) { return "f8"; }
std::string_view dtype(const std::vector<std::int64_t>&) { return "i8"; }
std::string_view dtype(const std::vector<std::string>&) { return "str"; }

void add_value(Sha256& hash, double x) { hash.u64(std::isnan(x) ? one_nan : std::bit_cast<std::uint64_t>(x)); }
void add_value(Sha256& hash, std::int64_t x) { hash.u64(static_cast<std::uint64_t>(x)); }
void add_value(Sha256& hash, const std::string& x) { hash.text(x); }

template <class Values>
void add_array(Sha256& hash, const sim::Array& array, const Values& values) {
  hash.text(array.path);
  hash.text(dtype(values));
  hash.u64(array.shape.size());
  for (const std::uint64_t extent : array.shape) hash.u64(extent);
  for (const auto& value : values) add_value(hash, value);
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  Sha256 hash;
  hash.bytes(bytes);
  return hash.hex();
}

std::string payload_sha256(const sim::Result& result) {
  check_arrays(result);
  std::vector<const sim::Array*> order;
  for (const sim::Array& array : result.arrays) {
    if (!array.path.starts_with("/provenance/")) order.push_back(&array);
  }
  std::ranges::sort(order, {}, [](const sim::Array* a) -> const std::string& { return a->path; });
  Sha256 hash;
  hash.bytes("tidewatt payload 1\n");
  for (const sim::Array* array : order) {
    std::visit([&](const auto& values) { add_array(hash, *array, values); }, array->values);
  }
  return hash.hex();
}

}  // namespace tidewatt::io
