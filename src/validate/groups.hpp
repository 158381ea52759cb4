#pragma once
#include "row.hpp"

namespace TIDEWATT_NAMESPACE::validate {

std::vector<Row> workload_rows(const Context&);      ///< W and F rows
std::vector<Row> reliability_rows(const Context&);   ///< F rows, part of `workload`
std::vector<Row> power_rows(const Context&);         ///< P rows
std::vector<Row> training_log_rows(const Context&);  ///< the period of P6, part of `power`
std::vector<Row> thermal_rows(const Context&);       ///< T rows
std::vector<Row> chips_rows(const Context&);         ///< clocks, leakage and fans of single chips and boards
std::vector<Row> diurnal_rows(const Context&);       ///< D rows
std::vector<Row> plant_rows(const Context&);         ///< C rows
std::vector<Row> grid_rows(const Context&);          ///< G rows
std::vector<Row> racks_rows(const Context&);         ///< R rows: published runs of 2024-2026 from their plans
std::vector<Row> evidence_rows(const Context&);      ///< E rows: published runs and levels that set nothing
std::vector<Row> delivery_rows(const Context&);      ///< G8–G11 and G14: part of the grid group

// What `workload_rows` joins.
std::vector<Row> workload_a100_rows();    ///< W1-W8
std::vector<Row> workload_llama_rows();   ///< W9-W12
std::vector<Row> workload_memory_rows();  ///< W13-W15

}  // namespace TIDEWATT_NAMESPACE::validate
