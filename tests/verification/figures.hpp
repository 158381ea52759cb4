#pragma once
#include <fmt/format.h>

#include <cmath>

#include "base/random.hpp"
#include "catch.hpp"
#include "fleet/package_batch.hpp"

/// A figure of the scorecard, printed whether it holds or not.
inline void figure(int row, const char* what, double value, double bound, const char* unit) {
  fmt::print("row {:>2}  {:<58} {:>11.3g} {} (goal {:g})\n", row, what, value, unit, bound);
}

/// Uniform draws in order, a pure function of (seed, entity).
class Draws {
 public:
  Draws(std::uint64_t seed, std::uint64_t entity) : seed_(seed), entity_(entity) {}
  double between(double low, double high) {
    return low + (high - low) * tidewatt::random::uniform(seed_, tidewatt::random::Purpose::jitter, entity_, index_++);
  }
  double log_between(double low, double high) { return std::exp(between(std::log(low), std::log(high))); }

 private:
  std::uint64_t seed_, entity_, index_ = 0;
};

/// A package of any size that a GPU could have.
inline tidewatt::thermal::PackageParams random_package(Draws& d) {
  return {d.log_between(0.5, 5),      d.log_between(10, 200),   d.log_between(200, 3000), d.log_between(0.005, 0.05),
          d.log_between(0.005, 0.05), d.log_between(0.01, 0.1), d.between(0.4, 0.9)};
}

inline double worst_die_difference(const std::vector<tidewatt::fleet::PackageBlock>& a,
                                   const std::vector<tidewatt::fleet::PackageBlock>& b) {
  double worst = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t g = 0; g < tidewatt::fleet::n_package_lane; ++g)
      worst = std::max(worst, std::abs(a[i].store_K[0][g] - b[i].store_K[0][g]));
  return worst;
}
