#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grid/ride_verdict.hpp"
#include "io/record_voltage.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// One bus of a record and what the site did along its lowest voltage.
struct RideRecordBus {
  std::vector<std::size_t> channels;  ///< those that are judged, of `RideRecord::channels`
  std::size_t channel = 0;            ///< the one with the lowest voltage
  double lowest_pu = 1.0, below_s = 0.0;
  grid::RideRecordAnswer answer;
};

/// A measured voltage, judged by the rule's times along it, bus by bus.
struct RideRecord {
  std::string file;
  std::vector<io::RecordVoltage> channels;
  std::vector<RideRecordBus> buses;
  std::optional<std::size_t>
      decides;  ///< the bus with the worst verdict, of several the lowest one; none if none is judged
  grid::RideRecordAnswer answer;
  std::vector<std::string> notes;
};

/// Reads a COMTRADE record and judges every voltage in it. It fails if one bus fails. It is not judged if a phase without a reference
/// has a voltage at some time, or if no channel has a reference.
/// @param file .cfg or .cff  @param channel name or number of the one channel to judge; empty: all
/// @throws InputError for a record that cannot be read or has no voltage, and for an unknown channel
RideRecord ride_record(const std::string& file, const std::string& channel, const grid::RideRule& rule,
                       std::span<const grid::LoadGroup> groups);
nlohmann::ordered_json ride_record_json(const RideRecord& record);
std::string ride_record_text(const RideRecord& record);

}  // namespace TIDEWATT_NAMESPACE::study
