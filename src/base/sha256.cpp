#include "sha256.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE {
namespace {

void require(bool ok) {
  if (!ok) throw OutputError("SHA-256 failed in libcrypto");
}

}  // namespace

Sha256::Sha256() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
  require(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
  buffer_.reserve(std::size_t{1} << 16U);
}

void Sha256::bytes(std::string_view piece) {
  if (buffer_.size() + piece.size() > buffer_.capacity()) flush();
  if (piece.size() > buffer_.capacity()) return update(piece);
  buffer_.append(piece);
}

std::string Sha256::hex() {
  flush();
  std::array<unsigned char, 32> digest{};
  require(EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr) == 1);
  std::string out;
  for (const unsigned char byte : digest) out += fmt::format("{:02x}", byte);
  return out;
}

void Sha256::update(std::string_view piece) {
  require(EVP_DigestUpdate(context_.get(), piece.data(), piece.size()) == 1);
}

void Sha256::flush() {
  update(buffer_);
  buffer_.clear();
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 hash;
  hash.bytes(bytes);
  return hash.hex();
}

}  // namespace TIDEWATT_NAMESPACE
