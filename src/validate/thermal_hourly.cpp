#include <fmt/format.h>

#include <cmath>

#include "row_term.hpp"
#include "silicon.hpp"
#include "study/fit_fan_loop.hpp"
#include "study/fit_telemetry.hpp"
#include "thermal_step.hpp"

namespace TIDEWATT_NAMESPACE::validate {

void hourly_rows(const Context& context, std::vector<Row>& rows) {
  const char* what = "hourly H100 in a conditioned room: fan loop fitted on 2024, temperatures of 2025";
  const char* source = "charlottegressel/dc_workload_pipeline";
  const auto file = context.data / "gpu_temperature_hourly" / "h100_hourly.tsv";
  if (!std::filesystem::exists(file))
    return rows.push_back(skipped("fit/temperature", what, source, "no gpu_temperature_hourly"));
  const auto table = study::read_table(file);
  std::vector<study::RestSample> fitted, other;
  const double split_s = study::cell_time_s("2025-01-01 00:00:00");
  int n = 0;
  for (const auto& row : table.rows) {
    const double at_s = study::cell_time_s(row[1]);
    const study::RestSample s{study::cell_number(row[2]), study::cell_number(row[3]), study::cell_number(row[4]),
                              study::cell_number(row[5]) + zero_degC_K};
    if (!std::isfinite(s.mean_W) || !std::isfinite(s.die_K)) continue;
    if (at_s >= split_s)
      other.push_back(s);
    else if (++n % 8 == 0)  // every eighth hour says the same
      fitted.push_back(s);
  }
  auto fit = study::fit_fan_loop(fitted);
  fit.loop.fixed_K_per_W = term("fit/temperature.fixed_K_per_W", fit.loop.fixed_K_per_W);
  double sum = 0.0, bias = 0.0;
  for (const auto& s : other) {
    const double error = study::rest_die_K(fit.loop, s) - s.die_K;
    sum += error * error, bias += error;
  }
  const auto count = static_cast<double>(other.size());
  rows.push_back(within(
      "fit/temperature", what, "K rms", 0.0, 2.0, std::sqrt(sum / count), 0.0, source,
      fmt::format(
          "{:.2f} K rms on the fitted year, mean error {:+.2f} K on the other; air {:.1f} degC, {:.4f} + {:.4f} K/W",
          fit.fit.rms, bias / count, fit.loop.air_K - zero_degC_K, fit.loop.fixed_K_per_W, fit.loop.sink_K_per_W)));
}

}  // namespace TIDEWATT_NAMESPACE::validate
