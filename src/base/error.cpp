#include "tidewatt/base/error.hpp"

#include <fmt/format.h>

namespace tidewatt {
namespace {

std::string join(const std::vector<Finding>& findings) {
  std::string out = fmt::format("{} finding{} in the input", findings.size(), findings.size() == 1 ? "" : "s");
  for (const auto& f : findings) out += "\n  " + f.text();
  return out;
}

}  // namespace

std::string Place::text() const {
  return line == 0 ? file : fmt::format("{}:{}:{}", file, line, column);
}

std::string Finding::text() const {
  std::string at = place.text();
  if (!at.empty()) at += ": ";
  // What the input holds must not steer the terminal that shows it.
  std::string out;
  for (const char c : key.empty() ? at + message : fmt::format("{}{}: {}", at, key, message)) {
    const auto code = static_cast<unsigned char>(c);
    const bool control = (code < 0x20 && c != '\n' && c != '\t') || code == 0x7f;
    out += control ? fmt::format("\\x{:02x}", code) : std::string(1, c);
  }
  return out;
}

InputError::InputError(std::vector<Finding> findings)
    : std::runtime_error(join(findings)), findings_(std::move(findings)) {}

InputError::InputError(Finding finding) : InputError(std::vector<Finding>(1, std::move(finding))) {}

InputError::InputError(const std::string& message) : InputError(Finding{{}, "", message}) {}

}  // namespace tidewatt
