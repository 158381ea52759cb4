#include "dvfs/operating_point_batch.hpp"

#include <vector>

#include "base/random.hpp"
#include "catch.hpp"
#include "h100.hpp"

using namespace tidewatt;
using dvfs::Limiter;

namespace {
constexpr double f_ref = 1.83e9;

const fleet::NodeType& node() {
  static const auto type = h100_node_type();
  return type;
}

struct Case {
  std::vector<power::Chip> chip;
  std::vector<double> die_K, limit_W, clock_Hz;
  std::vector<Limiter> limiter;

  Case(std::size_t n, double low_W, double high_W) : limiter(n) {
    for (std::uint64_t g = 0; g < n; ++g) {
      const auto u = [&](std::uint64_t k) { return random::uniform(7, random::Purpose::jitter, 8 * g + k); };
      chip.push_back(power::draw_chip({0.25, 0.012, -0.5, 0.06, 2.5}, 3, g));
      die_K.push_back(295.0 + 70.0 * u(0));
      limit_W.push_back(low_W + (high_W - low_W) * u(1));
      clock_Hz.push_back(0.2e9 + 2.0e9 * u(2));
    }
  }
  void solve(const dvfs::PhaseMix& mix, double gate_Hz, double max_Hz) {
    dvfs::operating_points(node().gpu, mix, f_ref, gate_Hz, max_Hz, {chip, die_K, limit_W, clock_Hz, limiter});
  }
  dvfs::OperatingPoint scalar(std::size_t g, const dvfs::PhaseMix& mix, double gate_Hz, double max_Hz) const {
    return dvfs::operating_point(node().gpu, chip[g], mix, f_ref, gate_Hz,
                                 node().gpu.leakage_temperature_factor(die_K[g]), limit_W[g], max_Hz, clock_Hz[g]);
  }
};

const dvfs::PhaseMix gemm{1.0, 0.05, 0.2, 0.0, 1.0, 0.25, 0.1};
const dvfs::PhaseMix mixed{0.4, 0.2, 0.1, 0.3, 0.35, 0.3, 0.05};
const dvfs::PhaseMix memory{0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0};
}  // namespace

TEST_CASE("a batch finds the scalar search's clocks for any chip, limit, temperature, gate and start") {
  double worst = 0.0;
  std::size_t n_power = 0, n_top = 0, n_kink = 0;
  for (const auto& mix : {gemm, mixed, memory})
    for (const double gate_Hz : {0.0, 1.1e9})
      for (const double max_Hz : {1.98e9, 1.5e9}) {
        Case c(1003, 250.0, 760.0);
        const Case before = c;
        c.solve(mix, gate_Hz, max_Hz);
        for (std::size_t g = 0; g < c.chip.size(); ++g) {
          const auto p = before.scalar(g, mix, gate_Hz, max_Hz);
          REQUIRE(c.limiter[g] == p.limiter);
          p.limiter == Limiter::power ? ++n_power : ++n_top;
          const double lowest_Hz = std::max(node().gpu.clock_min_Hz(), gate_Hz);
          const auto excess_W = [&](double clock_Hz) {
            const auto q = dvfs::phase_power(node().gpu, c.chip[g], mix, f_ref, clock_Hz, gate_Hz);
            return q.fixed_W + q.leakage_W * node().gpu.leakage_temperature_factor(c.die_K[g]) - c.limit_W[g];
          };
          if (c.clock_Hz[g] == lowest_Hz) {  // the scalar search ends just above
            REQUIRE(p.clock_Hz == Approx(lowest_Hz).epsilon(2e-6));
            continue;
          }
          if (p.limiter == Limiter::power) REQUIRE(std::abs(excess_W(c.clock_Hz[g])) < 1e-8);
          const double difference = std::abs(c.clock_Hz[g] / p.clock_Hz - 1.0);
          if (std::abs(excess_W(p.clock_Hz)) > 1e-6 && p.limiter == Limiter::power) {
            ++n_kink;  // the scalar search halved its bracket at a kink of the V/f table and stopped within its 1e-6
            REQUIRE(difference < 1e-6);
          } else {
            worst = std::max(worst, difference);
          }
        }
      }
  INFO("worst relative difference " << worst);
  CHECK(worst < 1e-9);
  CHECK(n_power > 3000);
  CHECK(n_top > 1000);
  CHECK(n_kink < 50);
}

TEST_CASE("a GPU's clock does not depend on its company in the batch") {
  Case all(200, 300.0, 700.0);
  const Case before = all;
  all.solve(gemm, 0.0, 1.98e9);
  for (std::size_t g = 0; g < 200; ++g) {
    double clock_Hz = before.clock_Hz[g];
    Limiter limiter;
    dvfs::operating_points(node().gpu, gemm, f_ref, 0.0, 1.98e9,
                           {std::span(&before.chip[g], 1), std::span(&before.die_K[g], 1),
                            std::span(&before.limit_W[g], 1), std::span(&clock_Hz, 1), std::span(&limiter, 1)});
    REQUIRE(clock_Hz == all.clock_Hz[g]);
    REQUIRE(limiter == all.limiter[g]);
  }
}

TEST_CASE("GPUs that are known to end at the top get what a search gives them") {
  const dvfs::PhaseMix waits{0.0, 0.05, 0.02, 0.93, 0.0, 0.05, 0.01}, works{0.1, 0.5, 0.1, 0.3, 0.08, 0.5, 0.05};
  std::size_t n_top = 0, n_power = 0;
  for (const auto& mix : {waits, works, memory})
    for (const double max_Hz : {1.98e9, 1.5e9, 0.3e9})
      for (const double low_W : {150.0, 300.0, 600.0}) {
        Case all(300, low_W, 760.0);
        // One GPU in each batch that no clock would do for: then all of them are searched.
        for (std::size_t g = 0; g < 300; g += 30) all.limit_W[g] = 20.0;
        Case alone = all;
        all.solve(mix, 0.0, max_Hz);
        for (std::size_t g = 0; g < 300; ++g) {
          if (g % 30 == 0) continue;
          dvfs::operating_points(
              node().gpu, mix, f_ref, 0.0, max_Hz,
              {std::span(&alone.chip[g], 1), std::span(&alone.die_K[g], 1), std::span(&alone.limit_W[g], 1),
               std::span(&alone.clock_Hz[g], 1), std::span(&alone.limiter[g], 1)});
          REQUIRE(alone.clock_Hz[g] == all.clock_Hz[g]);
          REQUIRE(alone.limiter[g] == all.limiter[g]);
          alone.limiter[g] == Limiter::power ? ++n_power : ++n_top;
        }
      }
  CHECK(n_top > 5000);
  CHECK(n_power > 500);
}

TEST_CASE("where no clock holds the limit, the lowest one is it") {
  Case c(20, 30.0, 40.0);
  c.solve(gemm, 0.0, 1.98e9);
  for (std::size_t g = 0; g < 20; ++g) {
    CHECK(c.clock_Hz[g] == node().gpu.clock_min_Hz());
    CHECK(c.limiter[g] == Limiter::power);
  }
}

TEST_CASE("phase powers of a batch are the scalar ones") {
  Case c(77, 300.0, 700.0);
  for (auto& f : c.clock_Hz) f = std::min(std::max(f, 1.2e9), 1.98e9);
  const std::vector<dvfs::PhaseMix> mixes = {gemm, mixed, memory};
  std::vector<double> fixed_W(3 * 77), leakage_W(77);
  for (const double gate_Hz : {0.0, 1.2e9}) {
    dvfs::phase_powers(node().gpu, c.chip, mixes, f_ref, c.clock_Hz, gate_Hz, fixed_W, leakage_W);
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t g = 0; g < 77; ++g) {
        const auto p = dvfs::phase_power(node().gpu, c.chip[g], mixes[k], f_ref, c.clock_Hz[g], gate_Hz);
        REQUIRE(fixed_W[k * 77 + g] == Approx(p.fixed_W).epsilon(1e-13));
        REQUIRE(leakage_W[g] == Approx(p.leakage_W).epsilon(1e-13));
      }
  }
}

TEST_CASE("arrays of different lengths are refused") {
  Case c(4, 300.0, 700.0);
  c.limit_W.pop_back();
  CHECK_THROWS_AS(c.solve(gemm, 0.0, 1.98e9), InputError);
}

TEST_CASE("a search that starts at its own answer stays there") {
  Case c(300, 300.0, 700.0);
  c.solve(gemm, 0.0, 1.98e9);
  for (int i = 0; i < 5; ++i) {
    const auto before_Hz = c.clock_Hz;
    c.solve(gemm, 0.0, 1.98e9);
    for (std::size_t g = 0; g < 300; ++g) REQUIRE(c.clock_Hz[g] == Approx(before_Hz[g]).epsilon(1e-11));
  }
}

TEST_CASE("a limit that falls with clock and leakage is met where it falls to") {
  Case c(200, 2000.0, 2000.0);
  dvfs::OperatingPointBatch batch{c.chip, c.die_K, c.limit_W, c.clock_Hz, c.limiter};
  batch.falling_W = 800.0, batch.falling_W_per_Hz = -0.1e-6, batch.falling_per_leakage = -0.3;
  dvfs::operating_points(node().gpu, mixed, f_ref, 0.0, 1.98e9, batch);
  std::size_t n_power = 0;
  for (std::size_t g = 0; g < c.chip.size(); ++g) {
    const double factor = node().gpu.leakage_temperature_factor(c.die_K[g]);
    const auto p = dvfs::phase_power(node().gpu, c.chip[g], mixed, f_ref, c.clock_Hz[g], 0.0);
    const double W = p.fixed_W + p.leakage_W * factor;
    const double leakage_W = node().gpu.params().leakage_W * c.chip[g].leakage_ratio * factor;
    const double let_W = 800.0 - 0.1e-6 * c.clock_Hz[g] - 0.3 * leakage_W;
    if (c.limiter[g] == Limiter::power) {
      CHECK(W == Approx(let_W).epsilon(1e-9));
      ++n_power;
    } else {
      CHECK(W <= let_W);
    }
  }
  batch.falling_W = 450.0;
  dvfs::operating_points(node().gpu, mixed, f_ref, 0.0, 1.98e9, batch);
  for (std::size_t g = 0; g < c.chip.size(); ++g) n_power += c.limiter[g] == Limiter::power;
  CHECK(n_power > 100);
}
