#pragma once
#include "row.hpp"
#include "tidewatt/cooling/hydronic_plant.hpp"

namespace TIDEWATT_NAMESPACE::validate {

std::vector<Row> plant_reference_rows(const Context&);  ///< C4
std::vector<Row> plant_frontier_rows(const Context&);   ///< C1, C3
std::vector<Row> plant_air_rows(const Context&);        ///< C6
std::vector<Row> plant_flow_rows(const Context&);       ///< C2, C5

cooling::HydronicParams catalog_hydronic(const char* name);

}  // namespace TIDEWATT_NAMESPACE::validate
