#pragma once
#include <string>
#include <vector>

namespace tidewatt::validate {

/// A published run of a device, held against the model with the frozen efficiency and with one that the others chose.
struct LeftOutRow {
  std::string id;
  double expected_s = 0.0;
  double error_frac = 0.0;           ///< model ÷ published − 1 with the catalog's efficiency
  double others_choose_frac = 0.0;   ///< matrix efficiency that the other rows choose
  double left_out_error_frac = 0.0;  ///< model ÷ published − 1 with that
};

struct LeaveOneOut {
  std::string device;
  double frozen_frac = 0.0;  ///< matrix efficiency of the catalog
  double fitted_frac = 0.0;  ///< that all rows together would choose
  std::vector<LeftOutRow> rows;
};

/// Devices with published runs.
std::vector<std::string> devices_with_runs();

/// For each published iteration time of a device: the matrix efficiency ε that minimises Σ (ln t_model(ε)/t_published)²
/// over all other rows, and the error that the row then has. No row is fitted with its own answer.
/// @throws InputError for a device without runs
LeaveOneOut leave_one_out(const std::string& device);

}  // namespace tidewatt::validate
