#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "tidewatt/grid/bands.hpp"
#include "tidewatt/grid/compliance.hpp"
#include "tidewatt/grid/excursions.hpp"
#include "tidewatt/grid/flicker.hpp"
#include "tidewatt/grid/metrics.hpp"
#include "tidewatt/grid/pyramid.hpp"
#include "tidewatt/grid/rainflow.hpp"
#include "tidewatt/numerics/spectrum.hpp"
#include "tidewatt/sim/result.hpp"

namespace tidewatt::sim {

/// What is measured at the connection, over which part of the run.
struct GridMeterParams {
  double nominal_Hz = 60.0;
  double class_W = 1e5;         ///< width of a rainflow class
  std::int64_t from_bin = 0;    ///< meters begin here
  std::int64_t until_bin = std::numeric_limits<std::int64_t>::max();
  std::vector<grid::RuleSet> rules;  ///< their windows and bands are measured beside the standard ones
  double spread_frac = 0.0;     ///< of every figure: half width of what the model does not know
};

/// Every figure that a utility asks of a load, on the unsampled 1 ms waveform, in constant memory.
///
/// Ramps through 0.1, 1, 10 s (at every bin) and 60, 300, 900 s (at every 100 ms); steps; extremes; energy in the bands
/// 0.1–1, 1–2.5, 2.5–7, 7–60 Hz; rainflow cycles; flicker for both lamp systems; stays of voltage outside ± 5 % and of
/// frequency outside ± 36 mHz (a usual governor dead band); lines, from the first ten minutes that are seen bin by bin:
///
///     share of the largest line in a band = max A_k/(½ Σ A_k)      (the Hann window shows a line in three bins, 2 A in sum)
///
/// Repetitions are booked by `repeat`, see grid/repeat.hpp.
class GridMeters {
 public:
  /// Meters for the figures that every result carries and those that the rules ask for. @throws InputError as the meters
  explicit GridMeters(const GridMeterParams& params);

  /// Bins from `first_bin` on; what lies outside the measured part is left out.
  void push(std::int64_t first_bin, std::span<const double> pcc_W, std::span<const double> bus_pu, std::span<const double> deviation_Hz);
  void push_means(std::span<const grid::Bucket> finest);  ///< buckets of 100 ms

  /// Where the meters stand, ahead of a whole number of periods.
  struct Mark {
    std::int64_t next_bin = 0;
    grid::BandMeter::Snapshot bands;
    grid::Rainflow::Snapshot cycles;
    grid::Flickermeter::Snapshot flicker[2];
    grid::ExcursionMeter::Snapshot voltage, frequency;
  };
  Mark mark() const;
  /// What was added since a mark; empty if nothing was measured or a window ended meanwhile.
  struct Share {
    std::int64_t n_bin = 0;
    grid::BandMeter::Share bands;
    grid::Rainflow::Share cycles;
    grid::Flickermeter::Share flicker[2];
    grid::ExcursionMeter::Share voltage, frequency;
    template <class A>
    void archive(A& a) {
      a(n_bin, bands, cycles, flicker[0], flicker[1], voltage, frequency);
    }
  };
  /// What the bins since the mark added.
  Share since(const Mark& mark) const;
  /// Whether `n_bin` bins from `first_bin` on may be booked as repetitions of a share.
  bool can_repeat(const Share& share, std::int64_t first_bin, std::int64_t n_bin) const;
  /// Counts `n_bin` bins as repetitions. @param energy_J their energy
  void repeat(const Share& share, std::int64_t n_bin, double energy_J);

  /// @param load_lost_W that left the grid in a disturbance; NaN: there was none
  grid::WaveformFigures figures(double load_lost_W, std::int64_t load_lost_bin) const;
  /// Verdicts of all rule sets on those figures.
  std::vector<grid::ComplianceReport> reports(double load_lost_W, std::int64_t load_lost_bin) const;
  const GridMeterParams& params() const { return p_; }
  const grid::Flickermeter& flicker(std::size_t lamp) const { return flicker_[lamp]; }  ///< 0: 120 V 60 Hz, 1: 230 V 50 Hz
  std::vector<grid::Band> bands() const { return bands_.bands(); }
  std::vector<grid::Ramp> ramps() const;
  /// Largest |P(t + 1 s) − P(t)| so far, W.
  double step_1s_W() const { return steps_.front().largest(); }
  std::vector<grid::RainflowClass> cycles() const { return cycles_.cycles(); }
  const grid::ExcursionMeter& voltage() const { return voltage_; }
  const grid::ExcursionMeter& frequency() const { return frequency_; }
  /// Ramps, bands, cycles, flicker and compliance as result arrays.
  void add_arrays(std::vector<Array>& arrays) const;
  template <class A>
  void archive(A& a) {
    a(begun_, next_bin_, bands_, cycles_, flicker_[0], flicker_[1], voltage_, frequency_, extremes_, ramp_, slow_ramp_);
    for (auto& s : steps_) a(s);
    a(welch_, welch_bins_, low_pu_, high_pu_, low_bin_, high_bin_, low_Hz_, high_Hz_, low_Hz_bin_, high_Hz_bin_);
  }

 private:
  grid::BandFigures band_figures(double low_Hz, double high_Hz, const numerics::Spectrum& spectrum) const;
  GridMeterParams p_;
  bool begun_ = false;
  std::int64_t next_bin_ = 0;
  std::vector<std::pair<double, double>> line_bands_;
  grid::BandMeter bands_;
  grid::Rainflow cycles_;
  grid::Flickermeter flicker_[2];
  grid::ExcursionMeter voltage_{0.95, 1.05}, frequency_{-0.036, 0.036};
  grid::ExtremesMeter extremes_;
  grid::RampMeter ramp_, slow_ramp_;
  std::vector<grid::StepMeter> steps_;
  std::vector<std::int64_t> step_windows_;
  numerics::Welch welch_{std::size_t{1} << 16, 1000.0};
  std::int64_t welch_bins_ = 0;
  double low_pu_ = 1e300, high_pu_ = -1e300, low_Hz_ = 1e300, high_Hz_ = -1e300;  // frequency as deviation
  std::int64_t low_bin_ = -1, high_bin_ = -1, low_Hz_bin_ = -1, high_Hz_bin_ = -1;
};

}  // namespace tidewatt::sim
