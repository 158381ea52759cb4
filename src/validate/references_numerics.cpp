// X6 to X8: Sobol indices, spectra and bands, heat and frequency as other packages compute them from the same equations.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "evidence_runs.hpp"
#include "fleet/package_batch.hpp"
#include "numerics/spectrum.hpp"
#include "references.hpp"
#include "row_term.hpp"
#include "study/sampling.hpp"
#include "study/sensitivity.hpp"
#include "tidewatt/grid/bands.hpp"
#include "tidewatt/grid/frequency.hpp"
#include "tidewatt/thermal/package.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

constexpr double pi = std::numbers::pi;

/// Ishigami and Homma's function on the unit cube.
double ishigami(const std::vector<double>& u) {
  const double x1 = pi * (2.0 * term("X6.range_1", u[0]) - 1.0), x2 = pi * (2.0 * u[1] - 1.0),
               x3 = pi * (2.0 * u[2] - 1.0);
  return std::sin(x1) + 7.0 * std::sin(x2) * std::sin(x2) + 0.1 * std::pow(x3, 4) * std::sin(x1);
}

constexpr std::size_t n_sample = 65536, segment = 4096, dip_every = 237, dip_long = 41;

/// The waveform of reference_cases.py, in W: dips of a job and a sine beside them. @param rate_Hz of its samples
std::vector<double> waveform(double rate_Hz) {
  std::vector<double> x(n_sample);
  const double dip_W = term("X7.dip_W", 300.0);
  for (std::size_t n = 0; n < n_sample; ++n)
    x[n] = 700.0 - (n % dip_every < dip_long ? dip_W : 0.0) +
           20.0 * std::sin(2.0 * pi * 3.3 * static_cast<double>(n) / rate_Hz);
  return x;
}

void band_rows(const References& r, std::vector<Row>& rows) {
  std::vector<double> fine;
  fine.reserve(10 * n_sample);
  for (const double x : waveform(100.0)) fine.insert(fine.end(), 10, x);
  auto meter = grid::BandMeter::standard();
  meter.begin(0, fine.front());
  meter.push(fine);
  const auto own = meter.bands();
  const auto theirs = r.cases("scipy_filter");
  for (std::size_t k = 0; k < theirs.size(); ++k) {
    const double low = number_of(theirs[k], "low_Hz"), high = number_of(theirs[k], "high_Hz");
    const std::string what = fmt::format("dips of 0.41 s every 2.37 s, {:g} to {:g} Hz by the filters of {}: ", low,
                                         high, r.version("SciPy"));
    rows.push_back(against(fmt::format("X7/band-{}/energy", k + 1), what + "energy", "W2s",
                           number_of(theirs[k], "energy_W2s"), own[k].energy_W2s, 0.02, "scipy"));
    rows.push_back(against(fmt::format("X7/band-{}/peak", k + 1), what + "largest value", "W",
                           number_of(theirs[k], "peak_W"), own[k].peak_W, 0.03, "scipy"));
  }
}

thermal::PackageParams package_of(const Node& c) {
  return {number_of(c, "die_J_per_K"),
          number_of(c, "base_J_per_K"),
          number_of(c, "sink_J_per_K"),
          1.0 / number_of(c, "die_base_W_per_K"),
          1.0 / number_of(c, "base_sink_W_per_K"),
          1.0 / number_of(c, "sink_air_W_per_K"),
          0.8};
}

/// The case of a package with leakage, played by the fleet's kernel.
struct PackageCourse {
  double die_K = 0.0, sink_K = 0.0, hottest_K = 0.0, gpu_J = 0.0, air_J = 0.0;
};
PackageCourse played(const Node& c, const fleet::StepGrading& grading) {
  const auto modes = thermal::package_modes(package_of(c), 1.0);
  // One repetition: busy, then calm.
  const auto ns = [&](const char* key) { return static_cast<Tick>(std::llround(1e9 * number_of(c, key))); };
  const std::vector<workload::Segment> segments = {{ns("busy_s"), 0}, {ns("calm_s"), 1}};
  auto plan = fleet::make_batch_plan(segments, grading);
  plan.n_kind = 2;
  std::vector<fleet::LaneWatts> watts(2);
  std::vector<fleet::PackageBlock> block(1);
  for (std::size_t lane = 0; lane < fleet::n_package_lane; ++lane) {
    watts[0].fixed_W[lane] = number_of(c, "busy_W"), watts[1].fixed_W[lane] = number_of(c, "calm_W");
    watts[0].leakage_W[lane] = watts[1].leakage_W[lane] = term("X8.leakage_W", number_of(c, "leakage_W"));
    block[0].air_K[lane] = number_of(c, "air_K");
    block[0].resistance_ratio[lane] = 1.0;
    for (auto& store : block[0].store_K) store[lane] = number_of(c, "air_K");
  }
  block[0].modes = &modes;
  const fleet::LeakageLaw law{number_of(c, "leakage_per_K"), number_of(c, "leakage_ref_K")};
  PackageCourse out;
  for (int k = 0; k < static_cast<int>(number_of(c, "n_period")); ++k) {
    fleet::advance_packages(plan, law, watts, block);
    out.gpu_J += block[0].gpu_J[0], out.air_J += block[0].air_J[0];
    out.hottest_K = std::max(out.hottest_K, block[0].die_peak_K[0]);
  }
  out.die_K = block[0].store_K[0][0], out.sink_K = block[0].store_K[2][0];
  return out;
}

void package_rows(const References& r, std::vector<Row>& rows) {
  const Node c = r.cases("cvode_heat").front();
  const PackageCourse own = played(c, fleet::production_grading), fine = played(c, {10 * ns_per_ms, 20 * ns_per_ms, 1});
  const char* source = "sundials";
  const std::string what = fmt::format(
      "package with leakage, 300 s of 4 s busy and 2 s calm, against {} (scikit-sundae): ", r.version("CVODE"));
  const auto kelvins = [&](const char* id, const char* of, const char* key, double got_K) {
    rows.push_back(within_absolute(id, what + of, "K", number_of(c, key), got_K, 0.05, source));
  };
  kelvins("X8/die", "die at the end", "die_K", own.die_K);
  kelvins("X8/sink", "sink at the end", "sink_K", own.sink_K);
  kelvins("X8/hottest", "highest die temperature", "hottest_K", own.hottest_K);
  const auto joules = [&](const char* id, const char* of, const char* key, double got_J, double fine_J) {
    const double expected_J = number_of(c, key);
    rows.push_back(
        against(id, what + of, "J", expected_J, got_J, 0.0005, source,
                fmt::format("steps of the fleet, from 10 ms on twice as long each; in steps of 10 ms {:+.5f} %",
                            100.0 * (fine_J / expected_J - 1.0))));
  };
  joules("X8/energy", "electrical energy", "gpu_J", own.gpu_J, fine.gpu_J);
  joules("X8/air", "heat to the air", "air_J", own.air_J, fine.air_J);
}

void swing_rows(const References& r, std::vector<Row>& rows) {
  const Node c = r.cases("cvode_swing").front();
  grid::FrequencyParams p;
  p.nominal_Hz = number_of(c, "nominal_Hz"), p.system_VA = number_of(c, "system_VA");
  p.inertia_s = term("X8.inertia_s", number_of(c, "inertia_s")), p.damping_pu = number_of(c, "damping_pu");
  p.droop_pu = term("X8.droop_pu", number_of(c, "droop_pu")), p.governor_s = number_of(c, "governor_s");
  p.chest_s = number_of(c, "chest_s"), p.reheat_s = number_of(c, "reheat_s");
  p.high_pressure_frac = number_of(c, "high_pressure_frac");
  const grid::Frequency model(p);
  const double step_W = number_of(c, "step_W");
  const auto turn = model.first_turn(step_W);
  grid::FrequencyState state = model.start(0.0);
  grid::FrequencyMeters meters;
  std::vector<double> load_W(20000, step_W), deviation_Hz(load_W.size());
  model.advance(load_W, deviation_Hz, state, meters);
  const std::string what =
      fmt::format("swing, governor, chest and reheater, 2.6 GW on 60 GVA, against {}: ", r.version("CVODE"));
  rows.push_back(
      against("X8/nadir", what + "nadir", "Hz", number_of(c, "nadir_Hz"), turn.deviation_Hz, 0.001, "sundials"));
  rows.push_back(
      against("X8/nadir-time", what + "its time", "s", number_of(c, "nadir_s"), turn.time_s, 0.005, "sundials"));
  rows.push_back(against("X8/swing-20s", what + "after 20 s", "Hz", number_of(c, "at_20s_Hz"), deviation_Hz.back(),
                         0.001, "sundials"));
}

}  // namespace

void index_reference_rows(const References& r, std::vector<Row>& rows) {
  constexpr std::size_t n_base = 16384;
  std::vector<double> f;
  for (const auto& u : study::saltelli_design(n_base, 3, 25)) f.push_back(ishigami(u));
  const auto own = study::sobol_indices(f, 3, 1, 2);
  for (const Node& c : r.cases("salib_ishigami")) {
    const auto k = static_cast<std::size_t>(number_of(c, "variable"));
    const std::string what =
        fmt::format("Ishigami's function, {} points against as many of {}: ", n_base, r.version("SALib"));
    rows.push_back(within_absolute(fmt::format("X6/first-{}", k), fmt::format("{}first-order index of x{}", what, k),
                                   "", number_of(c, "first"), own[k - 1].first, 0.02, "salib"));
    rows.push_back(within_absolute(fmt::format("X6/total-{}", k), fmt::format("{}total index of x{}", what, k), "",
                                   number_of(c, "total"), own[k - 1].total, 0.02, "salib"));
  }
}

void spectrum_reference_rows(const References& r, std::vector<Row>& rows) {
  const char* source = "scipy";
  const double rate_Hz = term("X7.rate_Hz", 100.0);
  numerics::Welch welch(segment, rate_Hz);
  welch.push(waveform(100.0));
  const auto spectrum = welch.result();
  WorstCase density;
  for (const Node& c : r.cases("scipy_welch")) {
    const auto bin = static_cast<std::size_t>(number_of(c, "bin"));
    density.add(number_of(c, "psd_W2_per_Hz"), spectrum.psd[bin], fmt::format("bin {}", bin));
  }
  const std::string what = "dips of 0.41 s every 2.37 s and a sine of 3.3 Hz, against " + r.version("SciPy") + ": ";
  rows.push_back(
      density.row("X7/density", what + "Welch's density at the strongest bins", "W2/Hz", 0.001, false, source));
  const Node band = r.cases("scipy_band").front(), line = r.cases("scipy_line").front();
  rows.push_back(against("X7/rms", what + "rms between 0.2 and 3 Hz", "W", number_of(band, "rms_W"),
                         spectrum.band_rms(number_of(band, "low_Hz"), number_of(band, "high_Hz")), 0.001, source));
  const auto dominant = spectrum.dominant(0.1);
  rows.push_back(against("X7/line-frequency", what + "frequency of the largest line, whole repetitions", "Hz",
                         number_of(line, "frequency_Hz"), dominant.frequency_Hz, 0.002, source));
  rows.push_back(against("X7/line", what + "its amplitude", "W", number_of(line, "amplitude_W"), dominant.amplitude,
                         0.02, source));
  band_rows(r, rows);
}

void heat_reference_rows(const References& r, std::vector<Row>& rows) {
  package_rows(r, rows);
  swing_rows(r, rows);
}

}  // namespace TIDEWATT_NAMESPACE::validate
