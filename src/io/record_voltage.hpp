#pragma once
#include <limits>
#include <string>
#include <vector>

#include "read_comtrade.hpp"

namespace TIDEWATT_NAMESPACE::io {

/// A voltage channel of a record, in pu of its own value before the fault.
struct RecordVoltage {
  std::string name;
  std::string why_not;  ///< why it is not judged; empty: it is
  /// It has an alternating voltage at some time, or values in pu. One without (dc, noise, a neutral) says nothing of a sag.
  bool live = false;
  bool as_written = false;                                      ///< in pu without a reference of its own
  double reference = std::numeric_limits<double>::quiet_NaN();  ///< rms before the fault, in `unit`; 1 for values in pu
  std::string unit, method;                                     ///< how reference and pu were found, in words
  std::vector<double> v_pu;  ///< each 1 ms from the first sample on, [ms]; empty: not judged
};

/// Channels of one bus: positions in `RecordVoltages::channels`, and the lowest of those that are judged.
struct RecordBus {
  std::vector<std::size_t> channels;
  std::vector<double> v_pu;  ///< [ms]; empty: none is judged
};

struct RecordVoltages {
  std::vector<RecordVoltage> channels;  ///< in the record's order
  std::vector<RecordBus> buses;
};

/// Every voltage of a record, grouped per bus: channels in V, kV, MV, mV or pu, or without a unit and with a voltage's name. Names that
/// differ in their phase alone are one bus. A wave's value is its rms over the last cycle, over the mean of its first two cycles; a
/// channel of rms values or magnitudes (by its name) is taken over the same mean, one in pu as it is. A channel is judged if its first
/// two cycles are an even voltage of the line frequency, within 25 % of what it returns to and not below 0.8 of the bus's other phases.
/// @param only name or number (from 1) of the one channel to take; empty: all  @throws InputError if there is no such channel, or it is
/// no voltage
RecordVoltages voltages_of(const ComtradeRecord& record, const std::string& only = {});

}  // namespace TIDEWATT_NAMESPACE::io
