#include "toml_limits.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE {
namespace {

void check_lines(std::string_view text, const std::string& file) {
  std::uint32_t line = 1;
  for (std::size_t begin = 0; begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (end - begin > line_limit_B)
      throw InputError(
          Finding{{file, line, 1}, "", fmt::format("the line has {} bytes, {} at most", end - begin, line_limit_B)});
    begin = end + 1;
  }
}

/// One past the text that begins with the quote at `at`; a text that is not closed ends with its line or the file.
std::size_t behind_text(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string three(3, quote);
  const bool open_ended = text.substr(at, 3) == three;
  for (std::size_t i = at + (open_ended ? 3 : 1); i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\')
      ++i;
    else if (open_ended && text.substr(i, 3) == three) {
      i += 3;
      for (int more = 0; more < 2 && i < text.size() && text[i] == quote; ++more) ++i;  // """ends with quotes"""""
      return i;
    } else if (!open_ended && text[i] == quote)
      return i + 1;
    else if (!open_ended && text[i] == '\n')
      return i;
  }
  return text.size();
}

bool continues_key(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == ' ' || c == '\t' || c == '\r';
}

/// Dots of one key and brackets inside one another, outside of texts and comments.
void check_nesting(std::string_view text, const std::string& file) {
  int n_dot = 0, n_open = 0;
  std::uint32_t line = 1;
  std::size_t line_begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      const std::size_t end = behind_text(text, i);
      for (; i < end; ++i)
        if (text[i] == '\n') ++line, line_begin = i + 1;
      --i;
      continue;
    }
    if (c == '#')
      i = std::min(text.find('\n', i), text.size()) - 1;
    else if (c == '\n')
      n_dot = 0, ++line, line_begin = i + 1;
    else if (c == '.')
      ++n_dot;
    else if (c == '[' || c == '{')
      ++n_open, n_dot = 0;
    else if (c == ']' || c == '}')
      n_open = std::max(0, n_open - 1), n_dot = 0;
    else if (!continues_key(c))
      n_dot = 0;
    if (n_dot > depth_limit || n_open > depth_limit)
      throw InputError(Finding{{file, line, static_cast<std::uint32_t>(i - line_begin + 1)},
                               "",
                               fmt::format("tables are nested more than {} deep", depth_limit)});
  }
}

}  // namespace

void check_toml_limits(std::string_view text, const std::string& file) {
  check_lines(text, file);
  check_nesting(text, file);
}

}  // namespace TIDEWATT_NAMESPACE
