#pragma once
#include <string>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// A published run of a device against the model with the frozen efficiency and with one fitted to the other runs.
struct LeftOutRow {
  std::string id;
  double expected_s = 0.0;
  double error_frac = 0.0;           ///< model ÷ published − 1 with the catalog's efficiency
  double others_choose_frac = 0.0;   ///< matrix efficiency fitted to the other rows
  double left_out_error_frac = 0.0;  ///< model ÷ published − 1 with that
};

struct LeaveOneOut {
  std::string device;
  double frozen_frac = 0.0;  ///< matrix efficiency of the catalog
  double fitted_frac = 0.0;  ///< fitted to all rows together
  std::vector<LeftOutRow> rows;
};

/// Devices with published runs.
std::vector<std::string> devices_with_runs();

/// For each published iteration time of a device: the matrix efficiency ε that minimises Σ (ln t_model(ε)/t_published)²
/// over all other rows, and the error that the row then has. No row is fitted with its own answer.
/// @throws InputError for a device without runs
LeaveOneOut leave_one_out(const std::string& device);

}  // namespace TIDEWATT_NAMESPACE::validate
