#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidewatt/base/version.hpp"
#include "tidewatt/sim/result.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// Equally likely values of one source of chance, as logarithms of their ratio to the run's own.
struct ChancePart {
  std::string name;                       ///< fleet, instant, inputs, weather or model
  std::int64_t n_draw = 0, n_failed = 0;  ///< counts; a draw is a run with all of the part's values drawn
  std::map<std::string, std::vector<double>>
      logs;                                    ///< [headline] ln(K_draw / K_run); absent: the part does not move it
  std::map<std::string, double> median_error;  ///< [headline] standard error of the median's logarithm, where known
  std::string note;                            ///< why the part is empty, what it rests on
};

/// Quantiles of a figure, in its unit.
struct Quantiles {
  double p05 = 0.0, p50 = 0.0, p95 = 0.0;
};

/// Where a figure lies, in the figure's unit; NaN: not known.
struct FigureChance {
  std::string key;                                           ///< of the summary
  double p05 = 0.0, p50 = 0.0, p95 = 0.0;                    ///< quantiles of all parts together
  double p05_error = 0.0, p50_error = 0.0, p95_error = 0.0;  ///< their standard errors, from the number of draws
  std::map<std::string, Quantiles> parts;                    ///< [part] with this part alone
  std::string note;                                          ///< why there is none
};

/// The chance of a run's headlines, and what it is made of.
struct Chance {
  std::vector<FigureChance> figures;  ///< in the order of `sim::headline_figures`, those that the run has
  std::vector<ChancePart> parts;      ///< fleet, instant, inputs, weather, model
  std::map<std::string, double> event_p50, event_max;  ///< [headline] over the instants of events that set it
  std::map<std::string, double> bound;                 ///< [headline] of sites with several jobs: all their edges meet
  std::int64_t n_gpu = 0;                              ///< of a replay
  double replayed_h = 0.0;                             ///< simulated time of a replay
  double cpu_s = 0.0;                                  ///< processor time of all replays
  std::vector<std::string> notes;
};

/// What a figure cannot be, whatever the error of a class of rows.
struct PhysicalBounds {
  std::string upper_key;  ///< a mean is not above the highest value: of the summary; empty: no bound
  double upper = 0.0;     ///< the run's value of `upper_key`
  double lower = 0.0;     ///< in the figure's unit
};
/// @returns the bounds of `key` in a run with this summary
PhysicalBounds physical_bounds(const std::string& key, const sim::Result& base);

/// Puts parts together. They are independent:
///
///     ln(K / K_run) = Σ_p x_p,   x_p a value of part p's draws, between its order statistics (type 6: where the next draw lies)
///
/// over 4,096 joint values from counter-based random numbers: equal bits on every machine. Standard errors of the ends are those of
/// normal parts: a mean's s²/n and a spread's.
/// The same random numbers serve all figures, so that bounds hold at each joint value: K ≤ K_upper, K ≥ lower.
/// @param value of the run  @param parts those without the key do not move it  @param bounds of the figure
FigureChance combine(const std::string& key, double value, std::span<const ChancePart> parts,
                     const PhysicalBounds& bounds = {});

/// `K_p05`, `K_p50`, `K_p95`, and where events set K `K_event_p50`, `K_event_max`, behind each K of the summary that has them.
void add_chance(const Chance& chance, std::vector<std::pair<std::string, sim::Value>>& summary);
/// For people: a line per headline, what it rests on, and the notes. @param all also each part's own interval
std::string chance_text(const Chance& chance, const sim::Result& base, bool all = false);
/// Draws, parts and errors as one JSON object on one line.
std::string chance_json(const Chance& chance);
/// The chance as it lies beside a result's file, for reports and notebooks: JSON with `payload_sha256` of the result that it belongs
/// to, `text` as of `chance_text`, `figures` {K: {p05, p50, p95}} with `event_p50` and `event_max` where events set K, and `interval`
/// as of `chance_json`.
std::string chance_file(const Chance& chance, const sim::Result& base, const std::string& payload_sha256);

}  // namespace TIDEWATT_NAMESPACE::study
