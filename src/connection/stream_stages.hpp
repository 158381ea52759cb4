#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grid/pyramid.hpp"
#include "grid_meters.hpp"
#include "numerics/spectrum.hpp"
#include "tidewatt/base/named_array.hpp"
#include "tidewatt/base/sum.hpp"
#include "tidewatt/grid/frequency.hpp"
#include "tidewatt/grid/frequency_reserves.hpp"
#include "tidewatt/grid/metrics.hpp"
#include "tidewatt/grid/source.hpp"
#include "tidewatt/mitigation/battery_wear.hpp"
#include "tidewatt/mitigation/site_battery.hpp"
#include "tidewatt/power/feeder.hpp"

namespace TIDEWATT_NAMESPACE::connection {

/// Part of the run whose 1 ms waveform is kept.
struct StreamWindow {
  std::string name;
  Tick begin = 0, end = 0;
};

/// An order of the utility to draw no more than a limit.
struct StreamOrder {
  std::int64_t begin_bin = 0, end_bin = 0;
  double limit_W = 0.0;
  bool by_storage = false;  ///< the battery keeps the connection below it as long as it can
};

/// Bins on their way from the nodes to the grid.
struct StreamChunk {
  StreamChunk() = default;
  StreamChunk(StreamChunk&&) = default;  // a copy would show the bins of the other one
  StreamChunk& operator=(StreamChunk&&) = default;
  std::span<double> bin_J, load_W, pcc_W, pcc_var, bus_pu, deviation_Hz;
  void resize(std::size_t n);  ///< to this number of bins, without energy; all else is left as it is

 private:
  std::array<std::vector<double>, 6> rooms_;  ///< only grow: a vector that becomes longer is cleared
};

/// The site battery and its wear.
class BatteryStage {
 public:
  /// At rest under a steady power. @throws InputError as the battery
  BatteryStage(const mitigation::SiteBatteryParams& params, const std::optional<mitigation::BatteryWearParams>& wear,
               double rest_W);
  /// Acts on the bins of a chunk. Its wear gets the charge every 100 ms. @param ceiling_W that an order allows; infinite: none
  void through(std::span<double> pcc_W, double ceiling_W);
  /// Sets its power from outside, from the next control period on; nothing: its own controller sets it.
  void follow(std::optional<double> power_W) { asked_W_ = power_W; }
  /// Whether its effect on a repeated load can be added in closed form: it has its own controller, and no wear is measured.
  bool may_repeat() const { return !asked_W_ && !wear_; }
  /// Its state before a unit of repetitions.
  struct Mark {
    mitigation::SiteBatteryState state;
    mitigation::SiteBatteryMeters meters;
  };
  Mark mark() const { return {state_, meters_}; }
  /// Number of times that the `n_bin` bins since the mark may be counted again, with a negligible drift against the connection's
  /// `mean_W`.
  std::int64_t repeatable(const Mark& before, std::int64_t n_bin, double mean_W) const {
    return battery_.repeatable(before.state, before.meters, state_, meters_, n_bin, 1e-4 * mean_W);
  }
  /// Adds these bins `count` times. @return energy that it took from the connection, J
  double repeat(const Mark& before, double count) { return battery_.repeat(state_, meters_, before.meters, count); }
  /// The bus has no voltage: it neither charges nor discharges.
  void rest() { battery_.resume(state_, 0.0); }
  const mitigation::SiteBatteryMeters& meters() const { return meters_; }
  /// Life that it used; nullptr: not measured.
  const mitigation::BatteryWearMeters* wear() const { return wear_ ? &wear_meters_ : nullptr; }
  /// Rise of its energy since the start.
  double stored_J() const;
  /// Energy in it now.
  double energy_J() const { return state_.energy_J + state_.energy_carry_J; }
  template <class A>
  void archive(A& a) {
    a(state_, meters_, start_, wear_state_, wear_meters_);
  }

 private:
  mitigation::SiteBattery battery_, following_;  ///< with its own controller; without
  std::optional<double> asked_W_;                ///< from outside
  mitigation::SiteBatteryState state_, start_;
  mitigation::SiteBatteryMeters meters_;
  std::optional<mitigation::BatteryWear> wear_;
  mitigation::BatteryWearState wear_state_;
  mitigation::BatteryWearMeters wear_meters_;
};

/// Voltage at the connection and frequency of the grid.
class GridStage {
 public:
  /// At rest under a steady load. @param rest_W that the grid supplies  @param load whose voltage is that before the run
  /// @param reserves deadband, fast reserve and load shedding; none: governors without a deadband only
  GridStage(const grid::SourceParams& source, const grid::FrequencyParams& frequency,
            const std::optional<grid::ReserveParams>& reserves, double rest_W, const power::FeederPoint& load);
  /// Sets voltage and frequency from outside; nothing: they follow from the load.
  void impose(std::optional<double> voltage_pu, std::optional<double> frequency_Hz) {
    voltage_pu_ = voltage_pu, frequency_Hz_ = frequency_Hz;
  }
  /// Bins from `first_bin` on: their voltages and deviations of frequency.
  void through(std::int64_t first_bin, StreamChunk& chunk);
  /// Repetitions that do not change its state pass.
  void skip(std::int64_t n_bin);
  /// Repetitions pass that it has yet to settle under: `unit_W` is the load of the first ones.
  void settle(std::span<const double> unit_W, std::int64_t n_bin);
  /// A power that lasts too briefly to be a bin's, or is repeated: its voltage counts.
  void see(std::int64_t bin, double pcc_W, double pcc_var);
  /// Whether it has returned to `before`, to the phase of one bin.
  bool still(const grid::FrequencyState::Deviation& before) const;
  const grid::FrequencyState::Deviation& deviation() const { return state_.deviation; }
  const grid::Source& source() const { return source_; }
  double nominal_Hz() const { return nominal_Hz_; }  ///< of the grid
  /// State of its reserves; null: it has none.
  const grid::ReserveState* reserves() const { return reserves_ ? &reserve_state_ : nullptr; }
  /// Load of the system that its stages shed.
  double shed_W() const { return reserves_ ? reserves_->shed_W(reserve_state_) : 0.0; }
  /// Largest deviation from nominal so far, either sign.
  double frequency_deviation_Hz() const;
  /// Largest deviation of the bus voltage from that before the run, either sign.
  double voltage_deviation_pu() const;
  template <class A>
  void archive(A& a) {
    a(state_, frequency_meters_, voltage_meters_, initial_pu_);
    if (reserves_) a(reserve_state_);
  }

 private:
  void through_reserves(std::int64_t first_bin, StreamChunk& chunk);
  grid::Source source_;
  grid::Frequency frequency_;
  double nominal_Hz_;
  std::optional<double> voltage_pu_, frequency_Hz_;  ///< from outside
  grid::FrequencyState state_;
  std::optional<grid::FrequencyReserves> reserves_;
  grid::ReserveState reserve_state_;  ///< unused without them
  grid::FrequencyMeters frequency_meters_;
  grid::VoltageMeters voltage_meters_;
  double initial_pu_;  ///< bus voltage before the run
};

/// Measures how orders were kept, with means of 100 ms and exact extremes.
class OrderMeter {
 public:
  /// Of all orders of the run.
  explicit OrderMeter(std::vector<StreamOrder> orders) : orders_(std::move(orders)) {}
  struct Figures {
    double max_W = 0.0, mean_J = 0.0, over_J = 0.0, s = 0.0, most_over_W = -1e300;
    template <class A>
    void archive(A& a) {
      a(max_W, mean_J, over_J, s, most_over_W);
    }
  };
  bool any() const { return !orders_.empty(); }
  const Figures& figures() const { return figures_; }
  /// Beginning or end of an order after `bin`; the largest integer: there is none.
  std::int64_t next_edge(std::int64_t bin) const;
  /// Lowest limit that storage has to meet at `bin`, W; infinite: none.
  double ceiling_W(std::int64_t bin) const;
  void push_means(std::span<const grid::Bucket> finest);  ///< buckets of 100 ms
  template <class A>
  void archive(A& a) {
    a(figures_);
  }

 private:
  std::vector<StreamOrder> orders_;
  Figures figures_;
};

/// Keeps the waveform of the scenario's windows.
class WindowRecorder {
 public:
  /// Nothing is recorded yet. @param nominal_Hz of the grid
  WindowRecorder(const std::vector<StreamWindow>& windows, double nominal_Hz);
  /// Beginning or end of a window after `bin`; the largest integer: there is none.
  std::int64_t next_edge(std::int64_t bin) const;
  /// Whether a window includes some of these bins.
  bool open(std::int64_t from_bin, std::int64_t to_bin) const;
  /// Bins from `first_bin` on.
  void push(std::int64_t first_bin, const StreamChunk& chunk);
  /// One group of arrays per window within the run.
  void add_arrays(std::vector<NamedArray>& arrays);
  template <class A>
  void archive(A& a) {
    a(recorded_);
  }

 private:
  struct Recorded {
    StreamWindow window;
    std::vector<double> pcc_W, pcc_var, bus_pu, frequency_Hz;
    std::int64_t first_bin = -1;
    template <class A>
    void archive(A& a) {
      a(pcc_W, pcc_var, bus_pu, frequency_Hz, first_bin);
    }
  };
  double nominal_Hz_;
  std::vector<Recorded> recorded_;
};

/// The spectrum of the longest uninterrupted iterating interval, its first five minutes.
class SpectrumCollector {
 public:
  /// A load without iterations ends an interval.
  void begin_stretch(bool iterating);
  /// Whether it wants the coming bins one by one.
  bool collects() const;
  /// The coming bins, W; left out where enough is known.
  void push(std::span<const double> pcc_W);
  void end_interval();
  const numerics::Spectrum& best() const { return best_; }
  /// Lines up to 60 Hz.
  void add_arrays(std::vector<NamedArray>& arrays) const;
  template <class A>
  void archive(A& a) {
    a(iterating_, running_, running_bins_, best_bins_, best_);
  }

 private:
  bool iterating_ = false;  ///< the stretch being passed trains
  numerics::Welch running_{std::size_t{1} << 16, 1000.0};
  std::int64_t running_bins_ = 0, best_bins_ = 0;
  numerics::Spectrum best_;
};

/// Means and extremes of the connection's power over {0.1, 1, 10, 60} s, its steps and its ramps.
class PowerLevels {
 public:
  /// @param first_kept_level finest level that is kept for the whole run  @param whole the grid meters cover the whole run;
  /// otherwise steps and ramps have meters of their own
  PowerLevels(std::size_t first_kept_level, bool whole);
  /// The coming bins, W.
  void push(std::span<const double> pcc_W);
  /// The next `n_bin` bins, from a repeated load.
  void push_part(std::int64_t n_bin, double low_W, double sum_W, double high_W) {
    pyramid_.push_part(n_bin, low_W, sum_W, high_W);
  }
  /// Whole buckets of 100 ms, from a repeated load; the next bin begins one.
  void push_buckets(std::span<const double> low_W, std::span<const double> sum_W, std::span<const double> high_W) {
    pyramid_.push_buckets(0, low_W, sum_W, high_W);
  }
  /// Whole seconds, from a repeated load, that nobody sees in parts of 100 ms; the next bin begins one.
  void push_seconds(std::span<const double> low_W, std::span<const double> sum_W, std::span<const double> high_W) {
    pyramid_.push_buckets(1, low_W, sum_W, high_W);
  }
  void push_means(std::span<const double> mean_W);  ///< of 100 ms, those of `push_seconds`
  bool keeps_tenths() const { return first_kept_level_ == 0; }
  /// Repetitions to steps and ramps alone, W.
  void push_steps(std::span<const double> pcc_W) {
    if (!whole_) step_.push(pcc_W), ramp_.push(pcc_W);
  }
  /// Steps and ramps pass over repetitions, of which they have seen `n_shown` bins.
  void skip(std::int64_t n_bin, std::size_t n_again, std::int64_t n_shown);
  /// Extremes within bins, W.
  void widen(double low_W, double high_W) { extremes_.widen(low_W, high_W); }
  /// Stores complete buckets. @return buckets of 100 ms since the last call, valid until the next one
  std::span<const grid::Bucket> keep();
  void end() { pyramid_.end(); }
  double max_W() const { return extremes_.max_W(); }  ///< so far
  double min_W() const { return extremes_.min_W(); }  ///< so far
  /// Largest |P(t + 1 s) − P(t)| so far. @param meters that cover the run
  double step_1s_W(const GridMeters& meters) const { return whole_ ? meters.load().step_1s_W() : step_.largest(); }
  std::vector<grid::Ramp> ramps(const GridMeters& meters) const;  ///< through 0.1, 1, 10, 60, 300 and 900 s
  /// Kept levels of the pyramid.
  void add_arrays(std::vector<NamedArray>& arrays) const;
  /// The ramps. @param meters that cover the run
  void add_ramps(const GridMeters& meters, std::vector<NamedArray>& arrays) const;
  template <class A>
  void archive(A& a) {
    a(step_, ramp_, slow_ramp_, pyramid_, extremes_, buckets_);
  }

 private:
  std::size_t first_kept_level_;
  bool whole_;
  grid::StepMeter step_{1000};
  grid::RampMeter ramp_{{100, 1000, 10000}};
  grid::RampMeter slow_ramp_{{600, 3000, 9000}, 0.1};  ///< over means of 100 ms
  grid::Pyramid pyramid_{{100, 1000, 10000, 60000}};
  grid::ExtremesMeter extremes_;
  std::vector<std::vector<grid::Bucket>> buckets_;
  std::vector<grid::Bucket> finest_;  ///< scratch: of the last call of `keep`
};

/// Power at the connection since the last look.
class SpanMeter {
 public:
  struct Span {
    double J = 0.0, load_J = 0.0;
    double mean_W = 0.0, load_mean_W = 0.0, min_W = 0.0, max_W = 0.0;
  };
  /// Energy through the connection in this number of bins, J.
  void add(const CompensatedSum& J, std::int64_t n_bin);
  void add(double J, std::int64_t n_bin);      ///< the same, J
  void add_load(double J) { load_J_.add(J); }  ///< into the nodes, J
  void widen(double low_W, double high_W);     ///< extremes of the connection
  Span take();
  template <class A>
  void archive(A& a) {
    a(J_, load_J_, n_bin_, min_W_, max_W_);
  }

 private:
  CompensatedSum J_, load_J_;
  std::int64_t n_bin_ = 0;
  double min_W_ = std::numeric_limits<double>::infinity(), max_W_ = -std::numeric_limits<double>::infinity();
};

/// All meters of the connection.
struct ConnectionMeters {
  GridMeters grid;
  PowerLevels levels;
  SpanMeter span;
  OrderMeter orders;
  WindowRecorder windows;
  SpectrumCollector spectrum;

  /// Bins from `first_bin` on. @param J their energy  @param widen the span's extremes are theirs
  void push(std::int64_t first_bin, const StreamChunk& chunk, const CompensatedSum& J, bool widen);
  /// Bins that only spectra see, W.
  void push_lines(std::span<const double> pcc_W);
  /// Bins that only steps, ramps, bands and cycles see, W.
  void push_swings(std::span<const double> pcc_W);
  void push_means();  ///< passes complete means to meters of means
  /// Seconds of a repeated load, which begin at `first_bin`, and their means of 100 ms. Complete means were passed before.
  void push_seconds(std::int64_t first_bin, std::span<const double> low_W, std::span<const double> sum_W,
                    std::span<const double> high_W, std::span<const double> mean_W);
  void end();  ///< of the run
  /// Windows, pyramid, spectrum and ramps as result arrays. Call once, after `end`.
  void add_arrays(std::vector<NamedArray>& arrays);
  template <class A>
  void archive(A& a) {
    auto& [rules, means, since, kept, recorded, lines] = *this;
    a(rules, means, since, kept, recorded, lines);
  }
};

}  // namespace TIDEWATT_NAMESPACE::connection
