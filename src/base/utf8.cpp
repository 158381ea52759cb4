#include "utf8.hpp"

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

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t n = sequence_bytes(text);
    if (n == 0) return false;
    text.remove_prefix(n);
  }
  return true;
}

}  // namespace TIDEWATT_NAMESPACE
