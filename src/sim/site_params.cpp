#include "site_params.hpp"

#include <algorithm>
#include <cmath>

namespace TIDEWATT_NAMESPACE::sim {
namespace {

constexpr double auxiliary_share = 0.1;  ///< of the nodes' design power: what feeders are sized for beside them
constexpr double supply_share = 1.15;    ///< supplies carry nodes, auxiliaries and the rows' losses

std::int64_t bin_of(double s) { return std::llround(s * 1e3); }

/// Finest level of the pyramid that a run may keep: a million buckets at most, so memory does not grow with its length.
std::size_t kept_level(double duration_s) {
  std::size_t level = 1;
  for (double bucket_s = 1.0; level < 3 && duration_s / bucket_s > 1e6; bucket_s = level == 1 ? 10.0 : 60.0, ++level) {
  }
  return level;
}

/// `n` equal stores side by side.
void scale(power::StoreParams& s, double n) {
  s.power_W *= n;
  s.energy_J *= n;
}

/// AC power of a hall's server with every GPU at its board limit and fans at full speed.
double server_design_W(const HallSpec& h) {
  return power::server_power(h.server, h.gpu.tdp_W * static_cast<double>(h.server.n_gpu), 1.0, true).ac_W;
}

std::int64_t rack_branches(const Scenario& s, double other_W) {
  const double rating_W = s.feeder.level[0].rating_VA * s.feeder.load_power_factor_frac;
  if (!(rating_W > 0.0)) return 0;
  double n = std::ceil(other_W / (rating_W * s.feeder.design_loading_frac));
  for (const auto& h : s.halls) {
    const double rack_W = server_design_W(h) * static_cast<double>(h.hall.servers_per_rack);
    n += static_cast<double>(n_rack(h)) * std::max(1.0, std::ceil(rack_W / rating_W));
  }
  return static_cast<std::int64_t>(n);
}

power::UpsParams supplies(const SiteDevices& d, double design_W) {
  auto ups = *d.ups;
  const double n = d.n_ups > 0 ? static_cast<double>(d.n_ups) : std::ceil(supply_share * design_W / ups.rating_W);
  ups.rating_W *= n;
  ups.recharge_W *= n;
  scale(ups.battery, n);
  return ups;
}

/// What the grid does in an event of this kind; nothing where it does nothing. No default: the compiler asks about a new kind.
std::optional<connection::GridDisturbance::Kind> disturbance(EventKind kind) {
  switch (kind) {
    case EventKind::sag:
      return connection::GridDisturbance::Kind::sag;
    case EventKind::utility_loss:
      return connection::GridDisturbance::Kind::utility_loss;
    case EventKind::islanding:
      return connection::GridDisturbance::Kind::islanding;
    case EventKind::failure:
    case EventKind::planned_stop:
    case EventKind::pause:
    case EventKind::power_brake:
    case EventKind::curtailment:
    case EventKind::fan_wall_out:
    case EventKind::cdu_out:
    case EventKind::pump_out:
    case EventKind::rejection_out:
    case EventKind::chiller_out:
    case EventKind::filter_blocked:
      return {};
  }
  return {};
}

std::vector<connection::GridDisturbance> disturbances(const Scenario& s) {
  std::vector<connection::GridDisturbance> out;
  for (const auto& e : s.events)
    if (const auto kind = disturbance(e.kind))
      out.push_back({*kind, bin_of(e.at_s), bin_of(e.at_s + e.duration_s), e.voltage_ratio});
  return out;
}

/// @param plant_W of the plants at rest
connection::DeliveryParams delivery(const Scenario& s, const power::FeederParams& feeder, double design_W,
                                    double plant_W) {
  const auto& d = s.devices;
  connection::DeliveryParams out;
  out.feeder = feeder;
  out.source_pu = s.source.source_pu;
  out.nominal_Hz = s.frequency.nominal_Hz;
  if (d.rack_storage) {
    auto& rack = out.rack_storage.emplace(*d.rack_storage);
    const double n = n_rack_storage(s);
    scale(rack.store, n);
    rack.ramp_up_W_per_s *= n;
    rack.ramp_down_W_per_s *= n;
  }
  if (d.response) out.response.emplace(*d.response).rating_W = design_W;
  if (d.ups) {
    const auto ups = supplies(d, design_W);
    // Nodes at their design power with their plants, of which some draw much at rest.
    constexpr double most_auxiliary = 1.4, most_of_rest = 2.0;
    const double most_W = std::max(most_auxiliary * design_W, design_W + most_of_rest * plant_W);
    out.may_overload = ups.rating_W * ups.overload_ratio < most_W;
    if (d.generators)
      out.backup = {ups, *d.generators, d.start_after_s, d.utility_good_s, d.transfer_gap_s};
    else
      out.ups = ups;
  }
  out.turbines = d.turbines;
  out.ride_through = d.ride_through;
  out.back = d.back.value_or(grid::ReturnParams{});
  out.disturbances = disturbances(s);
  return out;
}

connection::GridMeterParams meters(const Scenario& s, double design_W) {
  connection::GridMeterParams m;
  m.nominal_Hz = s.frequency.nominal_Hz;
  m.class_W = design_W * 1.5 / 1024.0;
  m.from_bin = bin_of(s.devices.rules_from_s);
  if (s.devices.rules_until_s > 0.0) m.until_bin = bin_of(s.devices.rules_until_s);
  m.rules = s.devices.rules;
  m.spread_frac = s.devices.figure_spread_frac;
  return m;
}

}  // namespace

double design_load_W(const Scenario& s) {
  double W = 0.0;
  for (const auto& h : s.halls) W += server_design_W(h) * static_cast<double>(h.hall.n_gpu / h.server.n_gpu);
  return W;
}

std::int64_t n_rack(const HallSpec& h) {
  const std::int64_t gpus = h.server.n_gpu * h.hall.servers_per_rack;
  return (h.hall.n_gpu + gpus - 1) / gpus;
}

double n_rack_storage(const Scenario& s) {
  if (s.devices.storage_per == StoragePer::site) return 1.0;
  std::int64_t n = 0;
  for (const auto& h : s.halls) n += s.devices.storage_per == StoragePer::gpu ? h.hall.n_gpu : n_rack(h);
  return static_cast<double>(n);
}

power::FeederParams sized_feeder(const Scenario& s, double other_W) {
  const double design_W = design_load_W(s) + other_W;
  return s.feeder.sized(design_W, auxiliary_share * design_W, rack_branches(s, other_W));
}

connection::SiteStream::Params site_stream_params(const Scenario& s, std::size_t n_lane, double other_W,
                                                  double plant_W) {
  connection::SiteStream::Params p;
  const double design_W = design_load_W(s) + other_W;
  p.feeder = sized_feeder(s, other_W);
  p.source = s.source;
  p.frequency = s.frequency;
  p.reserves = s.reserves;
  p.battery = s.battery;
  p.battery_wear = s.battery_wear;
  p.n_lane = n_lane;
  p.first_kept_level = kept_level(s.run.duration_s);
  // A deadband and stages that act once leave no two repetitions alike.
  p.closed_form = !s.run.reference && !s.reserves;
  for (const auto& w : s.windows) p.windows.push_back({w.name, to_tick(w.start_s), to_tick(w.start_s + w.duration_s)});
  if (auto d = delivery(s, p.feeder, design_W, plant_W); d.any()) p.delivery = std::move(d);
  p.meters = meters(s, design_W);
  for (const auto& e : s.events)
    if (e.kind == EventKind::curtailment)
      p.orders.push_back({bin_of(e.at_s), bin_of(e.at_s + e.duration_s), e.limit_W, e.by == OrderMeans::storage});
  return p;
}

}  // namespace TIDEWATT_NAMESPACE::sim
