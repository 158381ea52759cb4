#pragma once
#include "tidewatt/validate/row.hpp"

namespace tidewatt::validate {

std::vector<Row> workload_rows(const Context&);  ///< W and F rows
std::vector<Row> reliability_rows(const Context&);  ///< F rows, part of `workload`
std::vector<Row> power_rows(const Context&);     ///< P rows
std::vector<Row> training_log_rows(const Context&);  ///< P5 and the period of P6, part of `power`
std::vector<Row> thermal_rows(const Context&);   ///< T rows
std::vector<Row> diurnal_rows(const Context&);   ///< D rows
std::vector<Row> plant_rows(const Context&);     ///< C rows
std::vector<Row> grid_rows(const Context&);      ///< G rows

}  // namespace tidewatt::validate
