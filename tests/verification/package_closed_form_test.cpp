// Row 1: package networks under piecewise-constant power against a long-double matrix exponential.
#include <array>

#include "figures.hpp"

using namespace tidewatt;
using namespace tidewatt::fleet;

namespace {

using Real = long double;
constexpr std::size_t n = 4;  // three temperatures and the constant 1
using Matrix = std::array<std::array<Real, n>, n>;

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c{};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t j = 0; j < n; ++j) c[i][j] += a[i][k] * b[k][j];
  return c;
}

// Scaling and squaring of the Taylor series: shares nothing with the library's modes.
Matrix exponential(Matrix a) {
  Real norm = 0;
  for (const auto& row : a)
    for (const Real x : row) norm = std::max(norm, std::abs(x));
  int squarings = 0;
  for (; norm > 0.25L; norm /= 2) ++squarings;
  for (auto& row : a)
    for (Real& x : row) x = std::ldexp(x, -squarings);
  Matrix sum{}, term{};
  for (std::size_t i = 0; i < n; ++i) sum[i][i] = term[i][i] = 1;
  for (int k = 1; k < 30; ++k) {
    term = product(term, a);
    for (auto& row : term)
      for (Real& x : row) x /= static_cast<Real>(k);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) sum[i][j] += term[i][j];
  }
  for (int k = 0; k < squarings; ++k) sum = product(sum, sum);
  return sum;
}

// Rises of the three stores after `d` at constant power; a package of resistance ratio r has C/r and r R.
std::array<Real, 3> step(const thermal::PackageParams& p, Real sink_W_per_K, Real r, const std::array<Real, 3>& rise,
                         Real W, Real d) {
  const Real G01 = 1 / Real(p.die_base_K_per_W), G12 = 1 / Real(p.base_sink_K_per_W);
  const Real C0 = p.die_J_per_K, C1 = p.base_J_per_K, C2 = p.sink_J_per_K;
  const Matrix a = {{{-G01 / C0 * d, G01 / C0 * d, 0, r * W / C0 * d},
                     {G01 / C1 * d, -(G01 + G12) / C1 * d, G12 / C1 * d, 0},
                     {0, G12 / C2 * d, -(G12 + sink_W_per_K) / C2 * d, 0},
                     {0, 0, 0, 0}}};
  const Matrix e = exponential(a);
  std::array<Real, 3> out{};
  for (std::size_t i = 0; i < 3; ++i) out[i] = e[i][0] * rise[0] + e[i][1] * rise[1] + e[i][2] * rise[2] + e[i][3];
  return out;
}

}  // namespace

TEST_CASE("row 1: 500 random packages follow the closed form to 1e-12 of their rise") {
  double worst = 0.0;
  for (std::uint64_t i = 0; i < 500; ++i) {
    Draws d(1, i);
    const auto p = random_package(d);
    const auto modes = thermal::package_modes(p, d.between(0.2, 1.0));
    std::vector<workload::Segment> segments;
    std::vector<LaneWatts> watts(24);
    for (std::uint32_t k = 0; k < 24; ++k) {
      segments.push_back({static_cast<Tick>(d.log_between(1e6, 3e11)), k});
      for (std::size_t g = 0; g < n_package_lane; ++g)
        watts[k].fixed_W[g] = d.between(50, 1000), watts[k].leakage_W[g] = 0.0;
    }
    PackageBlock block{};
    block.modes = &modes;
    for (std::size_t g = 0; g < n_package_lane; ++g) {
      block.air_K[g] = d.between(280, 320);
      block.resistance_ratio[g] = d.between(0.8, 1.2);
      for (auto& s : block.store_K) s[g] = block.air_K[g] + d.between(0, 40);
    }
    const PackageBlock start = block;
    const auto plan = make_batch_plan(segments, {3600 * ns_per_s, 3600 * ns_per_s, 1});
    advance_packages(plan, {0.01, 333.0}, watts, std::span(&block, 1));
    for (const std::size_t g : {std::size_t{0}, std::size_t{7}}) {
      const Real air = start.air_K[g];
      std::array<Real, 3> rise = {start.store_K[0][g] - air, start.store_K[1][g] - air, start.store_K[2][g] - air};
      Real largest = 1;
      for (std::size_t k = 0; k < segments.size(); ++k) {
        rise = step(p, modes.sink_air_W_per_K, start.resistance_ratio[g], rise, watts[k].fixed_W[g],
                    static_cast<Real>(segments[k].duration) * 1e-9L);
        largest = std::max(largest, rise[0]);
      }
      for (std::size_t s = 0; s < 3; ++s)
        worst = std::max(worst, static_cast<double>(std::abs(block.store_K[s][g] - air - rise[s]) / largest));
    }
  }
  figure(1, "packages against long double, of the largest rise", worst, 1e-12, "");
  CHECK(worst <= 1e-12);
}
