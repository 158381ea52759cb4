#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::grid {

struct LoadGroup;

/// Limits of voltage and frequency for a load or a machine. It disconnects when a limit is exceeded for longer than the limit's
/// time. Each list of limits has a list of times of the same length; deeper limits have shorter times.
struct TIDEWATT_API RideThroughCurve {
  std::vector<double> low_pu;     ///< voltages below which a trip timer runs
  std::vector<double> low_s;      ///< trip times at these voltages
  std::vector<double> high_pu;    ///< voltages above which a trip timer runs
  std::vector<double> high_s;     ///< trip times at these voltages
  std::vector<double> low_Hz;     ///< frequencies below which a trip timer runs
  std::vector<double> low_Hz_s;   ///< trip times at these frequencies
  std::vector<double> high_Hz;    ///< frequencies above which a trip timer runs
  std::vector<double> high_Hz_s;  ///< trip times at these frequencies
  void fields(FieldVisitor& v);
  /// @throws InputError if lists do not belong together or a deeper limit has a longer time
  void check() const;
};

/// Conditions for the return of a site that left.
struct TIDEWATT_API ReturnParams {
  double count_below_pu = 0.0;   ///< a sag counts when the voltage falls below this; 0: departures count
  std::int64_t count_limit = 0;  ///< that many within the window: away until a manual return; 0: never
  double count_window_s = 0.0;   ///< window of the counter
  double healthy_low_pu = 0.0;   ///< lowest voltage at which the load may return
  double healthy_high_pu = 0.0;  ///< highest voltage at which the load may return
  double return_delay_s = 0.0;   ///< time with healthy voltage before the return begins
  double return_ramp_s = 0.0;    ///< from no load to full load; 0: at once
  void fields(FieldVisitor& v);
};

enum class Connection { connected, away, latched, returning };
/// "connected", "away", "latched" or "returning".
TIDEWATT_API std::string_view name(Connection c);

/// A change of a site's connection. Bins are absolute 1 ms bins.
struct TIDEWATT_API RideThroughEvent {
  std::int64_t bin = 0;
  Connection to = Connection::connected;
  /// "voltage low", "voltage high", "frequency low", "frequency high", "sags counted", "departures counted", "healthy", "manual return", "full load".
  std::string_view why;
};

/// Everything that a restart needs; plain values, so that a copy is a checkpoint.
struct TIDEWATT_API RideThroughState {
  std::vector<std::int64_t> outside;  ///< consecutive bins outside each limit
  std::vector<std::int64_t> sags;     ///< first bins of the latest counted sags
  std::int64_t next_bin = 0, healthy = 0, returned = 0;
  bool in_sag = false;
  Connection now = Connection::connected;
  double share_frac = 1.0;  ///< of the site's load on the grid
  bool operator==(const RideThroughState&) const = default;
  template <class A>
  void archive(A& a) {
    a(outside, sags, next_bin, healthy, returned, in_sag, now, share_frac);
  }
};

/// Trip and return of a site, or of a group of its load, by voltage and frequency at the connection.
///
///     away        when a limit is exceeded for longer than its time (on its own supply or off: the same for the grid)
///     latched     at the start of the n-th sag within the window, or at the n-th departure (counters of large sites)
///     returning   after `return_delay_s` of healthy voltage, unless latched; load comes back in a straight line
///
/// Assumptions: 1 ms rms values; a limit's timer restarts when the value is back inside the limit; the transfer itself takes
/// no time. Source: the catalog entries give the sources of their curves.
class TIDEWATT_API RideThrough {
 public:
  /// @param nominal_Hz of deviations passed to `advance`  @throws InputError
  RideThrough(const RideThroughCurve& curve, ReturnParams back, double nominal_Hz);
  /// Of a group, which must outlive the events: they name its settings. @param step_s of a bin  @param frequency whether its
  /// frequency trips act; deviations passed to `advance` are frequencies then  @throws InputError for a step that is not above 0
  RideThrough(const LoadGroup& group, double step_s, bool frequency);

  /// A chunk of 1 ms values. @param deviation_Hz from nominal at the end of each bin, same length, or empty: nominal
  /// @param share_frac share of the load that the grid carries during each bin, same length as `v_pu`
  /// @param events what happened is added
  /// @throws InputError if lengths differ
  void advance(std::span<const double> v_pu, std::span<const double> deviation_Hz, std::span<double> share_frac,
               RideThroughState& state, std::vector<RideThroughEvent>& events) const;
  /// Manual release of a latched site: its return begins as if the voltage had become healthy now.
  void manual_return(RideThroughState& state, std::vector<RideThroughEvent>& events) const;

 private:
  void set_times(double step_s);
  void step(double v_pu, double f_Hz, RideThroughState& s, std::vector<RideThroughEvent>& events) const;
  bool count(double v_pu, RideThroughState& s) const;
  bool note(RideThroughState& s) const;
  struct Zone {
    double limit = 0.0, after_s = 0.0;
    bool below = true, frequency = false;
    std::string_view why;
    std::int64_t bins = 0;
  };
  std::vector<Zone> zones_;
  ReturnParams back_;
  double nominal_Hz_ = 0.0;
  std::string_view sags_why_ = "sags counted", departures_why_ = "departures counted";  ///< empty: the last trip's
  std::int64_t delay_bins_ = 0, window_bins_ = 0, ramp_bins_ = 1;
};

}  // namespace TIDEWATT_NAMESPACE::grid
