#pragma once
// Private to sim: assumed inputs that are words.
#include <string>
#include <vector>

#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// Gives the words listed in `a` their places in the list of its key, ascending.
/// @param a with key, words and the place of the scenario's own word as its value
/// @param known all words of the key, in order; empty: the key takes none in this scenario
/// @returns what is wrong with them; empty: nothing
std::string place_words(catalog::AssumedInput& a, const std::vector<std::string>& known);

/// Leaves out the words with which the scenario fails its check, and notes why. Its own word has passed.
void drop_impossible(catalog::AssumedInput& a, Scenario& s);

/// Why the scenario with another value of a key is refused; empty: it passes the check.
/// @param x in the key's unit, of a word its place  @throws RefusedError if it is too large
std::string refusal_with(const Scenario& s, const std::string& key, double x);

}  // namespace TIDEWATT_NAMESPACE::sim
