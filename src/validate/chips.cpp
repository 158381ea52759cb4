#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>

#include "catalog_in_use.hpp"
#include "chips_groups.hpp"
#include "groups.hpp"
#include "row_term.hpp"
#include "silicon.hpp"
#include "study/fit_telemetry.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/thermal/fan_controller.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

/// One locked clock of the water-cooled K20: watts of the board, +- 1 W, against the die.
struct LockedSweep {
  double clock_Hz;
  std::array<double, 12> degC, W;
};
constexpr std::array<double, 12> even_degC = {32, 37, 42, 47, 52, 57, 62, 67, 72, 77, 82, 87};
constexpr LockedSweep low{
    705e6, even_degC, {151.3, 151.9, 152.7, 153.5, 154.4, 155.3, 156.4, 157.7, 159.3, 161.0, 163.3, 165.7}},
    middle{805e6,
           {31, 36, 42, 47, 52, 57, 62, 67, 72, 77, 82, 85},
           {165.0, 165.5, 166.3, 167.3, 168.1, 169.1, 170.2, 171.6, 173.3, 175.2, 177.5, 178.8}},
    high{905e6, even_degC, {178.8, 179.5, 180.4, 181.4, 182.1, 183.3, 184.6, 185.8, 187.4, 189.6, 192.0, 194.4}};

/// P = board + dynamic f/f_ref + leakage e^{k (T − 60 °C)} by least squares over the lowest and the highest clock, for one k.
struct LockedFit {
  double board_W, dynamic_W, leakage_W, square_W2;
};
LockedFit fit_locked(double per_K) {
  double n = 0.0, x1 = 0.0, xx = 0.0, y[2] = {}, xy = 0.0, x[2] = {}, square = 0.0;
  const std::array sweeps = {low, high};
  for (std::size_t s = 0; s < 2; ++s)
    for (std::size_t i = 0; i < 12; ++i) {
      const double e = std::exp(per_K * (sweeps[s].degC[i] - 60.0)), W = sweeps[s].W[i];
      x[s] += e, y[s] += W, xx += e * e, xy += e * W, x1 += e, n += 0.5;
    }
  // Each clock has a constant of its own: its means drop out.
  const double leakage_W = (xy - (x[0] * y[0] + x[1] * y[1]) / n) / (xx - (x[0] * x[0] + x[1] * x[1]) / n);
  const double constant[2] = {(y[0] - leakage_W * x[0]) / n, (y[1] - leakage_W * x[1]) / n};
  for (std::size_t s = 0; s < 2; ++s)
    for (std::size_t i = 0; i < 12; ++i) {
      const double error = sweeps[s].W[i] - constant[s] - leakage_W * std::exp(per_K * (sweeps[s].degC[i] - 60.0));
      square += error * error;
    }
  const double per_Hz = (constant[1] - constant[0]) / (high.clock_Hz - low.clock_Hz);
  return {constant[0] - per_Hz * low.clock_Hz, per_Hz * high.clock_Hz, leakage_W, square};
}

/// Growth of leakage with the least squares, 1/K, between 0.5 and 8 %/K.
double best_growth_per_K() {
  double lo = 0.005, hi = 0.08;
  constexpr double golden = 0.6180339887498949;
  for (int i = 0; i < 60; ++i) {
    const double a = hi - golden * (hi - lo), b = lo + golden * (hi - lo);
    if (fit_locked(a).square_W2 < fit_locked(b).square_W2)
      hi = b;
    else
      lo = a;
  }
  return 0.5 * (lo + hi);
}

/// Fitted at two clocks, the third is predicted: at one voltage what follows the temperature does not follow the clock.
void k20_row(std::vector<Row>& rows) {
  const double per_K = best_growth_per_K();
  const auto fit = fit_locked(per_K);
  power::GpuPowerParams p = gpu_case("v100_sxm2_300W").power;
  p.board_W = fit.board_W, p.leakage_W = fit.leakage_W, p.leakage_per_K = per_K, p.leakage_ref_K = 60.0 + zero_degC_K;
  p.dynamic_W = term("k20_sweep.dynamic_W", fit.dynamic_W), p.dynamic_ref_Hz = high.clock_Hz;
  p.vf_clock_Hz = {low.clock_Hz, high.clock_Hz};
  p.vf_voltage_V = {p.voltage_ref_V, p.voltage_ref_V * (1.0 + 1e-12)};  // one voltage for all three clocks
  const power::GpuModel model(p);
  dvfs::PhaseMix mix;
  mix.matrix_s = mix.active_matrix_s = 1.0;
  const auto at = dvfs::phase_power(model, {}, mix, middle.clock_Hz, middle.clock_Hz, 0.0);
  double worst_W = 0.0;
  for (std::size_t i = 0; i < 12; ++i)
    worst_W = std::max(worst_W,
                       std::abs(at.at_W(model.leakage_temperature_factor(middle.degC[i] + zero_degC_K)) - middle.W[i]));
  rows.push_back(within("k20_sweep",
                        "K20 at 805 MHz, die 31-85 degC: largest error of the watts, fitted at 705 and 905 MHz", "W",
                        0.0, 2.0, worst_W, 0.0, "arXiv 1407.8116",
                        fmt::format("leakage grows by {:.4f} /K; the reading's error is 1 W", per_K)));
}

/// Resting boards in a room whose temperature moves.
void idle_slope_row(std::vector<Row>& rows) {
  const GpuCase gpu = gpu_case("h100_sxm_700W");
  const power::GpuModel model(gpu.power);
  const auto slope_W_per_K = [&](double clock_Hz, double die_degC, double not_gated) {
    const auto law = model.leakage();
    return not_gated * law.slope_W_per_K(law.ref_W) * law.voltage_factor(model.voltage(clock_Hz).V) *
           law.temperature_factor(die_degC + zero_degC_K);
  };
  constexpr const char* source = "charlottegressel/dc_workload_pipeline";
  constexpr const char* fitted = "one of the slopes that set the entry's leakage: scripts/fits/gpu_leakage";
  rows.push_back(
      calibrated(within("h100_idle_slope", "H100 without a context at 36 degC: watts per kelvin of the die", "W/K",
                        0.29, 0.35, slope_W_per_K(model.idle_clock_Hz(), 36.0, gpu.power.rest_leakage_ratio), 0.0,
                        source, "H100 PCIe 0.255 (4,836 hours pooled) to 0.30 W/K, by 132/114 multiprocessors"),
                 fitted));
}

/// The staircase at every threshold, just below it and half-way to the next.
int wrong_steps(const thermal::FanGroupParams& group, const std::vector<std::pair<double, double>>& table) {
  int wrong = table.size() == group.threshold_K.size() ? 0 : 1;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const double at = table[i].first, before = table[i > 0 ? i - 1 : 0].second;
    const double next = i + 1 < table.size() ? table[i + 1].first : at + 10.0;
    for (const auto& [reading, expected] :
         {std::pair{at, table[i].second}, std::pair{at - 1e-6, before}, std::pair{0.5 * (at + next), table[i].second}})
      if (std::abs(thermal::fan_table_frac(group, reading) - expected) > 1e-12) ++wrong;
  }
  return wrong;
}

void fan_table_rows(const Context& context, std::vector<Row>& rows) {
  constexpr const char* source = "facebook/openbmc, commit 18db06bba";
  constexpr const char* what = "fan controller: steps of its tables that come out otherwise than written";
  const auto file = context.data / "grand_teton_fans" / "threshold_tables.csv";
  if (!std::filesystem::exists(file)) return rows.push_back(skipped("fan_table", what, source, "no grand_teton_fans"));
  const auto table = study::read_table(file);
  constexpr std::array<std::pair<const char*, const char*>, 4> controllers = {
      {{"grand_teton_h100_700W", "gt_h100_700W_v9"},
       {"grand_teton_h100_500W", "gt_h100_500W_v8.6"},
       {"grand_teton_mi300x_650W", "gt_mi300x_650W"},
       {"grand_teton_mi300x_750W", "gt_mi300x_750W"}}};
  for (const auto& [name, written] : controllers) {
    const auto controller =
        thermal::read_fan_controller(catalog_in_use().values("fan_controller", name), "fan_controller");
    std::map<std::string, std::vector<std::pair<double, double>>> groups;
    for (const auto& row : table.rows)
      if (row[0] == written) groups[row[1]].emplace_back(study::cell_number(row[2]), 0.01 * study::cell_number(row[3]));
    int wrong = 0, steps = 0;
    for (auto& written_group : groups) {
      const std::string& group = written_group.first;
      auto& own = written_group.second;
      const auto at = std::find_if(controller.groups.begin(), controller.groups.end(),
                                   [&](const auto& g) { return g.name == group; });
      steps += static_cast<int>(own.size());
      if (at == controller.groups.end()) {
        wrong += static_cast<int>(own.size());
        continue;
      }
      for (auto& step : own) step.first += at->margin ? 0.0 : zero_degC_K;
      wrong += wrong_steps(*at, own);
    }
    rows.push_back(within(fmt::format("fan_table/{}", name), what, "", 0.0, 0.0, wrong, 0.0, source,
                          fmt::format("{} steps of {} groups", steps, groups.size())));
  }
}

}  // namespace

std::vector<Row> chips_rows(const Context& context) {
  std::vector<Row> rows;
  longhorn_rows(context, rows);
  k20_row(rows);
  idle_slope_row(rows);
  b300_rows(rows);
  b300_duty_rows(rows);
  fan_table_rows(context, rows);
  return rows;
}

}  // namespace TIDEWATT_NAMESPACE::validate
