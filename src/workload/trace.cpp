#include "tidewatt/workload/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tidewatt/base/error.hpp"
#include "tidewatt/base/sum.hpp"

namespace TIDEWATT_NAMESPACE::workload {

std::size_t Trace::segment_at(Tick at) const {
  if (at < 0 || at >= length()) throw InputError(fmt::format("trace: {} ns is outside its {} ns", at, length()));
  return static_cast<std::size_t>(std::upper_bound(edges.begin(), edges.end(), at) - edges.begin()) - 1;
}

Trace::Summary Trace::over(std::size_t channel, Tick begin, Tick end) const {
  if (begin < 0 || begin >= end || end > length())
    throw InputError(fmt::format("trace: {} to {} ns is outside its {} ns", begin, end, length()));
  const auto& v = value.at(channel);
  std::size_t i = segment_at(begin);
  Summary out{0.0, 0.0, v[i], v[i]};
  CompensatedSum integral;
  for (; i < n_segment() && edges[i] < end; ++i) {
    integral.add(v[i] * seconds(std::min(end, edges[i + 1]) - std::max(begin, edges[i])));
    out.min = std::min(out.min, v[i]);
    out.max = std::max(out.max, v[i]);
  }
  out.integral = integral.value();
  out.mean = out.integral / seconds(end - begin);
  return out;
}

Trace Trace::total(std::string name) const {
  Trace out = *this;
  out.names = {std::move(name)};
  out.value.assign(1, std::vector<double>(n_segment(), 0.0));
  for (const auto& channel : value)
    for (std::size_t i = 0; i < channel.size(); ++i) out.value[0][i] += channel[i];
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::workload
