#include "option_checks.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/name.hpp"
#include "base/text.hpp"

namespace {

/// What is wrong with a number as written; empty: nothing.
std::string wrong(const std::string& text, double lo, double hi, bool whole) {
  double x = 0.0;
  if (!tidewatt::parse_number(text, x) || (whole && x != std::floor(x)))
    return fmt::format("'{}' is not a {}", tidewatt::shorten(text, 60), whole ? "whole number" : "number");
  return x >= lo && x <= hi && std::isfinite(x) ? "" : fmt::format("{} is outside {} to {}", text, lo, hi);
}

}  // namespace

CLI::Validator within(double lo, double hi) {
  return {[lo, hi](std::string& text) { return wrong(text, lo, hi, false); },
          fmt::format("FLOAT in [{} - {}]", lo, hi)};
}

CLI::Validator worker_count() {
  return {[](std::string& text) { return wrong(text, 0, 1024, true); }, "INT in [0 - 1024]"};
}

CLI::Validator entry_name() {
  return {[](std::string& text) {
            return tidewatt::is_name(text) ? ""
                                           : fmt::format("'{}' is not a name: use 1 to {} letters, digits, _ and -",
                                                         tidewatt::shorten(text, 60), tidewatt::name_limit);
          },
          "NAME"};
}
