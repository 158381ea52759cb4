#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "grid/pyramid.hpp"
#include "tidewatt/base/named_array.hpp"
#include "tidewatt/grid/compliance.hpp"
#include "waveform_meters.hpp"

namespace TIDEWATT_NAMESPACE::connection {

/// Every figure of a load that utilities' rules use, measured on the 1 ms waveform in constant memory. `LoadMeters` measure the
/// power, `BusMeters` voltage and frequency. `repeat` adds repetitions, see grid/metrics.hpp.
class GridMeters {
 public:
  /// Meters for the figures of every result and those of the rules. @throws InputError as the meters
  explicit GridMeters(const GridMeterParams& params)
      : p_(params), state_{false, 0, LoadMeters(params), BusMeters(params)} {}

  /// Bins from `first_bin` on; those outside the measured part are ignored.
  void push(std::int64_t first_bin, std::span<const double> pcc_W, std::span<const double> bus_pu,
            std::span<const double> deviation_Hz);
  void push_means(std::span<const grid::Bucket> finest);                    ///< buckets of 100 ms
  void push_means(std::int64_t first_bin, std::span<const double> mean_W);  ///< of 100 ms, one behind the other

  /// Sums of the meters at one time, to be subtracted later.
  struct Mark {
    std::int64_t next_bin = 0;
    LoadMeters::Mark load;
    BusMeters::Mark bus;
  };
  std::int64_t from_bin() const { return p_.from_bin; }  ///< first that they see
  Mark mark() const;
  /// What was added since a mark; empty if nothing was measured or a window ended meanwhile.
  struct Share {
    std::int64_t n_bin = 0;
    LoadMeters::Share load;
    BusMeters::Share bus;
    /// Whether voltage and frequency were within their limits.
    bool calm() const { return n_bin > 0 && bus.voltage.calm() && bus.frequency.calm(); }
    /// Of a load that stays constant: the same without the end of an earlier change in the bands.
    Share at_rest() const;
    template <class A>
    void archive(A& a) {
      auto& [bins, power, voltage] = *this;
      a(bins, power, voltage);
    }
  };
  /// Contribution of the bins since the mark.
  Share since(const Mark& mark) const;
  /// Whether voltage and frequency are within their limits.
  bool calm() const { return !state_.bus.voltage().outside() && !state_.bus.frequency().outside(); }
  /// Whether `n_bin` bins from `first_bin` on may be added as repetitions of a share.
  bool can_repeat(const Share& share, std::int64_t first_bin, std::int64_t n_bin) const;
  /// Counts `n_bin` bins as repetitions. @param energy_J their energy  @param n_shown of them, see push_swings
  void repeat(const Share& share, std::int64_t n_bin, double energy_J, std::size_t n_again, std::int64_t n_shown = 0);
  /// Bins that will be counted as repetitions, for steps, ramps, bands and cycles alone, W.
  void push_swings(std::span<const double> pcc_W);
  /// Bins that will be counted as repetitions, for the lines alone, W; and that further ones are not shown to them.
  void push_lines(std::span<const double> pcc_W);
  void gap_lines();  ///< see push_lines

  /// @param load_lost_W that left the grid in a disturbance; NaN: there was none
  grid::WaveformFigures figures(double load_lost_W, std::int64_t load_lost_bin) const;
  /// Verdicts of all rule sets on those figures.
  std::vector<grid::ComplianceReport> reports(double load_lost_W, std::int64_t load_lost_bin) const;
  const GridMeterParams& params() const { return p_; }
  const LoadMeters& load() const { return state_.load; }
  const BusMeters& bus() const { return state_.bus; }
  /// Ramps, bands, cycles, flicker and compliance as result arrays.
  void add_arrays(std::vector<NamedArray>& arrays) const;

  struct State {
    bool begun = false;
    std::int64_t next_bin = 0;
    LoadMeters load;
    BusMeters bus;
    template <class A>
    void archive(A& a) {
      auto& [started, next, power, voltage] = *this;
      a(started, next, power, voltage);
    }
  };
  template <class A>
  void archive(A& a) {
    a(state_);
  }

 private:
  GridMeterParams p_;
  State state_;
};

}  // namespace TIDEWATT_NAMESPACE::connection
