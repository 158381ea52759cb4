#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "load_group.hpp"
#include "rule_book.hpp"

namespace TIDEWATT_NAMESPACE::grid {

enum class RideAnswer : std::uint8_t { pass, fail, not_judged };
/// "pass", "fail" or "not judged".
std::string_view name(RideAnswer a);

/// What is between the connection and the load.
enum class Transformer : std::uint8_t {
  wye_wye,   ///< grounded on both sides: phases pass as they are
  delta_wye  ///< the load sees differences of phases, without zero sequence
};

/// A disturbance several times over.
struct Repetition {
  std::int64_t n = 1;
  double every_s = 0.0;  ///< from begin to begin; of no meaning for one
};

/// One disturbance and what the site did in it.
struct RidePoint {
  double level = 1.0;  ///< pu or Hz during it
  double duration_s = 0.0;
  Repetition repetition{};
  std::int64_t left_in = 0;    ///< in which of them load first left, from 1; 0: in none
  double away_W = 0.0;         ///< load that is still away at the record's end
  double left_W = 0.0;         ///< load that left the grid
  double left_after_s = -1;    ///< since its begin; −1: nothing left
  std::string group, setting;  ///< what left first, and the key that made it
  double current_ratio = 0.0;  ///< largest, over the current before
  double recovery_s = 0.0;     ///< from the voltage's return to the rule's share; infinite: not within the record
  std::string late_group,
      late_setting;  ///< what most of the load lacked last belongs to, and the key that made it leave
};

/// A band of the rule with its verdict.
struct BandAnswer {
  RuleBand band;
  std::int64_t n_phase = 3;  ///< faulted in its sags
  RideAnswer answer = RideAnswer::not_judged;
  std::vector<RidePoint> points;
  std::size_t worst = 0;  ///< the point that decides
};

/// One of the separate verdicts.
struct RideItem {
  /// "staying connected", "current", "recovery", "counters", "unbalanced sags", "frequency", "rate of change of frequency".
  std::string name;
  RideAnswer answer = RideAnswer::not_judged;
  std::string why;  ///< in words, with the setting to change where it fails
};

struct RideVerdict {
  std::vector<BandAnswer> voltage, frequency;
  std::vector<BandAnswer> unbalanced;  ///< bands of voltage again, in sags of one, then of two phases
  std::vector<RideItem> items;
  std::int64_t n_judged = 0, n_band = 0;
  /// fail if one of the items fails; "passes what could be judged: N of M bands" while a band of voltage or frequency was
  /// not judged; else pass
  std::string text() const;
  bool fails() const;
};

/// Plays, per band of the rule, balanced disturbances at its lowest, middle and highest level for 20 ms, 60 ms and as long as
/// the site must stay (a minute where that is without limit), from nominal and back to it, and judges:
///
///     staying connected   no group leaves the grid in a band while it must stay
///     current             I <= r I_before throughout, for the levels of bands in which it must stay
///     recovery            P >= s P_before at t after the voltage is back, for the same
///     counters            no group counts departures where the rule forbids it
///
/// A band without a figure is not judged. Bands in which it may trip are simulated too: the load lost there is reported.
///
/// With a transformer the same bands below nominal are simulated as sags of one and of two phases, which have the band's
/// level at the connection. Staying connected is judged there if the rule states how it counts them; otherwise the load that
/// leaves is
/// reported as not judged.
/// @param nominal_Hz of the grid  @param transformer between connection and load; none: not stated  @throws InputError if there is no load or the rule has no ride-through part
RideVerdict judge_ride(const RuleBook& book, std::span<const LoadGroup> groups, double nominal_Hz,
                       std::optional<Transformer> transformer = {});

/// What a site did along a measured voltage.
struct RideRecordAnswer {
  RideAnswer answer = RideAnswer::not_judged;
  std::string why;
};

/// A measured voltage: the site may trip from the sample on at which the voltage has been in some band, or beyond it, for
/// longer than that band's time. It fails if a group leaves before.
/// @param v_pu voltage, [sample]  @param step_s between samples  @throws InputError if there is no load
RideRecordAnswer judge_record(const RideRule& rule, std::span<const LoadGroup> groups, std::span<const double> v_pu,
                              double step_s);

/// A disturbance: nominal for 0.2 s, `level` for `duration_s`, once or several times, nominal for as long as the recovery may
/// take. Recovery counts from the end of the last one.
/// @param level pu, or Hz if `frequency`  @throws InputError if repetitions overlap
RidePoint play_point(const RideRule& rule, std::span<const LoadGroup> groups, double nominal_Hz, double level,
                     double duration_s, bool frequency, Repetition repetition = {});

/// Voltage or frequency through a disturbance, once or several times, [1 ms].
/// @param nominal, level pu or Hz, before and in it  @param before_s, after_s of nominal value
/// @returns pu or Hz, as given  @throws InputError if repetitions overlap
std::vector<double> sag_record(double nominal, double level, double duration_s, Repetition repetition, double before_s,
                               double after_s);

}  // namespace TIDEWATT_NAMESPACE::grid
