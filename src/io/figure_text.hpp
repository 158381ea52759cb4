#pragma once
// Private to this repository: values of figures for people.
#include <string>
#include <string_view>

#include "tidewatt/sim/result.hpp"

namespace TIDEWATT_NAMESPACE::io {

/// A figure's value as terminal, report and notebook show it: "15.8 MW", "1.69 million tokens/s", "power 97.9 %, thermal 2.10 %";
/// "–" for none. Entries of lists that are 0 are left out; an entry whose name ends with a unit has that one.
/// @param key of the summary; one that is not in the list of figures has no unit
/// @param digits significant ones; 0: those of the figure
std::string figure_text(std::string_view key, const sim::Value& value, int digits = 0);

}  // namespace TIDEWATT_NAMESPACE::io
