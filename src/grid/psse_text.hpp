#pragma once
// Private to grid: words of PSS/E's text files.
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/text.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// Largest RAW or DYR file that is read.
inline constexpr std::uint64_t psse_file_limit_B = 64u << 20;

/// The quote that text is in, if any: single or double. The other one is a letter within, and either is one within a bare word.
class PsseQuote {
 public:
  /// Whether `c` opens or closes. @param begun whether the field has letters already
  bool takes(char c, bool begun) {
    if (open_ == '\0' ? begun || (c != '\'' && c != '"') : c != open_) return false;
    open_ = open_ == '\0' ? c : '\0';
    return true;
  }
  bool open() const { return open_ != '\0'; }

 private:
  char open_ = '\0';
};

/// A number as the format writes it: a sign in front is allowed. Nothing where it is no finite number.
inline std::optional<double> psse_number(std::string_view word) {
  double out = 0.0;
  if (!word.empty() && word.front() == '+') word.remove_prefix(1);
  if (!parse_number(word, out) || !std::isfinite(out)) return {};
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::grid
