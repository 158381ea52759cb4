#include "study/fit_rates.hpp"

#include <cmath>

#include "catch.hpp"
#include "coverage.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/tick.hpp"
#include "tidewatt/workload/failures.hpp"
#include "tidewatt/workload/jitter.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

TEST_CASE("rates and repair times of drawn failures come back", "[study][fit_rates]") {
  const PriorParameter rate{"rate_per_node_day", 6.5e-4, 6.5e-2, true}, repair{"repair_h", 0.2, 72.0, true};
  Coverage coverage;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const auto truth = drawn_truth({rate, repair}, seed);
    workload::FailureRates rates;
    rates.causes = {"node"}, rates.rate_per_node_s = {truth[0] / 86400.0}, rates.repair_s = {truth[1] * 3600.0};
    const auto failures = workload::draw_failures(rates, seed, 64, 0, to_tick(30 * 86400.0));
    double total_h = 0.0;
    for (const auto& f : failures) total_h += static_cast<double>(f.repair) * 1e-9 / 3600.0;
    const auto n = static_cast<double>(failures.size());
    coverage.add({fit_rate(rate, n, 64.0 * 30.0), fit_mean_time(repair, n, total_h)}, truth);
  }
  INFO(coverage.text());
  CHECK(coverage.holds());
  CHECK(coverage.identified("rate_per_node_day") > 80);
  // A watch of one node for an hour says nothing.
  const auto nothing = fit_rate(rate, 0, 1.0 / 24.0);
  CHECK_FALSE(nothing.identified);
  CHECK(nothing.low == rate.low);
  CHECK(nothing.high == rate.high);
  CHECK_THROWS_AS(fit_rate(rate, 1, 0.0), InputError);
}

TEST_CASE("the scatter of one replica comes back from iterations of many", "[study][fit_rates][long]") {
  const PriorParameter sigma{"jitter_sigma_frac", 0.001, 0.01, true};
  for (const std::int64_t n_replica : {std::int64_t{1}, std::int64_t{16}, std::int64_t{1024}}) {
    Coverage coverage;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      const double truth = drawn_truth({sigma}, seed)[0], T = 4.0 + 0.1 * static_cast<double>(seed);
      const workload::Jitter jitter({truth, 0.0, 0.0}, seed, 0, n_replica);
      std::vector<double> iteration_s;
      for (std::int64_t i = 0; i < 300; ++i) {
        const double saved = i % 50 == 7 ? 2.0 * T : 0.0;  // iterations with a save are left out
        iteration_s.push_back(std::round(1e3 * (T * (1.0 + jitter.excess_frac(i)) + saved)) * 1e-3);
      }
      const auto fit = fit_jitter(sigma, iteration_s, static_cast<double>(n_replica), 1e-3);
      CHECK(fit.n_outlier == 6);
      coverage.add({fit.sigma_frac, fit.iteration_s}, {truth, T});
    }
    INFO(n_replica << " replicas\n" << coverage.text());
    CHECK(coverage.holds());
    CHECK(coverage.identified("jitter_sigma_frac") == 30);
  }
  CHECK_THROWS_AS(fit_jitter(sigma, std::vector<double>(5, 1.0), 1, 0.0), InputError);
}
