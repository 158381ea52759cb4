#pragma once
#include "row.hpp"

namespace TIDEWATT_NAMESPACE::validate {

std::vector<Row> reliability_rows(const Context&);        ///< F rows
std::vector<Row> power_rows(const Context&);              ///< P rows
std::vector<Row> training_log_rows(const Context&);       ///< the period of P6, part of `power`
std::vector<Row> thermal_rows(const Context&);            ///< T rows
std::vector<Row> chips_rows(const Context&);              ///< clocks, leakage and fans of single chips and boards
std::vector<Row> racks_rows(const Context&);              ///< R rows: published runs of 2024-2026 from their plans
std::vector<Row> reference_rows(const Context&);          ///< X rows but X5: independent packages
std::vector<Row> reference_network_rows(const Context&);  ///< X5
std::vector<Row> delivery_rows(const Context&);           ///< G8–G11 and G14: part of the grid group

std::vector<Row> evidence_training_rows(const Context&);  ///< E1: published runs that set nothing
std::vector<Row> evidence_level_rows(const Context&);     ///< E2 to E5: published levels that set nothing
std::vector<Row> product_fit_rows(const Context&);        ///< brief products, which set what a product alone reaches
std::vector<Row> evidence_kernel_rows(const Context&);    ///< E6 and services of E3: kernels and collectives

std::vector<Row> workload_a100_rows(const Context&);    ///< W1-W8
std::vector<Row> workload_llama_rows(const Context&);   ///< W9-W12
std::vector<Row> workload_memory_rows(const Context&);  ///< W13-W15

}  // namespace TIDEWATT_NAMESPACE::validate
