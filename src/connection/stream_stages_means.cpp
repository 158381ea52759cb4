// Meters of the connection's complete means.
#include <algorithm>
#include <limits>

#include "stream_stages.hpp"

namespace TIDEWATT_NAMESPACE::connection {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr std::int64_t never_bin = std::numeric_limits<std::int64_t>::max();

}  // namespace

std::int64_t OrderMeter::next_edge(std::int64_t bin) const {
  std::int64_t next = never_bin;
  for (const auto& o : orders_)
    for (const std::int64_t edge : {o.begin_bin, o.end_bin})
      if (edge > bin) next = std::min(next, edge);
  return next;
}

double OrderMeter::ceiling_W(std::int64_t bin) const {
  double limit_W = infinite;
  for (const auto& o : orders_)
    if (o.by_storage && o.begin_bin <= bin && bin < o.end_bin) limit_W = std::min(limit_W, o.limit_W);
  return limit_W;
}

void OrderMeter::push_means(std::span<const grid::Bucket> finest) {
  for (const auto& o : orders_)
    for (const auto& b : finest) {
      if (b.first_bin < o.begin_bin || b.first_bin + b.n_bin > o.end_bin) continue;
      const double s = static_cast<double>(b.n_bin) * 1e-3;
      figures_.max_W = std::max(figures_.max_W, b.max_W);
      figures_.mean_J += b.mean_W * s;
      figures_.s += s;
      figures_.over_J += std::max(0.0, b.mean_W - o.limit_W) * s;
      figures_.most_over_W = std::max(figures_.most_over_W, b.max_W - o.limit_W);
    }
}

}  // namespace TIDEWATT_NAMESPACE::connection
