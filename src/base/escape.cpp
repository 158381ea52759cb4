#include "escape.hpp"

#include "text.hpp"

namespace TIDEWATT_NAMESPACE {

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        if (code >= 0x20 || c == '\n' || c == '\t') out += c;
    }
  }
  return out;
}

std::string csv_cell(std::string_view text) {
  double number = 0.0;
  const bool formula = !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos &&
                       !parse_number(text, number);
  std::string out = formula ? "'" : "";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text.find_first_of(",\"\r\n") == std::string_view::npos ? out : '"' + out + '"';
}

}  // namespace TIDEWATT_NAMESPACE
