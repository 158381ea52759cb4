#include "tidewatt/mitigation/stagger.hpp"

#include <cmath>
#include <vector>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::mitigation;

TEST_CASE("n equal jobs a period/n apart keep only harmonics that are multiples of n") {
  const Tick T = 6'500 * ns_per_ms;
  for (const std::int64_t n : {2, 3, 5}) {
    const auto offset = stagger_jobs(n, T);
    const std::vector<double> weight(offset.size(), 3.0);
    for (std::int64_t k = 1; k <= 2 * n; ++k)
      CHECK(harmonic_left(offset, weight, T, k) == Approx(k % n == 0 ? 1.0 : 0.0).margin(1e-5));
  }
  const std::vector<Tick> two = {0, T / 4};
  CHECK(harmonic_left(two, std::vector<double>{1, 1}, T, 1) == Approx(std::sqrt(0.5)).epsilon(1e-5));
}

TEST_CASE("replicas that start apart cost what exceeds the slack") {
  const auto r = stagger_replicas(4, 300 * ns_per_ms, 6 * ns_per_s, 100 * ns_per_ms);
  CHECK(r.offset == std::vector<Tick>{0, 100 * ns_per_ms, 200 * ns_per_ms, 300 * ns_per_ms});
  CHECK(r.iteration_ratio == Approx(6.2 / 6.0));
  CHECK(r.lost_throughput_frac == Approx(1 - 6.0 / 6.2));
  CHECK(r.edge_ratio == 0.25);
  CHECK(stagger_replicas(4, 50 * ns_per_ms, 6 * ns_per_s, 100 * ns_per_ms).lost_throughput_frac == 0.0);
}

TEST_CASE("the period moves just far enough from the mode, or says that it cannot") {
  const std::vector<double> modes = {0.5};
  const auto p = shift_period(2.0, modes, 0.05, 1, 1.5);  // 1/T' = 0.45
  CHECK(p.found);
  CHECK(p.period_s == Approx(1 / 0.45).epsilon(2e-4));
  CHECK(p.lost_throughput_frac == Approx(0.1).epsilon(2e-3));
  const auto far = shift_period(1.0, modes, 0.05, 1, 1.5);
  CHECK(far.period_s == 1.0);
  const auto none = shift_period(2.0, modes, 0.05, 1, 1.01);
  CHECK(!none.found);
  CHECK(none.clearance_Hz < 0.05);
  const auto third = shift_period(6.0, modes, 0.02, 4, 1.5);  // k/6: the third harmonic sits on the mode
  CHECK(third.found);
  for (int k = 1; k <= 4; ++k) CHECK(std::abs(k / third.period_s - 0.5) >= 0.02);
}

TEST_CASE("checkpoints queue for the writers, and what cannot fit is spread and said so") {
  const std::vector<Tick> d(6, 30 * ns_per_s);
  const auto two = stagger_checkpoints(d, 100 * ns_per_s, 2);
  CHECK(two.fits);
  CHECK(two.most_at_once == 2);
  const auto one = stagger_checkpoints(d, 100 * ns_per_s, 1);
  CHECK(!one.fits);
  CHECK(one.most_at_once == 2);  // 180 s of writing in 100 s
  CHECK(most_overlapping(std::vector<Tick>{0, 0, 0}, std::vector<Tick>{5, 5, 5}, 10) == 3);
  CHECK_THROWS_AS(stagger_checkpoints(d, 0, 1), InputError);
}

TEST_CASE("a beat: ends at phase + k period, whoever is late catches up, and one that is too short is missed") {
  const BeatParams beat{2.0, 0.5};
  CHECK(beat_end(beat, 500 * ns_per_ms, ns_per_s) == 2500 * ns_per_ms);
  CHECK(beat_end(beat, 700 * ns_per_ms, ns_per_s) == 2500 * ns_per_ms);  // 0.2 s late: a shorter wait
  CHECK(beat_end(beat, 400 * ns_per_ms, ns_per_s) == 2500 * ns_per_ms);  // early
  CHECK(beat_end(beat, 700 * ns_per_ms, 19 * ns_per_s / 10) == 2600 * ns_per_ms);
  CHECK(beat_end(beat, 0, 3 * ns_per_s) == 3 * ns_per_s);
  Tick at = 1234567890;
  for (int i = 0; i < 10; ++i) at = beat_end(beat, at, 1800 * ns_per_ms);
  CHECK((at - 500 * ns_per_ms) % (2 * ns_per_s) == 0);
  CHECK_THROWS_AS(beat_end({0.0, 0.0}, 0, 1), InputError);
}
