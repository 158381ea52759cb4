#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tidewatt/grid/frequency.hpp"
#include "tidewatt/grid/metrics.hpp"
#include "tidewatt/grid/pyramid.hpp"
#include "tidewatt/grid/source.hpp"
#include "tidewatt/mitigation/battery_wear.hpp"
#include "tidewatt/mitigation/site_battery.hpp"
#include "tidewatt/numerics/spectrum.hpp"
#include "tidewatt/power/feeder.hpp"
#include "tidewatt/sim/delivery.hpp"
#include "tidewatt/sim/grid_meters.hpp"
#include "tidewatt/sim/load_lane.hpp"
#include "tidewatt/sim/load_template.hpp"
#include "tidewatt/sim/result.hpp"

namespace tidewatt::sim {

/// From the nodes' load to the connection and the grid behind it, on one clock of absolute 1 ms bins.
///
/// Every source of load has a lane of templates with repetitions. Once all lanes reach beyond a macro step and its
/// cooling power is known, `flush` lays them on bins and passes those through feeder, battery, source impedance and
/// frequency; meters, pyramid and recorded windows see them. Where one lane repeats, the rest is constant, no window is
/// open and the grid repeats itself, whole periods are added in closed form: energies times their number,
/// the pyramid from the repeated template, the slow ramps from its means; extremes have all been seen.
class SiteStream {
 public:
  struct Window {
    std::string name;
    Tick begin = 0, end = 0;
  };
  struct Params {
    power::FeederParams feeder;
    grid::SourceParams source;
    grid::FrequencyParams frequency;
    std::optional<mitigation::SiteBatteryParams> battery;
    std::optional<mitigation::BatteryWearParams> battery_wear;
    std::vector<Window> windows;
    std::size_t n_lane = 1;
    std::size_t first_kept_level = 0;  ///< of the pyramid's {0.1, 1, 10, 60} s, finest that is kept for the whole run
    bool closed_form = true;           ///< false: every repetition passes bin by bin
    std::optional<DeliveryParams> delivery;  ///< devices beyond the feeder
    GridMeterParams meters;
    struct Order {
      std::int64_t begin_bin = 0, end_bin = 0;
      double limit_W = 0.0;
      bool by_storage = false;  ///< the battery holds the connection below it as long as it can
    };
    std::vector<Order> orders;  ///< of the utility, to draw no more than this
  };
  /// At rest under a steady load and cooling power. @throws InputError as the parts' own constructors
  SiteStream(const Params& params, double initial_load_W, double initial_auxiliary_W);

  /// A lane's load from the lane's end. @param iterating a job trains: candidates for the spectrum
  void append(std::size_t lane, LoadTemplate load, std::int64_t repetitions, bool iterating);
  /// Passes all lanes up to `until`, a whole millisecond. @param auxiliary_W mean cooling power since the last flush
  ///
  /// Plants change their power evenly, not at full minutes: a change that shows at the connection is a ramp through the first
  /// quarter of the time T since the last flush, from where the last one ended (a) to v, which then holds:
  ///
  ///     v = (P̄ T − a R/2)/(T − R/2),  R = T/4:  the energy P̄ T is kept; v goes beyond P̄ by a seventh of the change
  ///
  /// in stairs of 100 ms. Changes below 0.2 % of what the connection draws stay steps, so that a calm day still passes in
  /// closed form.
  void flush(Tick until, double auxiliary_W);
  void finish();  ///< after the last flush

  /// Connection power since the last call.
  struct Span {
    double J = 0.0, load_J = 0.0;
    double mean_W = 0.0, load_mean_W = 0.0, min_W = 0.0, max_W = 0.0;
  };
  Span take_span();

  const power::FeederMeters& feeder_meters() const { return feeder_meters_; }
  const mitigation::SiteBatteryMeters& battery_meters() const { return battery_meters_; }
  /// Rise of the battery's energy since the start; 0 without one.
  double battery_stored_J() const;
  /// The last millisecond that passed bin by bin.
  struct LastBin {
    double pcc_W = 0.0, pcc_var = 0.0, bus_pu = 1.0, frequency_Hz = 0.0;
    template <class A>
    void archive(A& a) {
      a(pcc_W, pcc_var, bus_pu, frequency_Hz);
    }
  };
  const LastBin& last_bin() const { return last_bin_; }
  /// Energy in the site battery now, J; 0 without one.
  double battery_energy_J() const { return battery_state_.energy_J + battery_state_.energy_carry_J; }
  /// Energy through the connection so far.
  double connection_J() const { return connection_J_.value(); }
  /// Largest power at the connection so far.
  double max_W() const { return extremes_.max_W(); }
  /// Smallest power at the connection so far.
  double min_W() const { return extremes_.min_W(); }
  /// Largest |P(t + 1 s) − P(t)| so far.
  double step_1s_W() const { return whole_ ? meters_.step_1s_W() : step_.largest(); }
  double ramp_up_W_per_s() const { return ramps().front().up_W_per_s; }  ///< through 0.1 s
  /// Steepest fall through 0.1 s, as a positive number.
  double ramp_down_W_per_s() const { return ramps().front().down_W_per_s; }
  std::vector<grid::Ramp> ramps() const;  ///< through 0.1, 1, 10, 60, 300 and 900 s
  /// Largest deviation from nominal so far, either sign.
  double frequency_deviation_Hz() const;
  /// Largest deviation of the bus voltage from that before the run, either sign.
  double voltage_deviation_pu() const;
  /// Of the longest uninterrupted iterating interval, its first five minutes.
  numerics::Spectrum spectrum() const { return best_; }
  std::int64_t repeated_bins() const { return repeated_bins_; }  ///< added in closed form
  double bus_J() const { return bus_J_.value(); }  ///< at the site bus, battery included; with `delivery` only
  /// Life that the battery used; nullptr: not measured.
  const mitigation::BatteryWearMeters* battery_wear() const { return wear_ ? &wear_meters_ : nullptr; }
  bool has_battery() const { return battery_.has_value(); }
  /// Where power ended or came back in what has passed since `set_power`; see Delivery.
  std::optional<PowerChange> power_change() const { return delivery_ ? delivery_->power_change() : std::nullopt; }
  /// The load behind the delivery is switched off or on from here on. @pre the site has devices beyond its feeder
  void set_power(bool on) { delivery_->set_power(on, bin_); }
  const Delivery* delivery() const { return delivery_ ? &*delivery_ : nullptr; }
  const GridMeters& meters() const { return meters_; }
  /// How orders were kept: seen through means of 100 ms, extremes exactly.
  struct OrderMeters {
    double max_W = 0.0, mean_J = 0.0, over_J = 0.0, s = 0.0, most_over_W = -1e300;
    template <class A>
    void archive(A& a) {
      a(max_W, mean_J, over_J, s, most_over_W);
    }
  };
  bool has_orders() const { return !orders_.empty(); }
  const OrderMeters& order_meters() const { return order_meters_; }
  double load_lost_W() const;  ///< in a disturbance; NaN: there was none
  std::vector<grid::RideThroughEvent> take_events();
  /// Hands over windows, pyramid, spectrum and ramps as result arrays. Call once, after finish().
  void add_arrays(std::vector<Array>& arrays);
  template <class A>
  void archive(A& a) {
    a(frequency_state_, frequency_meters_, voltage_meters_, battery_state_, battery_meters_, battery_start_, feeder_meters_);
    a(lanes_, bin_, initial_pu_, iterating_, alike_since_, last_, kept_, found_repeating_, repeated_until_, disturbed_until_);
    a(meters_, bus_J_, order_meters_, wear_state_, wear_meters_, last_bin_);
    if (delivery_) a(*delivery_);
    a(connection_J_, span_J_, span_load_J_, span_bins_, repeated_bins_, span_min_W_, span_max_W_);
    a(auxiliary_W_, drawn_W_, step_, ramp_, slow_ramp_, pyramid_, extremes_, buckets_, running_, running_bins_, best_bins_, best_, recorded_);
  }

 private:
  struct Recorded {
    Window window;
    std::vector<double> pcc_W, pcc_var, bus_pu, frequency_Hz;
    std::int64_t first_bin = -1;
    template <class A>
    void archive(A& a) {
      a(pcc_W, pcc_var, bus_pu, frequency_Hz, first_bin);
    }
  };
  struct Periodic;  // one lane repeats, the others are constant
  struct Shape {
    Tick period = 0;
    double range_W = 0.0, high_W = 0.0;
    bool like(const Shape& o, double share) const;
    template <class A>
    void archive(A& a) {
      a(period, range_W, high_W);
    }
  };
  /// What one unit of repetitions added to the meters when it last passed bin by bin, and where it left the grid.
  struct Kept {
    Shape shape;
    grid::FrequencyState::Deviation deviation{};
    GridMeters::Share share;
    template <class A>
    void archive(A& a) {
      a(shape, deviation, share);
    }
  };
  bool still(const grid::FrequencyState::Deviation& before) const;
  std::int64_t stretch_end(std::int64_t until_bin);
  std::optional<Periodic> periodic(std::int64_t bin);
  void advance_stretch(std::int64_t end_bin);
  void advance_to(std::int64_t until_bin);
  bool open_window(std::int64_t from_bin, std::int64_t to_bin) const;
  void pass(std::int64_t to_bin);
  void repeat(const Periodic& p, std::int64_t end_bin);
  double book_repetitions(const Periodic& p, std::int64_t periods, Tick phase, std::int64_t n_bin);
  void keep_buckets();
  std::int64_t next_edge(std::int64_t bin) const;  ///< of disturbances and orders
  double ceiling_W(std::int64_t bin) const;        ///< of the orders
  void watch_orders(const std::vector<grid::Bucket>& finest);
  void through_devices();
  void through_battery();
  void record(std::size_t n);
  void end_interval();

  power::Feeder feeder_;
  grid::Source source_;
  grid::Frequency frequency_;
  std::optional<mitigation::SiteBattery> battery_;
  double nominal_Hz_;
  bool closed_form_;
  grid::FrequencyState frequency_state_;
  grid::FrequencyMeters frequency_meters_;
  grid::VoltageMeters voltage_meters_;
  mitigation::SiteBatteryState battery_state_;
  mitigation::SiteBatteryMeters battery_meters_;
  mitigation::SiteBatteryState battery_start_;
  std::optional<mitigation::BatteryWear> wear_;
  mitigation::BatteryWearState wear_state_;
  mitigation::BatteryWearMeters wear_meters_;
  power::FeederMeters feeder_meters_;
  std::optional<Delivery> delivery_;
  GridMeters meters_;
  std::vector<Params::Order> orders_;
  OrderMeters order_meters_;
  CompensatedSum bus_J_;  ///< at the site bus, battery included

  LastBin last_bin_;
  std::vector<LoadLane> lanes_;
  std::int64_t bin_ = 0;         ///< next absolute bin to pass
  double auxiliary_W_ = 0.0;     ///< cooling power of the bins being passed, between flushes of the last one
  double drawn_W_ = 0.0;         ///< mean at the connection, last seen
  double initial_pu_ = 1.0;      ///< bus voltage before the run
  bool iterating_ = false;       ///< the stretch being passed trains
  std::int64_t alike_since_ = 0; ///< bin since which the load has repeated much the same
  Shape last_;
  Kept kept_;
  bool found_repeating_ = false;      ///< the last stretch, in closed form
  std::int64_t repeated_until_ = 0;   ///< bin at which it ended
  std::int64_t disturbed_until_ = 0;  ///< bin at which the last pause ended

  std::vector<double> bin_J_, load_W_, pcc_W_, pcc_var_, bus_pu_, deviation_Hz_;  // chunk scratch
  CompensatedSum connection_J_, span_J_, span_load_J_;
  std::int64_t span_bins_ = 0, repeated_bins_ = 0;
  double span_min_W_, span_max_W_;
  bool whole_;  ///< the grid meters see the whole run; otherwise steps and ramps have meters of their own
  grid::StepMeter step_{1000};
  grid::RampMeter ramp_{{100, 1000, 10000}};
  grid::RampMeter slow_ramp_{{600, 3000, 9000}, 0.1};  ///< over means of 100 ms
  grid::Pyramid pyramid_{{100, 1000, 10000, 60000}};
  grid::ExtremesMeter extremes_;
  std::size_t first_kept_level_;
  std::vector<std::vector<grid::Bucket>> buckets_;
  numerics::Welch running_{std::size_t{1} << 16, 1000.0};
  std::int64_t running_bins_ = 0, best_bins_ = 0;
  numerics::Spectrum best_;
  std::vector<Recorded> recorded_;
};

}  // namespace tidewatt::sim
