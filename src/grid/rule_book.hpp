#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidewatt/base/error.hpp"
#include "tidewatt/base/node.hpp"
#include "tidewatt/grid/compliance.hpp"

namespace TIDEWATT_NAMESPACE {
class FieldLog;
}

namespace TIDEWATT_NAMESPACE::grid {

/// A figure that the document does not give.
inline constexpr double not_stated = std::numeric_limits<double>::quiet_NaN();

/// Requirement of a band of voltage or frequency on a load.
enum class BandDuty : std::uint8_t {
  continuous,  ///< stay connected without limit of time
  timed,       ///< stay for a time, then it may trip
  may_reduce,  ///< stay connected, power may be reduced
  may_trip,
  not_read  ///< there is a requirement, but its figure could not be read: nothing is judged
};
/// "must stay", "must stay for a time", "may reduce", "may trip" or "not read".
std::string_view name(BandDuty duty);

/// Which voltage the bands mean in a sag that is not the same in all phases.
enum class SagCount : std::uint8_t {
  not_read,     ///< the text was not read on this, or does not state it
  lowest_phase  ///< the lowest of the three phases
};

/// One band of a curve. Which of its edges belong to it is part of the rule.
struct RuleBand {
  double low = 0.0, high = std::numeric_limits<double>::infinity();  ///< pu or Hz
  bool holds_low = true, holds_high = false;
  BandDuty duty = BandDuty::not_read;
  double stay_s = 0.0;  ///< timed and may_reduce
  /// @param x pu or Hz, as the band
  bool holds(double x) const { return (holds_low ? x >= low : x > low) && (holds_high ? x <= high : x < high); }
  /// Whether the load must stay connected in it, for ever or for a time.
  bool must_stay() const {
    return duty == BandDuty::continuous || duty == BandDuty::timed || duty == BandDuty::may_reduce;
  }
  /// "0.5 to 0.7 pu", "above 1.2 pu". @param unit pu or Hz
  std::string range(std::string_view unit) const;
};

/// What a load must ride through.
struct RideRule {
  std::vector<RuleBand> voltage, frequency;  ///< rising, without gap or overlap; empty: not stated
  SagCount unbalanced = SagCount::not_read;  ///< how `voltage` counts sags of one or two phases
  double count_window_s = 0.0;               ///< 0: each excursion counts by itself; else all within the window add up
  double rocof_Hz_per_s = not_stated, rocof_window_s = not_stated;
  double current_ratio = not_stated;  ///< largest current over the value before the sag
  bool counters_allowed = true;       ///< schemes that trip after a number of sags
  double recovery_frac = not_stated;  ///< of the power just before, after the voltage is back …
  double recovery_s = not_stated;     ///< … for this long …
  double recovery_above_pu = 0.9;     ///< … above this
};

/// What a rule on a recorded waveform looks at.
enum class RecordFigure : std::uint8_t {
  peak_to_peak,     ///< largest less smallest within any window, of the power or of its part in a band
  slope_up,         ///< rise over the window, per second
  slope_down,       ///< fall over the window, per second
  ramp_percentile,  ///< of the changes between adjacent means over the window, per second
  elsewhere         ///< a figure that `tidewatt run` measures with site.rules
};

struct RecordRule {
  std::string name, title, figure_word;
  RecordFigure figure = RecordFigure::elsewhere;
  double window_s = 0.0;
  double low_Hz = 0.0, high_Hz = 0.0;  ///< band-pass; 0 and 0: none
  std::int64_t filter_order = 2;       ///< Butterworth, of each side of the band-pass
  bool filter_stated = true;  ///< whether the rule's text states its filter; if not, a verdict must hold for several
  double percentile = not_stated;
  double limit = not_stated;        ///< W or W/s
  double limit_share = not_stated;  ///< of the site's peak (per second for slopes): the smaller of the two applies
};

/// One line of "applies to": a load it names is at least this large at such a voltage.
struct RuleApplies {
  double smallest_W = 0.0;
  double from_V = 0.0, below_V = std::numeric_limits<double>::infinity();  ///< at the connection
  double computational_frac = 0.0;                                         ///< smallest share of computing load
};

/// A document's rules with where they come from.
struct RuleBook {
  std::string name, title, jurisdiction, document, status, date, tag, note;
  std::vector<RuleApplies> applies;  ///< empty: to every site
  std::optional<RideRule> ride;
  std::vector<RecordRule> rules;
  std::vector<Rule> of_run;  ///< those that a run is held against, as written in the file
  /// Whether it binds: "in force", "approved", "current" or "standard", not a draft or a proposal.
  bool binding() const;
  /// Empty if it applies to such a site, else why not. @param voltage_V not stated: the smallest threshold counts
  std::string why_not(double largest_W, double voltage_V, double computational_frac) const;
  /// The threshold that makes it apply to a site for which why_not is empty, in words. @param as why_not
  std::string why(double largest_W, double voltage_V, double computational_frac) const;
};

/// From a file of catalog kind `rules`, the user's own included. What is wrong is added to `findings`: unknown keys, bands
/// that overlap or leave a gap, a limit that is missing or in another unit.
/// @param log if given, gets the keys that `site.rules` takes, for the scenario's reference
RuleBook read_rule_book(const Node& values, const std::string& name, const std::string& path,
                        std::vector<Finding>& findings, FieldLog* log = nullptr);

/// One rule that a run is held against; nothing if something is wrong with it, which is added to `findings`.
std::optional<Rule> read_rule(const Node& node, const std::string& name, const std::string& path,
                              std::vector<Finding>& findings, FieldLog* log);

}  // namespace TIDEWATT_NAMESPACE::grid
