#include "block.hpp"

#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::numerics {

TIDEWATT_CLONES
double lane_sum(std::span<const double> x) {
  Pack8 lane{}, next;
  std::size_t i = 0;
  for (; i + 8 <= x.size(); i += 8) load(x.data() + i, next), lane += next;
  for (std::size_t k = 0; i < x.size(); ++i, ++k)
    if (k < 4)
      lane.low[k] += x[i];
    else
      lane.high[k - 4] += x[i];
  const Pack4 four = lane.low + lane.high;
  return (four[0] + four[2]) + (four[1] + four[3]);
}

TIDEWATT_CLONES
double lane_max(std::span<const double> x) {
  double out = x[0];
  std::size_t i = 0;
  if (x.size() >= 8) {
    Pack8 lane, next;
    load(x.data(), lane);
    Pack8 more = lane;  // two rows of lanes: one would wait for its own last comparison
    for (i = 8; i + 16 <= x.size(); i += 16) {
      load(x.data() + i, next), raise(next, lane);
      load(x.data() + i + 8, next), raise(next, more);
    }
    if (i + 8 <= x.size()) load(x.data() + i, next), raise(next, lane), i += 8;
    raise(more, lane), raise(lane.high, lane.low);
    for (int k = 0; k < 4; ++k) out = lane.low[k] > out ? lane.low[k] : out;
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
    Pack8 more = lane;  // two rows of lanes: one would wait for its own last comparison
    for (i = 8; i + 16 <= x.size(); i += 16) {
      load(x.data() + i, next), lower(next, lane);
      load(x.data() + i + 8, next), lower(next, more);
    }
    if (i + 8 <= x.size()) load(x.data() + i, next), lower(next, lane), i += 8;
    lower(more, lane), lower(lane.high, lane.low);
    for (int k = 0; k < 4; ++k) out = lane.low[k] < out ? lane.low[k] : out;
  }
  for (; i < x.size(); ++i) out = x[i] < out ? x[i] : out;
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::numerics
