#pragma once
#include <vector>

#include "row.hpp"

namespace TIDEWATT_NAMESPACE::validate {

std::vector<Row> site_waveform_rows(const Context&);  ///< G1, G2, G12
std::vector<Row> flicker_rows(const Context&);        ///< G3
std::vector<Row> kundur_rows(const Context&);         ///< G4
std::vector<Row> new_england_rows(const Context&);    ///< G13, G15
std::vector<Row> simulator_rows(const Context&);      ///< G16
std::vector<Row> frequency_rows(const Context&);      ///< G5, G6
std::vector<Row> ride_through_rows(const Context&);   ///< G7
std::vector<Row> event_rows(const Context&);          ///< V1 to V12

}  // namespace TIDEWATT_NAMESPACE::validate
