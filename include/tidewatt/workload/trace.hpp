#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidewatt/base/tick.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::workload {

/// A series as recorded: constant between samples and never resampled, so it keeps all peaks and energy. All channels have the
/// same sample times. Values are watts (power) or a share (activity).
struct TIDEWATT_API Trace {
  /// Figures of a stretch of the series: integral (J, or activity × s), mean, smallest and largest value.
  struct Summary {
    double integral = 0.0;
    double mean = 0.0;
    double min = 0.0, max = 0.0;
  };
  struct Gap {
    Tick begin = 0, end = 0;
  };

  bool is_power = true;
  std::int64_t origin_unix_ns = 0;         ///< instant of tick 0; 0 for times that are not of a calendar
  std::vector<std::string> names;          ///< [channel]
  std::vector<Tick> edges;                 ///< [segment + 1], rising from 0
  std::vector<std::vector<double>> value;  ///< [channel][segment]
  std::vector<Gap> gaps;                   ///< segments longer than the format's `gap_s`

  std::size_t n_channel() const { return value.size(); }
  std::size_t n_segment() const { return edges.empty() ? 0 : edges.size() - 1; }
  Tick length() const { return edges.empty() ? 0 : edges.back(); }
  /// The segment that contains the time, 0 ≤ at < length. @throws InputError outside
  std::size_t segment_at(Tick at) const;
  /// Exact ∫, mean, least and largest over [begin, end). @throws InputError unless 0 ≤ begin < end ≤ length
  Summary over(std::size_t channel, Tick begin, Tick end) const;
  /// Sum of all channels as a trace of one channel.
  Trace total(std::string name = "total") const;
};

}  // namespace TIDEWATT_NAMESPACE::workload
