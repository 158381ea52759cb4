#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "tidewatt/base/error.hpp"
#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/node.hpp"
#include "tidewatt/base/tick.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// A measured figure with its uncertainty and the time of its worst value.
struct TIDEWATT_API Figure {
  double value = std::numeric_limits<double>::quiet_NaN();  ///< NaN: not measured
  double spread = 0.0;                                      ///< half width of its uncertainty, same unit, >= 0
  Tick worst = -1;                                          ///< −1: no single time
};
struct TIDEWATT_API RampFigures {
  double window_s = 0.0;
  Figure up_W_per_s, down_W_per_s;  ///< both as positive numbers
};
struct TIDEWATT_API StepFigures {
  double window_s = 0.0;
  Figure change_W;  ///< largest change over the window
};
struct TIDEWATT_API BandFigures {
  double low_Hz = 0.0, high_Hz = 0.0;
  Figure rms_W;
  Figure line_share_frac;  ///< largest line's amplitude over the sum of amplitudes in the band
};

/// Figures of a waveform that are compared with rules.
struct TIDEWATT_API WaveformFigures {
  Figure peak_W, mean_W, range_W;
  std::vector<RampFigures> ramps;
  std::vector<StepFigures> steps;
  std::vector<BandFigures> bands;
  Figure P_st, P_lt;
  Figure voltage_low_pu, voltage_high_pu, voltage_change_pu;
  Figure frequency_low_Hz, frequency_high_Hz;
  Figure load_lost_W;  ///< load that leaves the grid in the worst disturbance
};

/// Which figure a rule looks at; names as in the rule files.
enum class Metric : std::uint8_t {
  ramp_up,
  ramp_down,
  range,
  range_share,
  step,
  band_rms,
  band_share,
  line_share,
  P_st,
  P_lt,
  voltage_low,
  voltage_high,
  voltage_change,
  frequency_low,
  frequency_high,
  load_lost
};

struct TIDEWATT_API Rule {
  std::string name, title;
  Metric metric = Metric::range;
  double window_s = 0.0;               ///< ramps and steps
  double low_Hz = 0.0, high_Hz = 0.0;  ///< bands
  double limit = 0.0;                  ///< SI
  bool at_least() const { return metric == Metric::voltage_low || metric == Metric::frequency_low; }
};
struct TIDEWATT_API RuleSet {
  std::string name, title, date;
  std::vector<Rule> rules;
};

/// A rule set from its table: `title`, `date`, and one table `rule.NAME` per rule with `title`, `figure`, the window or
/// band that the figure needs, and exactly one `limit_…` in the figure's unit. What is wrong is added to `findings`.
TIDEWATT_API RuleSet read_rules(const Node& values, const std::string& name, const std::string& path,
                                std::vector<Finding>& findings);

enum class Compliance : std::uint8_t { pass, fail, undecided, not_measured };
/// "pass", "fail", "undecided" or "not measured".
TIDEWATT_API std::string_view name(Compliance c);
/// Its name in rule files, such as "ramp_up".
TIDEWATT_API std::string_view name(Metric m);

struct TIDEWATT_API RuleOutcome {
  Rule rule;
  Figure figure;
  Compliance verdict = Compliance::not_measured;
  double margin = 0.0;       ///< distance to the limit, positive on the allowed side, SI
  double margin_frac = 0.0;  ///< of the limit
};
struct TIDEWATT_API ComplianceReport {
  std::string rule_set, title, date;
  std::vector<RuleOutcome> outcomes;  ///< in the order of the rules
  /// fail before undecided before not measured before pass
  Compliance verdict() const;
};

/// Compares each figure with its rule. A margin smaller than the figure's spread gives "undecided". A figure that was not
/// measured, or only for another window or band, gives "not measured".
///
///     range share = range/peak,   band share = rms/mean
TIDEWATT_API ComplianceReport evaluate(const RuleSet& rules, const WaveformFigures& figures);

}  // namespace TIDEWATT_NAMESPACE::grid
