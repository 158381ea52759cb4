#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tidewatt/base/error.hpp"
#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::workload {

/// Positions of nodes: rows of racks, nodes counted rack by rack and row by row. The last row may be shorter.
struct TIDEWATT_API FleetShape {
  std::int64_t n_node = 0;
  std::int64_t nodes_per_rack = 1;
  std::int64_t racks_per_row = 1;
  std::int64_t n_rack() const { return (n_node + nodes_per_rack - 1) / nodes_per_rack; }
  std::int64_t n_row() const { return (n_rack() + racks_per_row - 1) / racks_per_row; }
};

/// How one job is laid onto racks.
struct TIDEWATT_API PlacementParams {
  std::string style = "contiguous";       ///< contiguous | striped | list
  std::int64_t first_rack = -1;           ///< contiguous: where to begin; -1 = the first rack that is free
  std::vector<double> rows;               ///< only these rows (whole numbers from 0); empty = all
  std::vector<double> racks;              ///< list: these racks, in this order
  std::int64_t spare_nodes_per_rack = 0;  ///< the last ones of each rack stay free: spares of their scale-up domain

  void fields(FieldVisitor& v);
};

struct TIDEWATT_API PlacementRequest {
  std::string job;
  std::int64_t n_node = 0;
  PlacementParams how;
};

/// Nodes of every job in the order of its ranks.
struct TIDEWATT_API Placement {
  std::vector<std::vector<std::int64_t>> nodes;  ///< [job][place]
  std::vector<std::int64_t> job_of_node;         ///< [node], -1 = free
};

/// Lays jobs onto a fleet one after another; nodes never serve two jobs.
/// * contiguous: rack after rack from `first_rack` on (in the allowed rows); without one, the first free racks.
/// * striped: one rack of each allowed row in turn, so that rows are loaded equally.
/// * list: the racks as named.
/// A job takes whole racks, so each rack has one owner. Spare nodes of each rack and the rest of the last rack stay unused.
/// Findings list racks that do not exist, are named twice or belong to another job, and a lack of racks (wanted, free). With
/// findings there is no partial placement. Keys are `job.<name>.placement…`.
TIDEWATT_API Placement place(const FleetShape& fleet, const std::vector<PlacementRequest>& jobs,
                             std::vector<Finding>& findings);

}  // namespace TIDEWATT_NAMESPACE::workload
