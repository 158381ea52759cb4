#pragma once
#include <string>

#include "tidewatt/sim/result.hpp"

namespace TIDEWATT_NAMESPACE::io {

/// A result in sentences: what the run shows, the interval where one is known, what limits, and the command that answers
/// what this run cannot. One sentence per line; a figure without meaning in this run is left out.
std::string summary_sentences(const sim::Result& result);

/// The main figures by topic, with units and at most three significant digits (four where the third decides).
std::string summary_table(const sim::Result& result);

/// What `tidewatt run` prints and a result shows: sentences, then the table.
std::string summary_text(const sim::Result& result);

/// What `--all` adds: every figure by its key at six digits, and every default that the scenario left to the program.
std::string summary_all(const sim::Result& result);

}  // namespace TIDEWATT_NAMESPACE::io
