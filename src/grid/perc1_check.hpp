#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "perc1_site.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// A balanced sag with straight edges.
struct Sag {
  double level_pu = 0.0, duration_s = 0.0;
};

/// Differences of two powers over a period, in pu of the power before.
struct PeriodError {
  double largest = 0.0;   ///< of their absolute value
  double mean = 0.0;      ///< absolute value of their mean
  double mean_abs = 0.0;  ///< mean of their absolute value
};

/// Largest differences that records may have, in pu of the power before. Published for producers, borrowed for loads: dip
/// against a simulation, 20 ms after its begin and 60 ms after its end left out.
/// @source RTE, PCS I16 after IEC 61400-27-2, as coded in DyCoV
struct ModelLimits {
  PeriodError outside{0.05, 0.02, 0.03}, during{0.08, 0.05, 0.07};
  double lost_frac = 0.02;   ///< of the lost share
  double back_s = 0.05;      ///< of the time until 90 % of the power before are back
  double clear_frac = 0.95;  ///< of the sags away from every threshold and timer keep all of these
  double near_frac = 0.90;   ///< of the others end with an equal share
};

enum class SagPlace : std::uint8_t {
  clear,  ///< more than 0.02 pu and 30 ms from every threshold and timer
  near,
  apart  ///< a limit acted that the records have no state for
};

/// One sag applied to the site's electrical model and to its records.
struct SagOutcome {
  Sag sag;
  SagPlace place = SagPlace::clear;
  PeriodError before, during, after;
  double lost_site_frac = 0.0, lost_record_frac = 0.0;    ///< largest share away from the grid
  double back_site_s = 0.0, back_record_s = 0.0;          ///< from the sag's end on; infinite: not within the record
  double final_site_frac = 0.0, final_record_frac = 0.0;  ///< share at the record's end
  bool within(const ModelLimits& limits) const;           ///< all of them
  bool ends_equal(const ModelLimits& limits) const;       ///< the share at the record's end
};

/// Sags applied to a site and its records.
struct Perc1Check {
  std::vector<SagOutcome> sags;
  std::int64_t n_clear = 0, n_within = 0, n_near = 0, n_near_equal = 0, n_apart = 0;
  PeriodError worst_outside, worst_during;           ///< over the clear sags
  double worst_lost_frac = 0.0, worst_back_s = 0.0;  ///< over the clear sags
  /// Empty if the records may be used, else why not, with the worst sag.
  std::string unfit(const ModelLimits& limits = {}) const;
  std::string text() const;  ///< one sentence with its figures
};

/// Simulates each sag in 1 ms steps until all parts that return by themselves have returned. The site's load is at its mean and
/// constant.
Perc1Check check_perc1(const Perc1Site& site, std::span<const Sag> sags);

/// Levels of 0 to 0.95 pu and durations of 50 ms to 3 s, [66].
std::vector<Sag> check_sags();

}  // namespace TIDEWATT_NAMESPACE::grid
