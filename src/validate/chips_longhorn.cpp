#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/random.hpp"
#include "chips_groups.hpp"
#include "row_term.hpp"
#include "silicon.hpp"
#include "study/fit_telemetry.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

constexpr const char* source = "hal-uw/blox-pal, SGEMM on Longhorn (SC22)";
constexpr const char* entry = "v100_sxm2_300W";
constexpr std::uint64_t seed = 1;
constexpr double common_degC = 65.0,
                 common_slope_per_K = -0.00128;  // clocks are compared at one temperature, by the measured slope

/// One GPU's runs under the power limit.
struct GpuRuns {
  std::vector<double> degC, clock_Hz;
  double mean_degC() const { return mean(degC); }
  double mean_log_Hz() const {
    double sum = 0.0;
    for (const double f : clock_Hz) sum += std::log(f);
    return sum / static_cast<double>(clock_Hz.size());
  }
  static double mean(const std::vector<double>& x) {
    double sum = 0.0;
    for (const double v : x) sum += v;
    return sum / static_cast<double>(x.size());
  }
};

std::vector<GpuRuns> read_runs(const std::filesystem::path& file) {
  const auto table = study::read_table(file);
  const auto column = [&](const char* name) {
    const auto at = std::find(table.header.begin(), table.header.end(), name);
    if (at == table.header.end()) throw InputError(fmt::format("{}: no column '{}'", file.string(), name));
    return static_cast<std::size_t>(at - table.header.begin());
  };
  const auto gpu = column("uuid"), clock = column("freq"), die = column("temp"), power = column("pwr");
  std::map<std::string, GpuRuns> of;
  for (const auto& row : table.rows) {
    if (!(study::cell_number(row[power]) > 285.0)) continue;
    of[row[gpu]].degC.push_back(study::cell_number(row[die]));
    of[row[gpu]].clock_Hz.push_back(study::cell_number(row[clock]) * 1e6);
  }
  std::vector<GpuRuns> out;
  out.reserve(of.size());
  for (auto& [id, runs] : of) out.push_back(std::move(runs));
  return out;
}

/// d ln f/dT with a mean of its own for every GPU, of those whose mean temperature is in [low, high), 1/K.
double slope_per_K(const std::vector<GpuRuns>& gpus, double low_degC, double high_degC) {
  double xy = 0.0, xx = 0.0;
  for (const auto& g : gpus) {
    const double mean = g.mean_degC(), log_f = g.mean_log_Hz();
    if (mean < low_degC || mean >= high_degC) continue;
    for (std::size_t i = 0; i < g.degC.size(); ++i) {
      xy += (g.degC[i] - mean) * (std::log(g.clock_Hz[i]) - log_f);
      xx += (g.degC[i] - mean) * (g.degC[i] - mean);
    }
  }
  return xy / xx;
}

/// Spread of the GPUs' clocks at a common temperature, and how far the slowest is from the mean.
struct Spread {
  double sigma_frac, slowest_sigma, mean_Hz;
};
Spread spread_of(const std::vector<GpuRuns>& gpus) {
  std::vector<double> log_f;
  log_f.reserve(gpus.size());
  for (const auto& g : gpus) log_f.push_back(g.mean_log_Hz() - common_slope_per_K * (g.mean_degC() - common_degC));
  const double mean = GpuRuns::mean(log_f);
  double square = 0.0;
  for (const double x : log_f) square += (x - mean) * (x - mean);
  const double sigma = std::sqrt(square / static_cast<double>(log_f.size() - 1));
  return {sigma, (*std::min_element(log_f.begin(), log_f.end()) - mean) / sigma, std::exp(mean)};
}

/// Activity at which the nominal chip runs at `clock_Hz` under the limit.
double activity_at(const power::GpuModel& model, double clock_Hz, double die_K, double limit_W) {
  dvfs::PhaseMix mix;
  mix.matrix_s = 1.0;
  const auto watts = [&](double activity) {
    mix.active_matrix_s = activity;
    const auto p = dvfs::phase_power(model, {}, mix, clock_Hz, clock_Hz, 0.0);
    return p.at_W(model.leakage_temperature_factor(die_K));
  };
  const double none_W = watts(0.0);
  return (limit_W - none_W) / (watts(1.0) - none_W);
}

/// The log as the model writes it: each GPU is a chip of its own with the temperatures it had, which are read as whole degrees.
std::vector<GpuRuns> simulated(const std::vector<GpuRuns>& measured, const GpuCase& gpu, const power::GpuModel& model,
                               double activity) {
  constexpr double rounding_K2 = 1.0 / 12.0;  // variance that whole degrees add
  dvfs::PhaseMix mix;
  mix.matrix_s = 1.0, mix.active_matrix_s = activity;
  const double limit_W = dvfs::limit_W(gpu.power.tdp_W, gpu.governor);
  std::vector<GpuRuns> out;
  for (std::size_t g = 0; g < measured.size(); ++g) {
    const auto chip = power::draw_chip(gpu.spread, seed, g);
    const double mean = measured[g].mean_degC();
    double square = 0.0;
    for (const double t : measured[g].degC) square += (t - mean) * (t - mean);
    const double sigma_K =
        std::sqrt(std::max(0.0, square / static_cast<double>(measured[g].degC.size()) - rounding_K2));
    auto& runs = out.emplace_back();
    for (std::size_t i = 0; i < measured[g].degC.size(); ++i) {
      const double degC = mean + sigma_K * random::normal(seed, random::Purpose::reading, g, i);
      const auto p = dvfs::operating_point(model, chip, mix, model.clock_max_Hz(), 0.0,
                                           model.leakage_temperature_factor(degC + zero_degC_K), limit_W,
                                           model.clock_max_Hz(), 1.3e9);
      runs.degC.push_back(std::round(degC));
      runs.clock_Hz.push_back(p.clock_Hz);
    }
  }
  return out;
}

/// Spread of the time that memory-bound work takes over the same chips at their mean temperatures: sigma of its logarithm. A tenth of
/// the time follows the clock [assumed].
double memory_bound_sigma(const std::vector<GpuRuns>& measured, const GpuCase& gpu, const power::GpuModel& model,
                          double activity) {
  const double in_products = term("longhorn_memory.compute_frac", 0.1);
  dvfs::PhaseMix mix;
  mix.matrix_s = in_products, mix.memory_s = mix.hbm_s = 1.0 - in_products;
  mix.active_matrix_s = activity * mix.matrix_s;
  std::vector<double> log_s;
  for (std::size_t g = 0; g < measured.size(); ++g) {
    const auto chip = power::draw_chip(gpu.spread, seed, g);
    const auto p = dvfs::operating_point(model, chip, mix, model.clock_max_Hz(), 0.0,
                                         model.leakage_temperature_factor(measured[g].mean_degC() + zero_degC_K),
                                         dvfs::limit_W(gpu.power.tdp_W, gpu.governor), model.clock_max_Hz(), 1.3e9);
    log_s.push_back(std::log(dvfs::phase_power(model, chip, mix, model.clock_max_Hz(), p.clock_Hz, 0.0).duration_s));
  }
  const double mean = GpuRuns::mean(log_s);
  double square = 0.0;
  for (const double x : log_s) square += (x - mean) * (x - mean);
  return std::sqrt(square / static_cast<double>(log_s.size() - 1));
}

struct Bin {
  double low_degC, high_degC, slope, error;  // %/K as regressed on the measured log, GPUs as clusters
};
constexpr std::array bins = {Bin{47, 58, -0.082, 0.016}, Bin{58, 62, -0.111, 0.012}, Bin{62, 66, -0.129, 0.011},
                             Bin{66, 70, -0.140, 0.008}, Bin{70, 74, -0.132, 0.009}, Bin{74, 83, -0.155, 0.016}};
constexpr Bin pooled{0, 200, -0.128, 0.005};

Row slope_row(const std::string& name, const Bin& bin, double got) {
  return within(fmt::format("longhorn_slope/{}", name),
                "390 V100 under 300 W: clock against die temperature, one mean per GPU, within two standard errors",
                "%/K", bin.slope - 2.0 * bin.error, bin.slope + 2.0 * bin.error, got, 0.0, source,
                fmt::format("measured {:.3f} +- {:.3f}", bin.slope, bin.error));
}

}  // namespace

void longhorn_rows(const Context& context, std::vector<Row>& rows) {
  const auto file = context.data / "longhorn_v100_sgemm" / "sgemm_longhorn.csv";
  if (!std::filesystem::exists(file))
    return rows.push_back(skipped("longhorn_slope/pooled", "390 V100 under 300 W", source, "no longhorn_v100_sgemm"));
  const auto measured = read_runs(file);
  const GpuCase gpu = gpu_case(entry);
  const power::GpuModel model(gpu.power);
  const Spread seen = spread_of(measured);
  const double activity =
      activity_at(model, seen.mean_Hz, common_degC + zero_degC_K, dvfs::limit_W(gpu.power.tdp_W, gpu.governor));
  const auto log = simulated(measured, gpu, model, activity);
  double chi2 = 0.0;
  for (const auto& bin : bins) {
    const double got = 100.0 * slope_per_K(log, bin.low_degC, bin.high_degC);
    chi2 += (got - bin.slope) * (got - bin.slope) / (bin.error * bin.error);
    rows.push_back(slope_row(fmt::format("{:g}-{:g}", bin.low_degC, bin.high_degC), bin, got));
  }
  const double V = model.voltage(seen.mean_Hz).V;
  rows.push_back(calibrated(
      slope_row("pooled", pooled, 100.0 * slope_per_K(log, pooled.low_degC, pooled.high_degC)),
      fmt::format(
          "sets the leakage of {}, {:.1f} W at 60 degC and 1.0 V; chi2 of the six bins {:.1f} (12.6 at 95 %); at "
          "{:.0f} MHz d ln V/d ln f is {:.2f}, the work's activity {:.3f}",
          entry, gpu.power.leakage_W, chi2, seen.mean_Hz * 1e-6,
          seen.mean_Hz / V * model.voltage(seen.mean_Hz).slope_V_per_Hz, activity)));
  const Spread got = spread_of(log);
  rows.push_back(within("longhorn_slowest", "slowest of 390 V100 at equal temperature, from their mean", "sigma", -3.9,
                        -2.3, got.slowest_sigma, 0.0, source,
                        fmt::format("measured {:.2f}; sigma of the clock {:.2f} %, measured {:.2f} %",
                                    seen.slowest_sigma, 100.0 * got.sigma_frac, 100.0 * seen.sigma_frac)));
  rows.push_back(within("longhorn_memory", "the same GPUs: spread of the time of memory-bound work", "%", 0.0, 0.5,
                        100.0 * memory_bound_sigma(measured, gpu, model, activity), 0.0, source,
                        "0.04 to 0.4 % were measured (PageRank); a tenth of the time is assumed to follow the clock"));
}

}  // namespace TIDEWATT_NAMESPACE::validate
