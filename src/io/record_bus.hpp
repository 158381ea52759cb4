#pragma once
// Private to record_voltage: which channels are one bus, and whether the bus was whole before the fault.
#include "phase_name.hpp"
#include "record_voltage.hpp"

namespace TIDEWATT_NAMESPACE::io {

/// Channels whose names differ in their phase alone; where only one is left, also in digits (F5-VA, F6-VB, F7-VC).
/// @param names of the channels; a neutral is in no bus
std::vector<RecordBus> group_buses(const std::vector<RecordVoltage>& channels, const std::vector<PhaseName>& names);

/// Takes back references of phases that were not whole before the fault, and gives the bus the lowest of the others.
/// @param line_Hz the record's frequency, Hz
void finish_bus(RecordBus& bus, std::vector<RecordVoltage>& channels, const std::vector<PhaseName>& names,
                double line_Hz);

}  // namespace TIDEWATT_NAMESPACE::io
