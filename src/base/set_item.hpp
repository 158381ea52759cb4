#pragma once
#include <string_view>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE {

/// Whether `path=value` sets one item of a list of numbers (`….vf_voltage_mV[3]=850`, counted from 0). `apply_set` refuses these: the
/// list may be a catalog entry's. A scenario reads them (sim::read_scenario).
inline bool sets_item(std::string_view assignment) {
  const auto eq = assignment.find('=');
  return eq != std::string_view::npos && eq > 0 && assignment[eq - 1] == ']';
}

}  // namespace TIDEWATT_NAMESPACE
