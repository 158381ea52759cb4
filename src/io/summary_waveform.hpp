#pragma once
// Private to io: what spectrum and recorded windows of a result say to its text.
#include <string>

#include "summary_figures.hpp"

namespace TIDEWATT_NAMESPACE::io {

/// Amplitude of the spectral line at a frequency, MW: the largest of the five bins around it (the window's width) that no
/// neighbour exceeds; NaN if there is none.
double line_MW(const Figures& figures, double at_Hz);

/// What the load does within a second of a time, beyond what it did in the iteration before (at least a second): the job's own
/// dips are no effect of an event. Part of a sentence.
std::string effect_within_a_second(const Figures& figures, double at_s);

}  // namespace TIDEWATT_NAMESPACE::io
