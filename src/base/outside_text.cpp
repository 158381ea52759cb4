#include "outside_text.hpp"

#include "text.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE {
namespace {

bool fills(char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f; }

}  // namespace

std::string_view bare(std::string_view text) {
  while (!text.empty() && fills(text.front())) text.remove_prefix(1);
  while (!text.empty() && fills(text.back())) text.remove_suffix(1);
  return text;
}

std::string read_text(const std::string& path, std::uint64_t max_bytes) {
  std::string text = read_file(path, max_bytes);
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    throw InputError(Finding{{path, 1, 1}, "", "begins with a byte order mark of UTF-16; save it as plain UTF-8"});
  const std::string_view mark = "\xEF\xBB\xBF";
  if (text.starts_with(mark)) text.erase(0, mark.size());
  while (!text.empty() && fills(text.back())) text.pop_back();
  return text;
}

}  // namespace TIDEWATT_NAMESPACE
