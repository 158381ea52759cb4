// Simulation-based calibration of `fit gpu`: 400 logs, truths drawn from the prior, through a 1 s and a 2 s meter with noise, drift and
// whole kelvins. Prints coverage, rank histograms and widths.
#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>

#include "catch.hpp"
#include "prior_z.hpp"
#include "synthetic_log.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

namespace {
const TwoPoles own{0.0167, 0.875, 0.024, 21.0, 0.0, 0.0, {}};
constexpr std::size_t n_parameter = 6;

/// Standard deviations, in the prior's, of the best possible estimate: the true model at the truth under the noise that was drawn.
std::array<double, n_parameter> cramer_rao(const SyntheticLog& log, const ThermalDrive& drive,
                                           const std::vector<PriorParameter>& prior) {
  const Whitener whiten({std::sqrt(0.2 * 0.2 + 1.0 / 12.0), 0.4, 120.0}, drive.time_s);
  const auto predicted = [&](std::size_t i, double step) {
    std::vector<double> p = log.truth;
    p[i] = prior_value(prior[i], prior_z(prior[i], p[i]) + step);
    return predict_die_K({p[0], p[1], p[2], p[3], p[4], 0.0, {}}, drive, p[5]);
  };
  Eigen::MatrixXd J(static_cast<Eigen::Index>(drive.time_s.size()), static_cast<Eigen::Index>(n_parameter));
  for (std::size_t i = 0; i < n_parameter; ++i) {
    auto above = predicted(i, 1e-4);
    const auto below = predicted(i, -1e-4);
    for (std::size_t k = 0; k < above.size(); ++k) above[k] = (above[k] - below[k]) / 2e-4;
    whiten(above);
    J.col(static_cast<Eigen::Index>(i)) = Eigen::Map<const Eigen::VectorXd>(above.data(), J.rows());
  }
  const Eigen::MatrixXd C = (J.transpose() * J + Eigen::MatrixXd::Identity(J.cols(), J.cols())).inverse();
  std::array<double, n_parameter> out{};
  for (std::size_t i = 0; i < n_parameter; ++i)
    out[i] = std::sqrt(C(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(i)));
  return out;
}

struct Tally {
  int identified = 0, covered = 0, open = 0, at_bound = 0;
  double narrowest_open = 1.0;  ///< width of an unidentified interval ÷ the prior's
  std::array<int, 10> rank{};   ///< truths by the tenth of the posterior that they fall into
  std::vector<double> width;    ///< of identified intervals ÷ Cramér–Rao
};
}  // namespace

TEST_CASE("90 % intervals of 400 logs hold the truth in 85 to 95 %, at most half as wide again as the best possible") {
  std::array<Tally, n_parameter> tally;
  std::vector<PriorParameter> prior;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const SyntheticMeter meter = seed % 2 ? SyntheticMeter{1.0, 1.0, false} : SyntheticMeter{2.0, 2.0, false};
    const auto log = synthetic_log(own, meter, 1000 + seed);
    const auto drive = thermal_drive(log.telemetry, meter.window_s);
    const auto fit = fit_poles(drive, own, 700.0, -1.0);
    prior = fit.prior;
    const auto best = cramer_rao(log, drive, prior);
    for (std::size_t i = 0; i < n_parameter; ++i) {
      auto& t = tally[i];
      const auto& v = fit.fit.values[i];
      const double sigma = std::sqrt(fit.covariance_at(i, i)),
                   score = (prior_z(prior[i], log.truth[i]) - fit.z[i]) / sigma;
      t.at_bound += v.at_bound;
      if (!v.identified) {
        ++t.open;
        t.narrowest_open =
            std::min(t.narrowest_open, (prior_z(prior[i], v.high) - prior_z(prior[i], v.low)) / (2.0 * normal_95));
        continue;
      }
      ++t.identified;
      t.covered += std::abs(score) < 1.6448536;
      const double share = 0.5 * std::erfc(-score / std::sqrt(2.0));
      ++t.rank[std::min<std::size_t>(9, static_cast<std::size_t>(10.0 * share))];
      t.width.push_back(sigma / best[i]);
    }
  }
  for (std::size_t i = 0; i < n_parameter; ++i) {
    auto& t = tally[i];
    std::sort(t.width.begin(), t.width.end());
    const double share = t.covered / static_cast<double>(t.identified), width = t.width[t.width.size() / 2];
    fmt::print(
        "{:<14} identified {}, covered {:.1f} %, median width {:.2f} x Cramer-Rao, open {}, at a bound {}, ranks",
        prior[i].key, t.identified, 100.0 * share, width, t.open, t.at_bound);
    for (const int n : t.rank) fmt::print(" {}", n);
    fmt::print("\n");
    INFO(prior[i].key);
    CHECK(share >= 0.85);
    CHECK(share <= 0.95);
    CHECK(width <= 1.5);
    CHECK(t.narrowest_open >= 0.8);
    CHECK(t.identified + t.open == 400);
  }
}
