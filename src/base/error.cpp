#include "tidewatt/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace TIDEWATT_NAMESPACE {
namespace {

std::string join(const std::vector<Finding>& findings) {
  std::string out = fmt::format("{} finding{} in the input", findings.size(), findings.size() == 1 ? "" : "s");
  for (const auto& f : findings) out += "\n  " + f.text();
  return out;
}

bool is_control(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f; }

/// Control characters of the input must not reach the terminal.
std::string without_control(const std::string& text) {
  std::string out;
  for (const char c : text)
    out += is_control(c) ? fmt::format("\\x{:02x}", static_cast<unsigned char>(c)) : std::string(1, c);
  return out;
}

}  // namespace

std::string Place::text() const { return line == 0 ? file : fmt::format("{}:{}:{}", file, line, column); }

std::string Finding::text() const {
  std::string at = place.text();
  if (!at.empty()) at += ": ";
  std::string all = key.empty() ? at + message : fmt::format("{}{}: {}", at, key, message);
  return std::any_of(all.begin(), all.end(), is_control) ? without_control(all) : all;
}

InputError::InputError(std::vector<Finding> findings)
    : std::runtime_error(join(findings)), findings_(std::move(findings)) {}

InputError::InputError(Finding finding) : InputError(std::vector<Finding>(1, std::move(finding))) {}

InputError::InputError(const std::string& message) : InputError(Finding{{}, "", message}) {}

}  // namespace TIDEWATT_NAMESPACE
