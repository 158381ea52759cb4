#pragma once
#include <cstdint>
#include <optional>

#include "tidewatt/base/node.hpp"

namespace TIDEWATT_NAMESPACE {

/// A node's number, whole or not; absent: it is something else.
inline std::optional<double> number_in(const Node& node) {
  if (const auto* real = std::get_if<double>(&node.value)) return *real;
  if (const auto* whole = std::get_if<std::int64_t>(&node.value)) return static_cast<double>(*whole);
  return std::nullopt;
}

}  // namespace TIDEWATT_NAMESPACE
