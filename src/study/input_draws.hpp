#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "reduced_fleet.hpp"
#include "tidewatt/catalog/catalog.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// Values of a scenario's assumed inputs, drawn together; of words their places. @see sim::with_values
using InputDraw = std::map<std::string, double>;

struct InputDraws {
  std::vector<InputDraw> draws;          ///< each a scenario that the check accepts
  std::vector<sim::Scenario> scenarios;  ///< of the draws, in their order, if asked for
  std::int64_t n_refused = 0;            ///< values drawn that contradict one another, a count: those were drawn again
  std::string refusal;                   ///< the first one's reason
};

/// Draws of all assumed inputs of a fleet, reduced or not. Values of a GPU that its measurements hold together come in whole rows of its catalog entry of kind
/// `draws`; all others evenly from their ranges (Latin hypercube). Inputs of several halls or jobs with the same value, range and
/// source are one and get one value; a list moves by one factor, as far as its items stay in their range. Each of an input's words is
/// as likely as the others. Draws that contradict one another (a rack whose loop cannot carry its heat) are drawn again, up
/// to eight times as many: what is left is even over what can be built.
/// @param n draws, a count  @param seed equal seeds give equal draws, on every machine
/// @param keep whether the scenarios are wanted too, which the check has built
InputDraws input_draws(const ReducedFleet& fleet, const catalog::Catalog& catalog, std::size_t n, std::uint64_t seed,
                       bool keep = false);

struct DayDraws {
  std::vector<std::string> starts;  ///< as `run.start`
  std::string note;                 ///< why the weather has no other days
};
/// Starts whole days before and after the run's own, even over ±30 days. @param n a count
DayDraws day_draws(const sim::Scenario& scenario, std::size_t n);

}  // namespace TIDEWATT_NAMESPACE::study
