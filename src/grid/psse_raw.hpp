#pragma once
#include <string>
#include <string_view>

#include "power_network.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// Reads a network of the PSS/E RAW format, revision 32 or 33.
///
/// Free format, commas or blanks, text in single or double quotes, `/` ends a record. Read: header, buses, loads, fixed shunts, generators,
/// branches, transformers of two windings (per unit on either base), switched shunts at their initial value. Areas, zones,
/// owners and transfers are passed over. What would change the network but is not modelled (three windings, direct
/// current, FACTS, multi-section lines, machines of induction) is a finding with its line.
/// @throws InputError with every finding: file, line, value
PowerNetwork read_raw(const std::string& path);
/// The same from text. @param name for messages  @throws InputError
PowerNetwork parse_raw(std::string_view text, const std::string& name);

}  // namespace TIDEWATT_NAMESPACE::grid
