#include "study/gpu_density.hpp"

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "prior_z.hpp"
#include "study/fit_base.hpp"
#include "synthetic_log.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

namespace {
const TwoPoles own = package_poles(fit_base("h100_sxm_700W").package, 1.0);

/// Synthetic logs as files of one GPU each, or of all in one.
struct Files {
  std::vector<std::string> path;
  std::vector<SyntheticLog> log;
  Files(std::initializer_list<std::uint64_t> seeds, bool in_one = false) {
    for (const auto seed : seeds) {
      log.push_back(synthetic_log(own, {1.0, 1.0, false}, seed));
      if (in_one && !path.empty())
        write(path.front(), log.back().telemetry, "1", std::ios::app);
      else
        path.push_back((std::filesystem::temp_directory_path() /
                        ("tidewatt_density_" + std::to_string(::getpid()) + "_" + std::to_string(seed) + ".csv"))
                           .string()),
            write(path.back(), log.back().telemetry, "0", std::ios::out);
    }
  }
  ~Files() {
    for (const auto& p : path) std::filesystem::remove(p);
  }
  static void write(const std::string& path, const GpuTelemetry& t, const char* gpu, std::ios::openmode mode) {
    std::ofstream out(path, mode);
    out.precision(12);
    if (mode == std::ios::out) out << "time_s,gpu,power_W,temperature_degC\n";
    for (std::size_t i = 0; i < t.record.size(); ++i)
      out << t.record.time_s[i] << ',' << gpu << ',' << t.record.power_W[i] << ',' << t.record.die_K[i] - 273.15
          << '\n';
  }
};

FitGpuOptions options(const std::vector<std::string>& files) {
  FitGpuOptions o;
  o.files = files;
  return o;
}
}  // namespace

TEST_CASE("air and rest before the log are averaged out as a sum over both says", "[study][gpu_density]") {
  const Files files({3});
  const GpuDensity density(options(files.path));
  CHECK(density.logs()[0].no_leakage.find("clocks") != std::string::npos);
  const auto drive = thermal_drive(read_gpu_telemetry(files.path[0])[0], 1.0);
  const auto fit = fit_poles(drive, own, 700.0, -1.0);
  const Whitener whiten(fit.noise, drive.time_s);
  for (const double shift : {0.0, 0.7}) {
    std::vector<double> z(density.start());
    z[1] += shift * density.start_sigma()[1], z[2] -= shift * density.start_sigma()[2];
    const TwoPoles poles = poles_at(fit.prior, std::span(z).first(4));
    // The sum over a grid of both, around what the log says of them, with the weight of their priors.
    double log_sum = -1e300;
    const double step_a = 0.2 * std::sqrt(fit.covariance_at(4, 4)), step_b = 0.2 * std::sqrt(fit.covariance_at(5, 5));
    for (int a = -35; a <= 35; ++a)
      for (int b = -35; b <= 35; ++b) {
        const double za = fit.z[4] + step_a * a, zb = fit.z[5] + step_b * b;
        TwoPoles p = poles;
        p.ambient_K = prior_value(fit.prior[4], za);
        auto r = predict_die_K(p, drive, prior_value(fit.prior[5], zb));
        for (std::size_t i = 0; i < r.size(); ++i) r[i] -= drive.die_K[i];
        whiten(r);
        double square = za * za + zb * zb;
        for (const double x : r) square += x * x;
        const double term = -0.5 * square - std::log(2.0 * 3.14159265358979) + std::log(step_a * step_b);
        const double large = std::max(log_sum, term);
        log_sum = large + std::log(std::exp(log_sum - large) + std::exp(term - large));
      }
    CHECK(density.log_likelihood(z) == Approx(log_sum).epsilon(0).margin(0.02));
  }
}

TEST_CASE("two logs of one GPU: the density is the product of both", "[study][gpu_density]") {
  const Files files({5, 6});
  const GpuDensity both(options(files.path)), first(options({files.path[0]})), second(options({files.path[1]}));
  for (const double x : {-0.3, 0.0, 0.4}) {
    const std::vector<double> z{x, -x, 0.5 * x, x, x, x};
    CHECK(both.log_likelihood(z) == Approx(first.log_likelihood(z) + second.log_likelihood(z)).epsilon(1e-12));
  }
  CHECK_THROWS_AS(both.log_likelihood(std::vector<double>(5)), InputError);
}

TEST_CASE("the density is largest near the truth and at its own fit", "[study][gpu_density]") {
  const Files files({7});
  const GpuDensity density(options(files.path));
  const auto& prior = density.prior();
  std::vector<double> truth;
  for (std::size_t i = 0; i < 4; ++i) truth.push_back(prior_z(prior[i], files.log[0].truth[i]));
  truth.resize(6, 0.0);
  const double at_fit = density.log_likelihood(density.start());
  CHECK(at_fit > density.log_likelihood(truth) - 1.0);
  CHECK(density.log_likelihood(truth) > at_fit - 15.0);  // half of χ² with four degrees
  for (std::size_t i = 0; i < 4; ++i) {
    auto away = density.start();
    away[i] += 6.0 * density.start_sigma()[i];
    CHECK(density.log_likelihood(away) < at_fit - 1.0);
  }
}

TEST_CASE("a file of two GPUs: one has to be chosen", "[study][gpu_density]") {
  const Files files({8, 9}, true);
  auto o = options(files.path);
  CHECK_THROWS_AS(GpuDensity(o), InputError);
  o.gpu = "1";
  CHECK(GpuDensity(o).logs()[0].gpu == "1");
}

TEST_CASE("catalog values of the catalog's own poles are the catalog's own", "[study][gpu_density]") {
  const auto v = gpu_values("h100_sxm_700W", 1.0, {0.0301, 1.0, 0.0219, 20.0, 78.0, 0.0115});
  const auto again = gpu_values("h100_sxm_700W", 1.0, {0.0301, 1.0, 0.0219, 40.0, 78.0, 0.0115});
  CHECK(v[5].value == 78.0);
  CHECK(again[4].value > 1.5 * v[4].value);  // twice the slow time constant: a sink of nearly twice the capacity
  CHECK_THROWS_AS(gpu_values("h100_sxm_700W", 1.0, {0.03, 30.0, 1e-5, 20.0, 78.0, 0.0115}), SolverError);
}
