#include "verified_file.hpp"

#include <fstream>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "checkpoint.hpp"
#include "result_file.hpp"

namespace TIDEWATT_NAMESPACE::io {
namespace {

constexpr std::string_view head = "\ntidewatt result 1 sha256 ";
constexpr std::size_t digits = 64, seal_bytes = head.size() + digits + 1;
constexpr std::uint64_t most_bytes = std::uint64_t{64} << 30U;

bool starts_with(const std::string& path, std::string_view magic) {
  std::ifstream in(path, std::ios::binary);
  std::string text(magic.size(), '\0');
  return static_cast<bool>(in.read(text.data(), static_cast<std::streamsize>(text.size()))) && text == magic;
}

}  // namespace

CorruptFileError::CorruptFileError(const std::string& path, const std::string& why)
    : InputError(Finding{{path, 0, 0}, "", why}) {}

std::string seal(std::string_view image) {
  Sha256 hash;
  hash.bytes(image);
  hash.bytes(head);
  return std::string(head) + hash.hex() + "\n";
}

std::string read_sealed(const std::string& path) {
  std::string bytes = read_file(path, most_bytes);
  const std::string_view all(bytes);
  if (all.size() < seal_bytes || all.substr(all.size() - seal_bytes, head.size()) != head || all.back() != '\n')
    throw CorruptFileError(
        path,
        "not a result as tidewatt wrote it: the hash at its end is missing (cut short, changed by another "
        "program, or of an older version)");
  const std::string_view hashed = all.substr(0, all.size() - digits - 1), digest = all.substr(hashed.size(), digits);
  if (digest != sha256_hex(hashed))
    throw CorruptFileError(
        path, "not a result as tidewatt wrote it: its contents do not match the hash at its end (damaged or changed)");
  bytes.resize(bytes.size() - seal_bytes);
  return bytes;
}

std::string verify_file(const std::string& path) {
  if (starts_with(path, "tidewatt checkpoint ")) {
    verify_checkpoint(path);
    return "checkpoint";
  }
  ResultFile{path};
  return "result";
}

}  // namespace TIDEWATT_NAMESPACE::io
