#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "tidewatt/base/version.hpp"

struct evp_md_ctx_st;  // OpenSSL's

namespace TIDEWATT_NAMESPACE {

/// SHA-256 (FIPS 180-4) of bytes that come in pieces.
class Sha256 {
 public:
  Sha256();  ///< @throws OutputError if the library for it fails, as everything below
  /// Appends the next bytes.
  void bytes(std::string_view piece);
  /// The digest of all pieces as 64 lower-case hexadecimal digits. Call once.
  std::string hex();

 private:
  void update(std::string_view piece);
  void flush();
  std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st*)> context_;
  std::string buffer_;  ///< small pieces gather here: a call per value would cost more than the hash
};

/// The same of bytes in one piece.
std::string sha256_hex(std::string_view bytes);

}  // namespace TIDEWATT_NAMESPACE
