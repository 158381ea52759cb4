#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "delivery.hpp"
#include "load_lane.hpp"
#include "load_template.hpp"
#include "repeat_detector.hpp"
#include "stream_stages.hpp"
#include "tidewatt/base/named_array.hpp"
#include "tidewatt/power/feeder.hpp"

namespace TIDEWATT_NAMESPACE::connection {

/// Parameters of the devices between nodes and grid, and of the meters.
struct StreamParams {
  power::FeederParams feeder;
  grid::SourceParams source;
  grid::FrequencyParams frequency;
  std::optional<grid::ReserveParams> reserves;  ///< deadband, fast reserve and load shedding
  std::optional<mitigation::SiteBatteryParams> battery;
  std::optional<mitigation::BatteryWearParams> battery_wear;
  std::vector<StreamWindow> windows;
  std::size_t n_lane = 1;
  std::size_t first_kept_level = 0;  ///< of the pyramid's {0.1, 1, 10, 60} s, finest that is kept for the whole run
  bool closed_form = true;           ///< false: every repetition passes bin by bin
  std::optional<DeliveryParams> delivery;  ///< devices beyond the feeder
  GridMeterParams meters;
  using Order = StreamOrder;
  std::vector<StreamOrder> orders;
};

/// The last millisecond that passed bin by bin.
struct LastBin {
  double pcc_W = 0.0, pcc_var = 0.0, bus_pu = 1.0, frequency_Hz = 0.0;
  template <class A>
  void archive(A& a) {
    a(pcc_W, pcc_var, bus_pu, frequency_Hz);
  }
};

/// Response of a battery, or of storage in the racks, to the last unit of repetitions that passed bin by bin.
class DeviceUnit {
 public:
  /// A unit begins. @param drawn_J through the connection until then  @param load_J asked by the nodes
  void begin(const std::optional<BatteryStage>& battery, const std::optional<Delivery>& delivery, double drawn_J,
             double load_J);
  /// Bins at the connection.
  void push(std::span<const double> pcc_W) {
    if (open_) pcc_W_.insert(pcc_W_.end(), pcc_W.begin(), pcc_W.end());
  }
  /// It ends. @return number of times that it may be repeated
  std::int64_t end(const std::optional<BatteryStage>& battery, const std::optional<Delivery>& delivery, double drawn_J,
                   double load_J);
  /// Books it through the next `n_bin` bins. @param asked what the feeder alone would make of them  @param meters of the feeder
  /// @return energy through the connection, J
  double repeat(std::optional<BatteryStage>& battery, std::optional<Delivery>& delivery, std::int64_t n_bin,
                const power::FeederMeters& asked, power::FeederMeters& meters) const;
  const std::vector<double>& pcc_W() const { return pcc_W_; }  ///< [bin] at the connection
  Tick period() const { return static_cast<Tick>(pcc_W_.size()) * ns_per_ms; }

 private:
  bool open_ = false;
  double begin_J_ = 0.0, load_J_ = 0.0;  ///< at its begin, and asked by the nodes in it
  BatteryStage::Mark before_;
  Delivery::Mark delivery_before_;
  std::vector<double> pcc_W_;
};

/// Cooling power on its way from one value to another, in stairs.
struct AuxiliaryStairs {
  static constexpr std::int64_t bins = 100;  ///< of a stair
  std::int64_t begin = 0, n = 0;
  double from_W = 0.0, to_W = 0.0;
  bool any() const { return n > 0; }
  std::int64_t end() const { return begin + n * bins; }
  std::int64_t stair(std::int64_t bin) const { return (bin - begin) / bins; }  ///< number of the one that holds a bin
  std::int64_t stair_end(std::int64_t bin) const { return begin + (stair(bin) + 1) * bins; }  ///< first bin after it
  /// Power in a bin.
  double at_W(std::int64_t bin) const {
    return from_W + (to_W - from_W) * (static_cast<double>(stair(bin)) + 0.5) / static_cast<double>(n);
  }
};

inline constexpr std::int64_t chunk_bins = 16384;  ///< that pass at a time
/// The lanes' load from `bin` to `end`, as the chunk's bins.
void lay_chunk(std::vector<LoadLane>& lanes, std::int64_t bin, std::int64_t end, StreamChunk& chunk);

/// From the nodes' load to the connection and the grid beyond it, in absolute 1 ms bins.
///
/// Every source of load has a lane of templates with repetitions. Once all lanes reach beyond a macro step and its
/// cooling power is known, `flush` lays them on bins and passes those through feeder, battery, source impedance and
/// frequency, to meters, pyramid and recorded windows. If one lane repeats, the rest is constant, no window is open and the
/// grid repeats itself, whole periods are added in closed form. Energies are multiplied by the number of periods, the pyramid
/// comes from the repeated template, and slow ramps from its means. The extremes are already known.
class SiteStream {
 public:
  using Window = StreamWindow;
  using Params = StreamParams;
  using Span = SpanMeter::Span;
  /// At rest under a steady load and cooling power. @throws InputError as the parts' own constructors
  SiteStream(const Params& params, double initial_load_W, double initial_auxiliary_W);

  /// A lane's load from the lane's end. @param iterating a job trains: candidates for the spectrum
  void append(std::size_t lane, LoadTemplate load, std::int64_t repetitions, bool iterating) {
    lanes_[lane].append(std::move(load), repetitions, iterating);
  }
  /// Passes all lanes up to `until`, a whole millisecond. @param auxiliary_W mean cooling power since the last flush
  ///
  /// Plants change their power evenly, not at full minutes: a change that shows at the connection is a ramp through the first
  /// quarter of the time T since the last flush, from the end of the last one (a) to v, and constant then:
  ///
  ///     v = (P̄ T − a R/2)/(T − R/2),  R = T/4:  the energy P̄ T is kept; v goes beyond P̄ by a seventh of the change
  ///
  /// in stairs of 100 ms. Changes below 0.2 % of what the connection draws stay steps, so that a calm day still passes in
  /// closed form.
  void flush(Tick until, double auxiliary_W);
  void finish() { seen_.end(); }  ///< after the last flush
  /// Takes values given from outside. @param anew measured repetitions do not predict what follows
  void impose(const Imposed& given, bool anew);
  /// Connection power since the last call.
  Span take_span() { return seen_.span.take(); }

  const power::FeederMeters& feeder_meters() const { return state_.feeder; }
  /// Rise of the battery's energy since the start; 0 without one.
  double battery_stored_J() const { return battery_ ? battery_->stored_J() : 0.0; }
  const BatteryStage* battery() const { return battery_ ? &*battery_ : nullptr; }
  const LastBin& last_bin() const { return state_.last; }
  /// Energy through the connection since the start.
  double connection_J() const { return state_.connection_J.value(); }
  double bus_J() const { return state_.bus_J.value(); }  ///< at the site bus, battery included; with `delivery` only
  std::int64_t repeated_bins() const { return state_.repeated_bins; }  ///< added in closed form
  double max_W() const { return seen_.levels.max_W(); }                ///< at the connection so far
  double min_W() const { return seen_.levels.min_W(); }                ///< at the connection so far
  /// Largest |P(t + 1 s) − P(t)| so far.
  double step_1s_W() const { return seen_.levels.step_1s_W(seen_.grid); }
  double ramp_up_W_per_s() const { return ramps().front().up_W_per_s; }  ///< through 0.1 s
  /// Steepest fall through 0.1 s, as a positive number.
  double ramp_down_W_per_s() const { return ramps().front().down_W_per_s; }
  /// Through 0.1, 1, 10, 60, 300 and 900 s.
  std::vector<grid::Ramp> ramps() const { return seen_.levels.ramps(seen_.grid); }
  const GridStage& grid() const { return grid_; }  ///< behind the connection
  /// Of the longest uninterrupted iterating interval, its first five minutes.
  numerics::Spectrum spectrum() const { return seen_.spectrum.best(); }
  /// Bin at which power ended or returned since `set_power`; see Delivery.
  std::optional<PowerChange> power_change() const { return delivery_ ? delivery_->power_change() : std::nullopt; }
  /// Switches the load behind the delivery off or on from this bin on. @pre the site has devices beyond its feeder
  void set_power(bool on) { delivery_->set_power(on, state_.bin); }
  const Delivery* delivery() const { return delivery_ ? &*delivery_ : nullptr; }
  const GridMeters& meters() const { return seen_.grid; }
  bool has_orders() const { return seen_.orders.any(); }
  const OrderMeter::Figures& order_meters() const { return seen_.orders.figures(); }
  /// In a disturbance; NaN: there was none.
  double load_lost_W() const {
    return delivery_ && delivery_->load_lost_bin() >= 0 ? delivery_->load_lost_W()
                                                        : std::numeric_limits<double>::quiet_NaN();
  }
  std::vector<grid::RideThroughEvent> take_events() {
    return delivery_ ? delivery_->take_events() : std::vector<grid::RideThroughEvent>{};
  }
  /// Hands over windows, pyramid, spectrum and ramps as result arrays. Call once, after finish().
  void add_arrays(std::vector<NamedArray>& arrays) { seen_.add_arrays(arrays); }

  struct State {
    std::int64_t bin = 0;      ///< next absolute bin to pass
    double auxiliary_W = 0.0;  ///< cooling power of the bins being passed, between flushes of the last one
    double drawn_W = 0.0;      ///< mean at the connection, last seen
    power::FeederMeters feeder;
    CompensatedSum connection_J;
    CompensatedSum bus_J;  ///< at the site bus, battery included
    std::int64_t repeated_bins = 0;
    LastBin last;
    template <class A>
    void archive(A& a) {
      auto& [next, auxiliary, drawn, meters, connection, bus, repeated, millisecond] = *this;
      a(next, auxiliary, drawn, meters, connection, bus, repeated, millisecond);
    }
  };
  template <class A>
  void archive(A& a) {
    a(state_, lanes_, grid_, seen_, repeats_);
    if (battery_) a(*battery_);
    if (delivery_) a(*delivery_);
  }

 private:
  void advance_to(std::int64_t until_bin);
  void advance_stretch(std::int64_t end_bin);
  /// Whether no device between load and grid prevents repetitions.
  bool can_repeat() const {
    return closed_form_ && (!delivery_ || delivery_->may_repeat()) &&
           (!battery_ || (battery_->may_repeat() && !seen_.orders.any()));
  }
  void repeat_periods(const PeriodicLoad& p, bool continues, std::int64_t end_bin);
  std::int64_t pass_unit(std::int64_t to_bin);
  bool has_devices() const { return battery_ || delivery_; }
  void pass(std::int64_t to_bin);
  double auxiliary_W_at(std::int64_t bin) const { return stairs_.any() ? stairs_.at_W(bin) : state_.auxiliary_W; }
  void observe();
  void repeat(const PeriodicLoad& p, bool continues, std::int64_t end_bin);
  /// No device between the load of the single lane and the connection could smooth it.
  bool follows_load() const { return !battery_ && !delivery_ && lanes_.size() == 1; }

  power::Feeder feeder_;
  bool closed_form_;
  std::optional<Delivery> delivery_;
  std::optional<BatteryStage> battery_;
  GridStage grid_;
  std::vector<LoadLane> lanes_;
  ConnectionMeters seen_;
  RepeatDetector repeats_;
  State state_;
  AuxiliaryStairs stairs_;  ///< within a flush; none: the cooling power is constant
  StreamChunk chunk_;       ///< scratch
  DeviceUnit unit_;         ///< scratch
};

}  // namespace TIDEWATT_NAMESPACE::connection
