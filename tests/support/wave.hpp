#pragma once
#include <vector>

#include "base/random.hpp"

/// A site's load in 1 ms means, W: iterations of 6.5 s with a dip at their end, and noise.
inline std::vector<double> wave(std::size_t n) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i)
    x[i] = (i % 6500 < 5200 ? 17e6 : 6e6) + 1e5 * tidewatt::random::normal(1, tidewatt::random::Purpose::jitter, i);
  return x;
}
