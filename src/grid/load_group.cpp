#include "load_group.hpp"

#include <algorithm>

#include "tidewatt/base/error.hpp"
#include "tidewatt/grid/ride_through.hpp"

namespace TIDEWATT_NAMESPACE::grid {
namespace {

constexpr double lowest_pu = 1e-3;  ///< below, no power can flow

}  // namespace

SiteAnswer play(std::span<const LoadGroup> groups, std::span<const double> v_pu, std::span<const double> f_Hz,
                double step_s) {
  double before_W = 0.0;
  for (const auto& g : groups) before_W += g.power_W;
  if (!(before_W > 0.0) || !(step_s > 0.0)) throw InputError("ride-through: a site needs load, and a record a step");
  if (!f_Hz.empty() && f_Hz.size() != v_pu.size())
    throw InputError("ride-through: voltage and frequency differ in length");
  SiteAnswer out{std::vector<double>(v_pu.size(), 0.0), {}, {}};
  out.groups.reserve(groups.size());
  for (const auto& g : groups) {
    GroupTrace trace;
    trace.share_frac.resize(v_pu.size());
    RideThroughState state;
    std::vector<RideThroughEvent> events;
    RideThrough(g, step_s, !f_Hz.empty()).advance(v_pu, f_Hz, trace.share_frac, state, events);
    if (!events.empty()) trace.left_at = events.front().bin, trace.why = events.front().why;
    trace.locked = state.now == Connection::latched;
    for (std::size_t i = 0; i < v_pu.size(); ++i)
      if (v_pu[i] > lowest_pu)
        out.power_W[i] += g.power_W * trace.share_frac[i] * std::min(1.0, g.current_ratio * v_pu[i]);
    out.groups.push_back(std::move(trace));
  }
  out.current_ratio.reserve(v_pu.size());
  for (std::size_t i = 0; i < v_pu.size(); ++i)
    out.current_ratio.push_back(v_pu[i] > lowest_pu ? out.power_W[i] / before_W / v_pu[i] : 0.0);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::grid
