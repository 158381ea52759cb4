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

namespace {

/// @param keep puts the more extreme of two values, or packs of them, into the second
template <class Keep>
TIDEWATT_INLINE double lane_extreme(std::span<const double> x, const Keep& keep) {
  double out = x[0];
  std::size_t i = 0;
  if (x.size() >= 8) {
    Pack8 lane, next;
    load(x.data(), lane);
    Pack8 more = lane;  // two rows of lanes: one would wait for its own last comparison
    for (i = 8; i + 16 <= x.size(); i += 16) {
      load(x.data() + i, next), keep(next, lane);
      load(x.data() + i + 8, next), keep(next, more);
    }
    if (i + 8 <= x.size()) load(x.data() + i, next), keep(next, lane), i += 8;
    keep(more, lane), keep(lane.high, lane.low);
    for (int k = 0; k < 4; ++k) keep(lane.low[k], out);
  }
  for (; i < x.size(); ++i) keep(x[i], out);
  return out;
}

struct Raise {
  TIDEWATT_INLINE void operator()(double x, double& most) const { most = x > most ? x : most; }
  template <class Pack>
  TIDEWATT_INLINE void operator()(const Pack& x, Pack& most) const {
    raise(x, most);
  }
};
struct Lower {
  TIDEWATT_INLINE void operator()(double x, double& least) const { least = x < least ? x : least; }
  template <class Pack>
  TIDEWATT_INLINE void operator()(const Pack& x, Pack& least) const {
    lower(x, least);
  }
};

}  // namespace

TIDEWATT_CLONES
double lane_max(std::span<const double> x) { return lane_extreme(x, Raise{}); }

TIDEWATT_CLONES
double lane_min(std::span<const double> x) { return lane_extreme(x, Lower{}); }

}  // namespace TIDEWATT_NAMESPACE::numerics
