#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "grid/excursions.hpp"
#include "grid/flicker.hpp"
#include "grid/rainflow.hpp"
#include "numerics/spectrum.hpp"
#include "tidewatt/base/named_array.hpp"
#include "tidewatt/grid/bands.hpp"
#include "tidewatt/grid/compliance.hpp"
#include "tidewatt/grid/metrics.hpp"

/// Meters of the 1 ms waveform at the connection; connection/grid_meters.hpp shows them the run.
namespace TIDEWATT_NAMESPACE::connection {

/// What is measured at the connection, over which part of the run.
struct GridMeterParams {
  double nominal_Hz = 60.0;
  double class_W = 1e5;       ///< width of a rainflow class
  std::int64_t from_bin = 0;  ///< meters begin here
  std::int64_t until_bin = std::numeric_limits<std::int64_t>::max();
  std::vector<grid::RuleSet> rules;  ///< their windows and bands are measured beside the standard ones
  double spread_frac = 0.0;          ///< of every figure: half width of the model's uncertainty
};

/// A figure, in any unit, with the bin where it occurs (−1: none). Its spread is a share of its value, `spread_frac`.
grid::Figure figure_of(double value, std::int64_t bin, double spread_frac);

/// Lowest and highest pushed value, and their bins.
class RangeMeter {
 public:
  void push(std::int64_t first_bin, std::span<const double> x);  ///< bins from `first_bin` on, [bin], any unit
  double low() const { return state_.low; }    ///< unit of the pushed values; 1e300 before the first value
  double high() const { return state_.high; }  ///< unit of the pushed values; −1e300 before the first value
  std::int64_t low_bin() const { return state_.low_bin; }
  std::int64_t high_bin() const { return state_.high_bin; }

  struct State {
    double low = 1e300, high = -1e300;
    std::int64_t low_bin = -1, high_bin = -1;
    template <class A>
    void archive(A& a) {
      auto& [least, most, least_bin, most_bin] = *this;
      a(least, most, least_bin, most_bin);
    }
  };
  template <class A>
  void archive(A& a) {
    a(state_);
  }

 private:
  State state_;
};

/// Of the power: ramps through 0.1, 1, 10 s (at every bin) and 60, 300, 900 s (at every 100 ms); steps; extremes; energy in the
/// bands 0.1–1, 1–2.5, 2.5–7, 7–60 Hz; rainflow cycles; for rules that ask, lines, from the first ten minutes that they see bin
/// by bin:
///
///     share of the largest line in a band = max A_k/(½ Σ A_k)      (the Hann window shows a line in three bins, 2 A in sum)
///
/// and the windows of the rules.
class LoadMeters {
 public:
  explicit LoadMeters(const GridMeterParams& params);  ///< @throws InputError as the meters
  /// Measuring begins. @param first_W mean of the first bin
  void begin(std::int64_t bin, double first_W);
  void push(std::span<const double> pcc_W);         ///< the coming bins
  void push_swings(std::span<const double> pcc_W);  ///< to steps, ramps, bands and cycles alone, W
  void push_lines(std::span<const double> pcc_W);   ///< to the lines alone, W
  void gap_lines();                                 ///< the next bin does not follow the last one
  void push_means(std::span<const double> mean_W) { state_.slow_ramp.push(mean_W); }  ///< of 100 ms

  struct Mark {
    grid::BandMeter::Snapshot bands;
    grid::Rainflow::Snapshot cycles;
  };
  struct Share {
    grid::BandMeter::Share bands;
    grid::Rainflow::Share cycles;
    template <class A>
    void archive(A& a) {
      auto& [energies, classes] = *this;
      a(energies, classes);
    }
  };
  Mark mark() const { return {state_.bands.snapshot(), state_.cycles.snapshot()}; }
  /// What was added since a mark.
  Share since(const Mark& mark) const { return {state_.bands.since(mark.bands), state_.cycles.since(mark.cycles)}; }
  /// Adds repetitions of a share. @param energy_J of the repeated bins  @param n_again see grid/metrics.hpp
  /// @param n_shown bins of them, whole periods, that `push_swings` was shown
  void repeat(const Share& share, std::int64_t n_bin, double energy_J, std::size_t n_again, std::int64_t n_shown = 0);

  std::vector<grid::Band> bands() const { return state_.bands.bands(); }
  std::vector<grid::RainflowClass> cycles() const { return state_.cycles.cycles(); }
  std::vector<grid::Ramp> ramps() const;
  double step_1s_W() const { return state_.steps.front().largest(); }  ///< largest |P(t + 1 s) − P(t)| so far
  /// Peak, mean, range, ramps, steps and bands.
  void add_figures(grid::WaveformFigures& figures) const;
  /// Ramps, bands and cycles.
  void add_arrays(std::vector<NamedArray>& arrays) const;

  struct State {
    grid::BandMeter bands;
    grid::Rainflow cycles;
    grid::ExtremesMeter extremes;
    grid::RampMeter ramp, slow_ramp;
    std::vector<grid::StepMeter> steps;
    std::optional<numerics::Welch> lines;  ///< where a rule asks for them
    std::int64_t line_bins = 0;
    template <class A>
    void archive(A& a) {
      auto& [energies, rainflow, most, quick, slow, distances, spectrum, seen] = *this;
      a(energies, rainflow, most, quick, slow, seen);
      if (spectrum) a(*spectrum);
      for (auto& s : distances) a(s);  // as many as the rules have
    }
  };
  template <class A>
  void archive(A& a) {
    a(state_);
  }

 private:
  grid::BandFigures band_figures(double low_Hz, double high_Hz, const numerics::Spectrum& spectrum) const;
  double spread_frac_;
  std::vector<std::int64_t> step_bins_;                ///< distances of the steps
  std::vector<std::pair<double, double>> line_bands_;  ///< in which the largest line's share is measured
  State state_;
};

/// Meters of voltage and frequency: flicker for both lamp systems, extremes, and the time of voltage outside ± 5 % and of frequency
/// outside ± 36 mHz (a usual governor dead band).
class BusMeters {
 public:
  /// Nothing is measured yet.
  explicit BusMeters(const GridMeterParams& params)
      : spread_frac_(params.spread_frac), nominal_Hz_(params.nominal_Hz) {}
  /// Measuring begins. @param first_pu voltage of the first bin
  void begin(std::int64_t bin, double first_pu);
  /// Bins from `first_bin` on.
  void push(std::int64_t first_bin, std::span<const double> bus_pu, std::span<const double> deviation_Hz);

  struct Mark {
    grid::Flickermeter::Snapshot flicker[2];
    grid::ExcursionMeter::Snapshot voltage, frequency;
  };
  struct Share {
    grid::Flickermeter::Share flicker[2];
    grid::ExcursionMeter::Share voltage, frequency;
    template <class A>
    void archive(A& a) {
      auto& [lamps, below_above, slow_fast] = *this;
      a(lamps, below_above, slow_fast);
    }
  };
  Mark mark() const;
  Share since(const Mark& mark) const;  ///< contribution since a mark
  bool same_window(const Mark& mark) const { return state_.flicker[0].same_window(mark.flicker[0]); }  ///< of flicker
  void repeat(const Share& share, std::int64_t n_bin);  ///< adds repetitions of a share

  /// 0: 120 V 60 Hz, 1: 230 V 50 Hz.
  const grid::Flickermeter& flicker(std::size_t lamp) const { return state_.flicker[lamp]; }
  const grid::ExcursionMeter& voltage() const { return state_.voltage; }
  const grid::ExcursionMeter& frequency() const { return state_.frequency; }
  /// Flicker, and extremes of voltage and frequency.
  void add_figures(grid::WaveformFigures& figures) const;
  /// Flicker.
  void add_arrays(std::vector<NamedArray>& arrays) const;

  struct State {
    grid::Flickermeter flicker[2]{grid::Flickermeter(grid::FlickerLamp::v120_60Hz),
                                  grid::Flickermeter(grid::FlickerLamp::v230_50Hz)};
    grid::ExcursionMeter voltage{0.95, 1.05}, frequency{-0.036, 0.036};
    RangeMeter voltage_pu, deviation_Hz;
    template <class A>
    void archive(A& a) {
      auto& [lamps, below_above, slow_fast, volts, hertz] = *this;
      a(lamps, below_above, slow_fast, volts, hertz);
    }
  };
  template <class A>
  void archive(A& a) {
    a(state_);
  }

 private:
  double spread_frac_, nominal_Hz_;
  State state_;
};

}  // namespace TIDEWATT_NAMESPACE::connection
