#pragma once
// Private to io: what a run's events did to its load.
#include <string>
#include <string_view>
#include <vector>

#include "summary_figures.hpp"
#include "tidewatt/sim/kinds.hpp"

namespace TIDEWATT_NAMESPACE::io {

/// "a, b and c"
std::string listed(const std::vector<std::string>& parts);
/// "failure of pumps"
std::string_view phrase_of(sim::EventKind kind);
/// A line for the first event of each kind: its effect on the load. Then what was not served, and how an order was kept.
std::string event_sentences(const Figures& figures);

}  // namespace TIDEWATT_NAMESPACE::io
