#include "leave_one_out.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tidewatt/base/error.hpp"
#include "training_runs.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

/// Iteration time over matrix efficiency on a fixed grid: smooth, so straight lines in (ε, ln t) between points suffice.
constexpr std::size_t n_grid = 15;
constexpr double grid_low = 0.50, grid_step = 0.03;

using LogErrors = std::array<double, n_grid>;  ///< ln(model ÷ published) on the grid

double at(const LogErrors& row, double efficiency) {
  const double x = (efficiency - grid_low) / grid_step;
  const auto i = static_cast<std::size_t>(std::clamp(x, 0.0, static_cast<double>(n_grid - 2)));
  const double u = x - static_cast<double>(i);
  return (1.0 - u) * row[i] + u * row[i + 1];
}

/// Least squares over all rows but one, by thirds: the sum is convex where every row falls with ε.
double fitted(const std::vector<LogErrors>& rows, std::size_t left_out) {
  const auto cost = [&](double efficiency) {
    double sum = 0.0;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (i != left_out) sum += at(rows[i], efficiency) * at(rows[i], efficiency);
    return sum;
  };
  double low = grid_low, high = grid_low + grid_step * static_cast<double>(n_grid - 1);
  while (high - low > 1e-7) {
    const double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
    (cost(a) <= cost(b) ? high : low) = cost(a) <= cost(b) ? b : a;
  }
  return 0.5 * (low + high);
}

}  // namespace

std::vector<std::string> devices_with_runs() {
  std::vector<std::string> out;
  for (const TrainingRun& run : training_runs())
    if (std::find(out.begin(), out.end(), run.device) == out.end()) out.push_back(run.device);
  return out;
}

LeaveOneOut leave_one_out(const std::string& device) {
  LeaveOneOut table;
  table.device = device;
  std::vector<LogErrors> rows;
  for (const TrainingRun& run : training_runs()) {
    if (run.device != device) continue;
    LogErrors row;
    for (std::size_t g = 0; g < n_grid; ++g)
      row[g] = std::log(iteration_s(run, grid_low + grid_step * static_cast<double>(g)) / run.expected_s);
    rows.push_back(row);
    table.rows.push_back({run.id, run.expected_s, iteration_s(run) / run.expected_s - 1.0, 0.0, 0.0});
  }
  if (rows.empty())
    throw InputError(
        fmt::format("no published runs on '{}'; there are: {}", device, fmt::join(devices_with_runs(), ", ")));
  table.frozen_frac = compute_entry(device).matrix_efficiency_frac;
  table.fitted_frac = fitted(rows, rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    table.rows[i].others_choose_frac = rows.size() > 1 ? fitted(rows, i) : table.frozen_frac;
    table.rows[i].left_out_error_frac = std::exp(at(rows[i], table.rows[i].others_choose_frac)) - 1.0;
  }
  return table;
}

}  // namespace TIDEWATT_NAMESPACE::validate
