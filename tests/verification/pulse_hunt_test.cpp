// Row 5: no pulse is missed. A linear package, so that the exact peak is known.
#include <array>

#include "figures.hpp"

using namespace tidewatt;
using namespace tidewatt::fleet;

namespace {

using Real = long double;

/// Exact rises of a package, in long double, from the library's modes (row 1 vouches for those).
struct Exact {
  const thermal::PackageModes& m;
  std::array<Real, 3> y{};  ///< the modes' shares of the die's rise

  Real settled(std::size_t k, Real rW) const { return Real(m.shape[0][k]) * m.gain_K_per_J[k] * rW / m.rate_per_s[k]; }
  Real rise(Real t, Real rW) const {
    Real sum = 0;
    for (std::size_t k = 0; k < 3; ++k)
      sum += settled(k, rW) + (y[k] - settled(k, rW)) * std::exp(-m.rate_per_s[k] * t);
    return sum;
  }
  Real slope(Real t, Real rW) const {
    Real sum = 0;
    for (std::size_t k = 0; k < 3; ++k)
      sum -= m.rate_per_s[k] * (y[k] - settled(k, rW)) * std::exp(-m.rate_per_s[k] * t);
    return sum;
  }
  /// Highest rise over [0, d]: every sign change of the slope on a fine logarithmic mesh, closed in by halving.
  Real peak(Real d, Real rW) const {
    Real best = std::max(rise(0, rW), rise(d, rW)), lo = 0, slope_lo = slope(0, rW);
    for (int i = 0; i <= 40; ++i) {
      const Real hi = d * std::exp2(static_cast<Real>(i - 40) * 0.6L), slope_hi = slope(hi, rW);
      if (slope_lo > 0 && slope_hi < 0) {
        Real a = lo, b = hi;
        for (int k = 0; k < 70; ++k) (slope((a + b) / 2, rW) > 0 ? a : b) = (a + b) / 2;
        best = std::max(best, rise(a, rW));
      }
      lo = hi;
      slope_lo = slope_hi;
    }
    return best;
  }
  void advance(Real d, Real rW) {
    for (std::size_t k = 0; k < 3; ++k)
      y[k] = settled(k, rW) + (y[k] - settled(k, rW)) * std::exp(-m.rate_per_s[k] * d);
  }
};

struct Hunt {
  int n_missed = 0;
  double worst_K = 0.0;
};

// Eight traces: the same instants, different powers. Quiet, a pulse from 1 ms, quiet up to hours, another pulse, quiet.
void hunt(std::uint64_t i, const thermal::PackageModes& modes, Hunt& out) {
  Draws d(5, i);
  std::vector<workload::Segment> segments;
  std::vector<LaneWatts> watts(5);
  for (std::uint32_t k = 0; k < 5; ++k) {
    segments.push_back({static_cast<Tick>(k % 2 ? d.log_between(1e6, 1e9) : d.log_between(1e6, 1e13)), k});
    for (std::size_t g = 0; g < n_package_lane; ++g)
      watts[k].fixed_W[g] = k % 2 ? d.between(500, 1200) : d.between(60, 200);
  }
  PackageBlock block{};
  block.modes = &modes;
  for (std::size_t g = 0; g < n_package_lane; ++g) {
    block.air_K[g] = 300.0;
    block.resistance_ratio[g] = d.between(0.9, 1.1);
    for (auto& s : block.store_K) s[g] = 300.0;
  }
  const auto plan = make_batch_plan(segments, production_grading);
  std::vector<double> lane_W(plan.steps.size() * n_package_lane);
  advance_packages(plan, {0.0, 333.0}, watts, std::span(&block, 1), {best_instruction_set(), {}, true, lane_W});
  for (std::size_t g = 0; g < n_package_lane; ++g) {
    Exact exact{modes};
    Real peak = 0, energy = 0;
    for (std::size_t k = 0; k < 5; ++k) {
      const Real t = static_cast<Real>(segments[k].duration) * 1e-9L,
                 rW = Real(block.resistance_ratio[g]) * watts[k].fixed_W[g];
      peak = std::max(peak, exact.peak(t, rW));
      exact.advance(t, rW);
      energy += t * watts[k].fixed_W[g];
    }
    const double error_K = static_cast<double>(std::abs(block.die_peak_K[g] - 300.0 - peak));
    out.worst_K = std::max(out.worst_K, error_K);
    // A missed pulse would be missing in the peak, in the energy or in the recorded power.
    const auto recorded = [&](std::size_t k) {
      for (std::size_t s = 0; s < plan.steps.size(); ++s)
        if (plan.steps[s].kind == k && lane_W[s * n_package_lane + g] == watts[k].fixed_W[g]) return true;
      return false;
    };
    const bool books = std::abs(static_cast<double>(block.gpu_J[g] / energy - 1)) < 1e-12;
    if (error_K > 1e-6 || !books || !recorded(1) || !recorded(3)) ++out.n_missed;
  }
}

}  // namespace

TEST_CASE("row 5: 100,000 traces with pulses from 1 ms in gaps up to hours") {
  std::vector<thermal::PackageModes> modes;
  for (std::uint64_t i = 0; i < 100; ++i) {
    Draws d(55, i);
    const auto p = random_package(d);
    modes.push_back(thermal::package_modes(p, d.between(0.3, 1.0)));
  }
  Hunt out;
  for (std::uint64_t i = 0; i < 100'000 / n_package_lane; ++i) hunt(i, modes[i % modes.size()], out);
  figure(5, "pulses missed of 100,000 traces", out.n_missed, 0, "");
  figure(5, "peak against the exact one", out.worst_K, 1e-9, "K");
  CHECK(out.n_missed == 0);
  CHECK(out.worst_K <= 1e-9);
}
