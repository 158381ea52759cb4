#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tidewatt/base/node.hpp"
#include "tidewatt/sim/result.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// 90 % interval of a figure, in the figure's unit.
struct FigureInterval {
  std::string key;                          ///< of the summary
  double p05 = 0.0, p95 = 0.0;              ///< ends; NaN: none
  double p05_error = 0.0, p95_error = 0.0;  ///< their standard errors, from the number of draws
};

/// What is drawn: one of the three parts of an interval.
struct IntervalPart {
  std::string name;                     ///< "devices and assumed inputs", "weather", "seed"
  std::int64_t n_draw = 0;              ///< replays, a count
  std::vector<FigureInterval> figures;  ///< with this part alone
  std::string note;                     ///< why the part is empty
};

/// Intervals of a run's headlines.
struct RunInterval {
  std::int64_t n_draw = 0, n_gpu = 0;    ///< all replays; GPUs of each, counts
  double replayed_h = 0.0, cpu_s = 0.0;  ///< simulated time of a replay; processor time of all, s
  std::vector<FigureInterval> figures;   ///< all parts together, in the order of `interval_keys`
  std::array<IntervalPart, 3> parts;
  std::vector<std::string> notes;  ///< why figures have no interval, draws that failed
};

/// Where the scenario came from, so that it can be read again with other values, and what the replays may cost.
struct IntervalSource {
  Node root;           ///< the scenario's file with all that it inherits
  std::string folder;  ///< that its paths are in
  sim::LoadOptions load;
  double cpu_s = 2.0;          ///< processor time for all replays, s: at least eight are made whatever they take
  std::function<bool()> stop;  ///< asked before each replay; true ends them early
};
/// A run's interval takes a fifth of the run's own processor time or 2 s, whichever is more.
/// @param path a file or the name of a shipped scenario  @param load as given to load_scenario  @param run_cpu_s processor time of the run, s
IntervalSource interval_source(const std::string& path, const sim::LoadOptions& load, double run_cpu_s);

/// Keys of the summary that get an interval.
std::span<const char* const> interval_keys();

/// Replays the scenario on at most 512 of its GPUs with values drawn, part by part, until the processor time is used, and at least
/// eight times. Long runs are replayed for their first day. A site battery has the replay's share of its power and energy.
///
///     ln(K / K_nominal) of part p: mean m_p, standard deviation s_p of n_p replays over the same reduced run without draws
///     K_p05, K_p95 = K exp(Σ m_p ∓ 1.645 √(Σ s_p²))
///
/// Figures of the site enter as ratios only, because a smaller fleet has other megawatts; the seeds' mean is that of the run itself
/// (m = 0), and a smaller fleet overstates their spread. The parts are taken as independent, the logarithms as normal. Drawn are: the GPU's values from its catalog entry of kind `draws` and all other assumed inputs evenly from
/// their ranges (Latin hypercube); the start of the run by up to 30 days, where the weather comes from a climate or an EPW file; the seed.
/// @param source as given to load_scenario  @param base result of the run, whose figures get the ends
/// @return intervals; without any, and with a note, where the site has more GPUs than a replay and devices or orders of another fixed size
RunInterval run_interval(const IntervalSource& source, const sim::Scenario& scenario, const sim::Result& base);

/// `K_p05` and `K_p95` behind each K of the summary that has an interval.
void add_intervals(const RunInterval& interval, std::vector<std::pair<std::string, sim::Value>>& summary);
/// For people: a line per figure, draws and Monte Carlo errors, and the notes.
std::string interval_text(const RunInterval& interval, const sim::Result& base);
/// Draws, parts and Monte Carlo errors as one JSON object on one line.
std::string interval_json(const RunInterval& interval);

}  // namespace TIDEWATT_NAMESPACE::study
