#include "utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace TIDEWATT_NAMESPACE {
namespace {

/// How many bytes the sequence at the start of `text` has; 0: it is malformed. @pre not empty
std::size_t sequence_bytes(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = at(0);
  if (first < 0x80) return 1;
  const std::size_t n = first >= 0xc2 && first < 0xe0   ? 2
                        : first >= 0xe0 && first < 0xf0 ? 3
                        : first >= 0xf0 && first < 0xf5 ? 4
                                                        : 0;
  if (n == 0 || n > text.size()) return 0;
  for (std::size_t i = 1; i < n; ++i)
    if ((at(i) & 0xc0U) != 0x80) return 0;
  // Overlong forms, surrogates, and what is above U+10FFFF show in the second byte.
  const std::uint8_t second = at(1);
  const bool is_wrong = (first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) ||
                        (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90);
  return is_wrong ? 0 : n;
}

/// Of ASCII, and U+0080 to U+009F. @param character a well-formed sequence
bool is_control(std::string_view character) {
  const auto code = static_cast<std::uint8_t>(character.front());
  if (character.size() == 2) return code == 0xc2 && static_cast<std::uint8_t>(character[1]) < 0xa0;
  return (code < 0x20 && code != '\n' && code != '\t') || code == 0x7f;
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t n = sequence_bytes(text);
    if (n == 0) return false;
    text.remove_prefix(n);
  }
  return true;
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t n = sequence_bytes(text);
    const auto bytes = text.substr(0, std::max<std::size_t>(n, 1));
    if (n > 0 && !is_control(bytes))
      out += bytes;
    else
      for (const char c : bytes) out += fmt::format("\\x{:02x}", static_cast<std::uint8_t>(c));
    text.remove_prefix(bytes.size());
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE
