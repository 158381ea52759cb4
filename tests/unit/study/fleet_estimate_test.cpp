#include "study/fleet_estimate.hpp"

#include <cmath>

#include "catch.hpp"

using namespace tidewatt;
using namespace tidewatt::study::detail;

namespace {

/// One job of 8 GPUs whose tokens follow f^0.9 and whose iterations follow f^-0.9, hour by hour.
CompleteRun run_of(const std::vector<double>& slowest_Hz) {
  CompleteRun out;
  out.hours.resize(1);
  for (std::size_t i = 0; i < slowest_Hz.size(); ++i) {
    sim::FleetClocks::Hour h;
    h.s = 3600.0, h.n_gpu = 8.0, h.slowest_Hzs = 3600.0 * slowest_Hz[i];
    h.tokens = 3600.0 * 1000.0 * std::pow(slowest_Hz[i] / 1.4e9, 0.9);
    h.iteration_s2 = 3600.0 * 6.0 * std::pow(slowest_Hz[i] / 1.4e9, -0.9);
    out.hours[0][static_cast<std::int64_t>(i)] = h;
  }
  return out;
}

FleetCourse course_of(const std::vector<double>& slowest_Hz) {
  FleetCourse out;
  out.slowest_Hz.resize(1);
  for (std::size_t i = 0; i < slowest_Hz.size(); ++i) out.slowest_Hz[0][static_cast<std::int64_t>(i)] = slowest_Hz[i];
  out.die_K = 353.15;
  return out;
}

}  // namespace

TEST_CASE("figures of a fleet follow its slowest clocks as those of complete runs do") {
  const std::vector<CompleteRun> runs = {run_of({1.40e9, 1.42e9, 1.44e9}), run_of({1.38e9, 1.41e9, 1.43e9})};
  const FleetEstimate estimate(runs);
  const auto f = estimate.of(course_of({1.35e9, 1.38e9, 1.41e9}));
  const double low = std::pow(1.35 / 1.4, 0.9), mid = std::pow(1.38 / 1.4, 0.9), high = std::pow(1.41 / 1.4, 0.9),
               mean = (low + mid + high) / 3.0;
  CHECK(f[tokens] == Approx(1000.0 * mean));
  CHECK(f[swing] == Approx(100.0 * (high - low) / mean));
  CHECK(f[slowest] == Approx(1350.0));
  CHECK(f[iteration] == Approx(2.0 * (1.0 / low + 1.0 / mid + 1.0 / high)));
  CHECK(f[die] == Approx(80.0));
}

TEST_CASE("one hour has no swing, and clocks that hardly differ give tokens in proportion") {
  const std::vector<CompleteRun> runs = {run_of({1.4e9})};
  const auto f = FleetEstimate(runs).of(course_of({1.26e9}));
  CHECK(std::isnan(f[swing]));
  CHECK(f[tokens] == Approx(900.0));
  CHECK(f[iteration] == Approx(6.0 / 0.9));
}

TEST_CASE("an hour with less than a quarter of iterations does not count for the swing") {
  std::vector<CompleteRun> runs = {run_of({1.40e9, 1.42e9, 1.44e9})};
  auto& first = runs[0].hours[0].at(0);
  const double share = 600.0 / 3600.0;
  first.s *= share, first.tokens *= share, first.slowest_Hzs *= share, first.iteration_s2 *= share;
  const auto f = FleetEstimate(runs).of(course_of({1.0e9, 1.42e9, 1.42e9}));
  CHECK(f[swing] == Approx(0.0).margin(1e-9));
  CHECK(f[slowest] == Approx(1000.0));
}

TEST_CASE("a fleet whose job did not iterate has no figures") {
  const std::vector<CompleteRun> runs = {run_of({1.40e9, 1.42e9})};
  for (const double x : FleetEstimate(runs).of(course_of({}))) CHECK(std::isnan(x));
}
