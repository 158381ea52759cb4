#include "block.hpp"

#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::numerics {

TIDEWATT_CLONES
double lane_sum(std::span<const double> x) {
  Pack8 lane{}, next;
  std::size_t i = 0;
  for (; i + 8 <= x.size(); i += 8) load(x.data() + i, next), lane += next;
  for (std::size_t k = 0; i < x.size(); ++i, ++k) lane[k] += x[i];
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

TIDEWATT_CLONES
double lane_max(std::span<const double> x) {
  double out = x[0];
  std::size_t i = 0;
  if (x.size() >= 8) {
    Pack8 lane, next;
    load(x.data(), lane);
    for (i = 8; i + 8 <= x.size(); i += 8) load(x.data() + i, next), lane = next > lane ? next : lane;
    for (int k = 0; k < 8; ++k) out = lane[k] > out ? lane[k] : out;
  }
  for (; i < x.size(); ++i) out = x[i] > out ? x[i] : out;
  return out;
}

TIDEWATT_CLONES
double lane_min(std::span<const double> x) {
  double out = x[0];
  std::size_t i = 0;
  if (x.size() >= 8) {
    Pack8 lane, next;
    load(x.data(), lane);
    for (i = 8; i + 8 <= x.size(); i += 8) load(x.data() + i, next), lane = next < lane ? next : lane;
    for (int k = 0; k < 8; ++k) out = lane[k] < out ? lane[k] : out;
  }
  for (; i < x.size(); ++i) out = x[i] < out ? x[i] : out;
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::numerics
