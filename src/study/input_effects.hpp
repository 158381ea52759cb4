#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "replays.hpp"
#include "tidewatt/sim/result.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// One value of an assumed input, and what it does.
struct InputEnd {
  std::string value;    ///< in print, in the key's unit, or a word
  Figures change_frac;  ///< K / K_run − 1 of each headline K, dimensionless
  std::string refused;  ///< why the scenario cannot be run so; empty: it can
};

/// What one assumed input does alone.
struct InputEffect {
  std::vector<std::string> keys;  ///< the input; more than one where halls, jobs or a list's items share it
  std::vector<InputEnd> ends;     ///< low and high end, or each of its words
  std::string headline;           ///< that it moves most, relative to its value; empty: none
  double largest_frac = 0.0;      ///< size of that change; infinite where an end cannot be run
};

struct InputEffects {
  std::vector<InputEffect> inputs;  ///< the strongest first
  std::int64_t n_gpu = 0;           ///< of a replay, a count
  double replayed_h = 0.0;
  std::vector<std::string> notes;
};

struct EffectOptions {
  std::size_t n_thread = 0;     ///< 0: all cores. Results do not depend on it.
  std::string catalog_overlay;  ///< as in LoadOptions
};

/// What each assumed input of a run does to the headlines, one at a time: the replays of the intervals (`replayed_fleet`) with the input at
/// the ends of its range, or at each of its words, and all else as it is. Inputs of a GPU that its measurements hold together move alone
/// here, from the lowest to the highest of their joint draws. Where there are events, medians over five phases of theirs are compared.
/// @param base result of the scenario's run  @throws as `sim::run`, where the reduced fleet as it is cannot be run
InputEffects input_effects(const sim::Scenario& scenario, const sim::Result& base, const EffectOptions& options = {});

/// For people: a line per input that moves a headline by `sim::least_effect_frac` or more, and the number of those that do not.
std::string effects_text(const InputEffects& effects);
/// All of it as one JSON object on one line.
std::string effects_json(const InputEffects& effects);

}  // namespace TIDEWATT_NAMESPACE::study
