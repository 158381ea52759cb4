#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tidewatt/grid/frequency.hpp"
#include "tidewatt/grid/metrics.hpp"
#include "tidewatt/grid/pyramid.hpp"
#include "tidewatt/grid/source.hpp"
#include "tidewatt/mitigation/site_battery.hpp"
#include "tidewatt/numerics/spectrum.hpp"
#include "tidewatt/power/feeder.hpp"
#include "tidewatt/sim/load_template.hpp"
#include "tidewatt/sim/result.hpp"

namespace tidewatt::sim {

/// From the nodes' load to the connection and the grid behind it, every repetition, on one clock of 1 ms bins.
///
/// Templates are kept until the macro step's cooling power is known, then repeated onto absolute bins (energy-exact) and
/// passed through feeder, battery, source impedance and frequency; meters, pyramids and recorded windows see all of it.
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
    std::vector<Window> windows;
  };
  SiteStream(const Params& params, double initial_load_W, double initial_auxiliary_W);

  /// The site's load from where the stream stands. @param iterating the job trains: candidates for the spectrum
  void append(LoadTemplate load, std::int64_t repetitions, bool iterating);
  /// Passes everything appended so far. @param auxiliary_W cooling power of the macro step
  void flush(double auxiliary_W);
  /// The last, incomplete bin.
  void finish();

  /// Connection power of the macro steps flushed since the last call: energy, mean and exact extremes.
  struct Span {
    double J = 0.0;  ///< over the whole 1 ms bins that the flush completed
    double mean_W = 0.0, min_W = 0.0, max_W = 0.0;
  };
  Span take_span();

  const power::FeederMeters& feeder_meters() const { return feeder_meters_; }
  const mitigation::SiteBatteryMeters& battery_meters() const { return battery_meters_; }
  double battery_stored_J() const;
  double connection_J() const { return connection_J_.value(); }
  double max_W() const { return extremes_.max_W(); }
  double min_W() const { return extremes_.min_W(); }
  double step_1s_W() const { return step_.largest(); }
  double ramp_up_W_per_s() const { return ramp_.ramps().front().up_W_per_s; }      ///< through 0.1 s
  double ramp_down_W_per_s() const { return ramp_.ramps().front().down_W_per_s; }
  double frequency_deviation_Hz() const;
  double voltage_deviation_pu() const;
  numerics::Spectrum spectrum() const;  ///< of the longest uninterrupted iterating interval
  void add_arrays(std::vector<Array>& arrays);

 private:
  struct Pending {
    LoadTemplate load;
    std::int64_t repetitions;
    bool iterating;
  };
  struct Recorded {
    Window window;
    std::vector<double> pcc_W, bus_pu, frequency_Hz;
    std::int64_t first_bin = -1;
  };
  void repeat(const LoadTemplate& load);
  void add_energy(Tick begin, Tick end, double J);
  void pass(bool iterating, bool last);
  void record(std::size_t n);
  void end_interval();

  power::Feeder feeder_;
  grid::Source source_;
  grid::Frequency frequency_;
  std::optional<mitigation::SiteBattery> battery_;
  double nominal_Hz_;
  grid::FrequencyState frequency_state_;
  grid::FrequencyMeters frequency_meters_;
  grid::VoltageMeters voltage_meters_;
  mitigation::SiteBatteryState battery_state_;
  mitigation::SiteBatteryMeters battery_meters_;
  double battery_start_J_ = 0.0;
  power::FeederMeters feeder_meters_;

  Tick now_ = 0;                 ///< end of what has been laid on bins
  std::int64_t first_bin_ = 0;   ///< absolute bin of bins_J_[0]
  std::vector<double> bins_J_;   ///< bins not yet passed; the last may be incomplete
  std::vector<Pending> pending_;
  double auxiliary_W_ = 0.0;
  double carried_J_ = 0.0;       ///< cooling energy of the incomplete last bin
  double initial_pu_ = 1.0;      ///< bus voltage before the run

  std::vector<double> load_W_, pcc_W_, pcc_var_, bus_pu_, deviation_Hz_;  // chunk scratch
  CompensatedSum connection_J_, span_J_;
  std::int64_t span_bins_ = 0;
  double span_min_W_, span_max_W_;
  grid::StepMeter step_{1000};
  grid::RampMeter ramp_{{100, 1000, 10000, 60000, 300000, 900000}};
  grid::Pyramid pyramid_{{10, 100, 1000, 10000, 60000}};
  grid::ExtremesMeter extremes_;
  std::vector<std::vector<grid::Bucket>> buckets_;
  numerics::Welch running_{std::size_t{1} << 16, 1000.0};
  std::int64_t running_bins_ = 0, best_bins_ = 0;
  numerics::Spectrum best_;
  std::vector<Recorded> recorded_;
};

}  // namespace tidewatt::sim
