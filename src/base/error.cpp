#include "tidewatt/base/error.hpp"

#include <fmt/format.h>

#include "utf8.hpp"

namespace TIDEWATT_NAMESPACE {
namespace {

std::string join(const std::vector<Finding>& findings) {
  std::string out = fmt::format("{} finding{} in the input", findings.size(), findings.size() == 1 ? "" : "s");
  for (const auto& f : findings) out += "\n  " + f.text();
  return out;
}

/// What a file says may reach terminals, Python and JSON.
std::vector<Finding> all_printable(std::vector<Finding> findings) {
  for (auto& f : findings)
    f.place.file = printable(f.place.file), f.key = printable(f.key), f.message = printable(f.message);
  return findings;
}

std::vector<Finding> list_of(Finding&& finding) {
  std::vector<Finding> out;
  out.push_back(std::move(finding));
  return out;
}

}  // namespace

std::string Place::text() const { return line == 0 ? file : fmt::format("{}:{}:{}", file, line, column); }

std::string Finding::text() const {
  std::string at = place.text();
  if (!at.empty()) at += ": ";
  return printable(key.empty() ? at + message : fmt::format("{}{}: {}", at, key, message));
}

InputError::InputError(std::vector<Finding> findings)
    : std::runtime_error(join(findings)), findings_(all_printable(std::move(findings))) {}

InputError::InputError(Finding finding) : InputError(list_of(std::move(finding))) {}

InputError::InputError(const std::string& message) : InputError(Finding{{}, "", message}) {}

}  // namespace TIDEWATT_NAMESPACE
