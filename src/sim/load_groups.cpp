#include "load_groups.hpp"

#include <fmt/format.h>

#include "grid/load_settings.hpp"
#include "site_params.hpp"
#include "tidewatt/catalog/catalog.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

grid::LoadGroup behind_ups(const power::UpsParams& u) {
  grid::LoadGroup g;
  g.name = "servers behind the supplies";
  g.voltage = {{u.low_pu, 0.0, true, fmt::format("site.ups.low_pu ({:g})", u.low_pu)},
               {u.high_pu, 0.0, false, fmt::format("site.ups.high_pu ({:g})", u.high_pu)}};
  g.return_low_pu = u.low_pu;
  g.return_high_pu = u.high_pu;
  g.return_s = u.return_s;
  g.ramp_s = u.walk_in_s;
  g.count_limit = u.lockout_count;
  g.count_window_s = u.lockout_window_s;
  g.count_setting = fmt::format("site.ups.lockout_count ({})", u.lockout_count);
  return g;
}

/// As a run plays site.load_settings.
grid::LoadGroup by_settings(const grid::RideThroughCurve& curve, const grid::ReturnParams& b) {
  grid::LoadGroup g;
  g.name = "the site";
  const auto add = [](std::vector<grid::Trip>& to, const std::vector<double>& limit, const std::vector<double>& s,
                      bool below, const char* key) {
    for (std::size_t i = 0; i < limit.size(); ++i)
      to.push_back({limit[i], s[i], below, fmt::format("site.load_settings {} ({:g}, {:g} s)", key, limit[i], s[i])});
  };
  add(g.voltage, curve.low_pu, curve.low_s, true, "low_pu");
  add(g.voltage, curve.high_pu, curve.high_s, false, "high_pu");
  add(g.frequency, curve.low_Hz, curve.low_Hz_s, true, "low_Hz");
  add(g.frequency, curve.high_Hz, curve.high_Hz_s, false, "high_Hz");
  g.return_low_pu = b.healthy_low_pu;
  g.return_high_pu = b.healthy_high_pu;
  g.return_s = b.return_delay_s;
  g.ramp_s = b.return_ramp_s;
  g.count_limit = b.count_limit;
  g.count_window_s = b.count_window_s;
  g.count_below_pu = b.count_below_pu;
  g.count_setting = fmt::format("site.load_settings lockout_count ({})", b.count_limit);
  return g;
}

grid::LoadGroup bare_servers() {
  std::vector<Finding> findings;
  auto g =
      grid::read_load_settings(catalog::Catalog().values("load_settings", "itic_servers"), "itic_servers", findings)
          .front()
          .group;
  g.name = "servers without a UPS";
  for (auto* trips : {&g.voltage, &g.frequency})
    for (auto& trip : *trips) trip.setting = "site.ups or site.load_settings (none: ITIC servers)";
  g.returns = false;
  return g;
}

}  // namespace

SiteGroups site_groups(const Scenario& s, double current_ratio) {
  SiteGroups out;
  out.largest_W = design_load_W(s);
  const auto& d = s.devices;
  grid::LoadGroup g = d.ups            ? behind_ups(*d.ups)
                      : d.ride_through ? by_settings(*d.ride_through, d.back.value_or(grid::ReturnParams{}))
                                       : bare_servers();
  g.power_W = out.largest_W;
  g.current_ratio = current_ratio;
  if (!d.ups && !d.ride_through)
    out.open.emplace_back(
        "no supplies and no load settings are named: servers are taken as built to the ITIC curve at the "
        "connection's voltage");
  out.open.emplace_back(
      "motors and drives of the cooling plant: no trip settings are stated, so their load is not counted");
  if (!(current_ratio < 1e9)) out.open.emplace_back("no input current limit of the supplies is stated: constant power");
  out.open.emplace_back("transformer connection: balanced voltages only");
  out.groups.push_back(std::move(g));
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::sim
