#include "grid_play.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "grid_stepper.hpp"

namespace TIDEWATT_NAMESPACE::grid {
namespace {

using Complex = std::complex<double>;
constexpr double same_s = 1e-9;

/// The site's load just before (`after` false) or just after a time.
Complex load_at(const std::vector<SitePoint>& site, double t_s, bool after) {
  if (site.empty()) return 0.0;
  const auto behind = [&](const SitePoint& p) { return after ? p.at_s <= t_s + same_s : p.at_s < t_s - same_s; };
  const auto next = static_cast<std::size_t>(std::partition_point(site.begin(), site.end(), behind) - site.begin());
  if (next == 0) return site.front().at_s > t_s + same_s ? 0.0 : site.front().load_VA;
  if (next == site.size()) return site.back().load_VA;
  const SitePoint &a = site[next - 1], &b = site[next];
  const double share = b.at_s > a.at_s ? std::clamp((t_s - a.at_s) / (b.at_s - a.at_s), 0.0, 1.0) : 1.0;
  if (share >= 1.0) return b.load_VA;  // to the bit: else a point would count as a jump
  return a.load_VA + share * (b.load_VA - a.load_VA);
}

void record(const GridSystem& s, const GridState& y, double t_s, GridTrace& out) {
  const double f0 = s.network().nominal_Hz;
  out.time_s.push_back(t_s);
  out.mean_Hz.push_back(f0 * s.mean_speed_pu(y));
  for (std::size_t u = 0; u < s.n_unit(); ++u) {
    const auto r = s.unit(u).readout(s.part(std::span<const double>(y.x), u), y.v[s.bus_of(u)]);
    out.speed_Hz.push_back(s.connected(u) ? f0 * r.speed_pu : 0.0);
    out.angle_rad.push_back(r.angle_rad);
    out.power_W.push_back(s.power_W(y, u));
  }
  for (const Complex v : y.v) out.voltage_pu.push_back(std::abs(v)), out.voltage_rad.push_back(std::arg(v));
}

std::vector<double> stops_of(const std::vector<SitePoint>& site, const std::vector<GridTrip>& trips, double length_s) {
  std::vector<double> out = {length_s};
  for (const auto& p : site) out.push_back(p.at_s);
  for (const auto& t : trips) out.push_back(t.at_s);
  std::sort(out.begin(), out.end());
  std::vector<double> apart;
  for (const double t : out)
    if (t <= length_s + same_s && (apart.empty() || t > apart.back() + same_s)) apart.push_back(std::min(t, length_s));
  return apart;
}

}  // namespace

std::vector<SitePoint> site_points(std::span<const double> load_W, double step_s, double merge_s, double offset_W) {
  const auto merge = std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(merge_s / step_s)));
  std::vector<SitePoint> out;
  out.reserve(load_W.size() / merge + 1);
  for (std::size_t i = 0; i < load_W.size(); i += merge) {
    const auto piece = load_W.subspan(i, std::min(merge, load_W.size() - i));
    const auto n = static_cast<double>(piece.size());
    out.push_back(
        {(static_cast<double>(i) + 0.5 * n) * step_s, std::accumulate(piece.begin(), piece.end(), 0.0) / n + offset_W});
  }
  return out;
}

void play(GridSystem& system, const std::vector<SitePoint>& site, const std::vector<GridTrip>& trips,
          const GridPlayOptions& options, const std::function<void(double, const GridState&)>& row) {
  if (!(options.length_s > 0.0 && options.step_s > 0.0)) throw InputError("network: length and step must be positive");
  for (std::size_t i = 0; i < site.size(); ++i)
    if (site[i].at_s < (i > 0 ? site[i - 1].at_s : 0.0))
      throw InputError("network: the site's points must be in the order of time, from 0 on");
  GridStepper stepper;
  GridState y = system.rest();
  system.set_site(0.0);
  stepper.settle(system, y, 0.0);
  row(0.0, y);
  std::vector<double> rate(y.x.size());
  double now_s = 0.0;
  Complex drawn = 0.0;
  const auto jump = [&](double t_s) {
    bool any = false;
    for (const auto& t : trips)
      if (std::abs(t.at_s - t_s) <= same_s) {
        if (t.to == 0)
          system.trip_unit(t.bus, t.id);
        else
          system.trip_branch(t.bus, t.to, t.id);
        stepper = GridStepper();
        any = true;
      }
    const Complex load = load_at(site, t_s, true);
    if (load != drawn) any = true;
    system.set_site(drawn = load);
    if (!any) return;
    stepper.settle(system, y, t_s);
    row(t_s, y);
  };
  jump(0.0);
  for (const double stop_s : stops_of(site, trips, options.length_s)) {
    if (stop_s > now_s + same_s) {
      const auto n = static_cast<long>(std::ceil((stop_s - now_s) / options.step_s - 1e-9));
      const double h = (stop_s - now_s) / static_cast<double>(n), from_s = now_s;
      for (long i = 0; i < n; ++i) {
        system.rates(y, rate);
        const double end_s = i + 1 == n ? stop_s : from_s + h * static_cast<double>(i + 1);
        system.set_site(drawn = load_at(site, end_s, false));
        stepper.step(system, y, rate, h, now_s);
        now_s = end_s;
        row(now_s, y);
      }
    }
    jump(stop_s);
  }
}

GridTrace play(GridSystem& system, const std::vector<SitePoint>& site, const std::vector<GridTrip>& trips,
               const GridPlayOptions& options) {
  GridTrace out;
  out.nominal_Hz = system.network().nominal_Hz;
  out.site_bus = system.site_bus();
  for (std::size_t u = 0; u < system.n_unit(); ++u) {
    out.unit.push_back(fmt::format("{}-{}", system.network().bus[system.bus_of(u)].number, system.generator(u).id));
    out.machine.push_back(system.unit(u).inertia_s() > 0.0);
  }
  play(system, site, trips, options, [&](double t_s, const GridState& y) { record(system, y, t_s, out); });
  out.stored_J = system.stored_J();
  for (std::size_t u = 0; u < system.n_unit(); ++u) out.connected.push_back(system.connected(u));
  return out;
}

GridAnswer grid_answer(const GridTrace& t, double event_s) {
  GridAnswer a;
  a.event_s = event_s;
  const std::size_t n = t.unit.size(), rows = t.time_s.size();
  // The last row before the event, and the first after it, have its time.
  std::size_t behind = 0;
  while (behind < rows && t.time_s[behind] < event_s + same_s) ++behind;
  if (behind < 2 || behind + 3 > rows || !(event_s > 0.0))
    throw InputError("network: the event must lie inside the trace");
  const std::size_t after = behind - 1, before = behind - 2;
  for (std::size_t r = 0; r <= before; ++r)
    for (std::size_t u = 0; u < n; ++u) a.before_Hz = std::max(a.before_Hz, std::abs(t.speed_Hz[r * n + u]));
  for (std::size_t u = 0; u < n; ++u)
    if (t.machine[u] && t.connected[u]) a.power_step_W += t.power_W[after * n + u] - t.power_W[before * n + u];
  const double h = t.time_s[after + 1] - t.time_s[after];
  a.rocof_Hz_per_s = (-3.0 * t.mean_Hz[after] + 4.0 * t.mean_Hz[after + 1] - t.mean_Hz[after + 2]) / (2.0 * h);
  a.expected_rocof_Hz_per_s = -t.nominal_Hz * a.power_step_W / (2.0 * t.stored_J);
  a.machine_first_Hz.assign(n, 0.0);
  double first = 0.0, last = 0.0, first_s = 0.0, last_s = 0.0;
  for (std::size_t r = after; r < rows; ++r) {
    if (std::abs(t.mean_Hz[r]) > std::abs(a.extremum_Hz))
      a.extremum_Hz = t.mean_Hz[r], a.extremum_s = t.time_s[r] - event_s;
    if (r == after) continue;
    const double dt = t.time_s[r] - t.time_s[r - 1];
    if (t.time_s[r] <= event_s + 2.0 + same_s) {
      first += dt * t.mean_Hz[r], first_s += dt;
      for (std::size_t u = 0; u < n; ++u) a.machine_first_Hz[u] += dt * t.speed_Hz[r * n + u];
    }
    if (t.time_s[r] >= t.time_s.back() - 0.1 * (t.time_s.back() - event_s)) last += dt * t.mean_Hz[r], last_s += dt;
  }
  a.first_mean_Hz = first / first_s;
  for (double& f : a.machine_first_Hz) f /= first_s;
  a.settled_Hz = last / last_s;
  return a;
}

}  // namespace TIDEWATT_NAMESPACE::grid
