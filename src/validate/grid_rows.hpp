#pragma once
#include <vector>

#include "row.hpp"

namespace TIDEWATT_NAMESPACE::validate {

std::vector<Row> site_waveform_rows();            ///< G1, G2, G12
std::vector<Row> flicker_rows(const Context&);    ///< G3
std::vector<Row> machine_rows();                  ///< G4, G13, G15
std::vector<Row> simulator_rows(const Context&);  ///< G16
std::vector<Row> frequency_rows();                ///< G5, G6
std::vector<Row> ride_through_rows();             ///< G7
std::vector<Row> event_rows();                    ///< V1 to V12

}  // namespace TIDEWATT_NAMESPACE::validate
