#include "delivery.hpp"

#include <algorithm>
#include <limits>

#include "numerics/block.hpp"

namespace TIDEWATT_NAMESPACE::connection {
namespace {

using numerics::bin_s;
using Kind = GridDisturbance::Kind;

/// The same tree with some levels lossless, so that a device can be placed between them.
power::FeederParams part(power::FeederParams p, std::size_t from, std::size_t to) {
  for (std::size_t i = 0; i < p.level.size(); ++i)
    if (i < from || i >= to) {
      auto& l = p.level[i];
      l.no_load_loss_W = l.load_loss_W = l.reactance_pu = l.magnetising_pu = 0.0;
    }
  return p;
}

std::optional<power::Feeder> below_supplies(const DeliveryParams& p) {
  if (!p.ups && !p.backup) return std::nullopt;
  return power::Feeder(part(p.feeder, 0, power::FeederParams::hall_level));
}

power::Feeder above_supplies(const DeliveryParams& p) {
  if (!p.ups && !p.backup) return power::Feeder(p.feeder);
  auto above = part(p.feeder, power::FeederParams::hall_level, power::FeederParams::n_level);
  above.load_power_factor_frac = 1.0;  // rectifiers draw in phase
  return power::Feeder(above);
}

std::optional<SupplyStage> make_supplies(const DeliveryParams& p) {
  if (!p.ups && !p.backup) return std::nullopt;
  return SupplyStage(p.ups, p.backup);
}

/// At the connection under a steady load, before battery and turbines.
double steady_W(const RackStage& racks, const std::optional<power::Feeder>& rows,
                const std::optional<SupplyStage>& supplies, const power::Feeder& transformers, double auxiliary_W) {
  if (!supplies) return transformers.at(racks.rest_W(), auxiliary_W).connection_W();
  const double protected_W = rows->at(racks.rest_W(), 0.0).connection_W() + auxiliary_W;
  return transformers.at(supplies->rest_W(protected_W), 0.0).connection_W();
}

/// Losses and loading of one level of the feeder so far.
void take_level(const power::FeederMeters& from, std::size_t level, power::FeederMeters& to) {
  to.loss_J[level] = from.loss_J[level];
  to.loading_max_frac[level] = from.loading_max_frac[level];
  to.loading2_s[level] = from.loading2_s[level];
}

}  // namespace

Delivery::Delivery(const DeliveryParams& params, double load_W, double auxiliary_W)
    : p_(params),
      racks_(params.rack_storage, params.response, load_W),
      rows_(below_supplies(params)),
      transformers_(above_supplies(params)),
      supplies_(make_supplies(params)),
      rest_W_(steady_W(racks_, rows_, supplies_, transformers_, auxiliary_W)),
      loss_(rest_W_) {
  if (p_.turbines) turbines_.emplace(*p_.turbines);
  if (p_.ride_through) ride_.emplace(*p_.ride_through, p_.back, p_.nominal_Hz);
}

void Delivery::impose(const Imposed& given) {
  if (supplies_) supplies_->impose(given.voltage_pu);
  if (ride_) ride_->impose(given, p_.nominal_Hz);
}

void Delivery::through(std::span<const double> load_W, double auxiliary_W, std::int64_t first_bin,
                       std::span<double> out_W, std::span<double> out_var, power::FeederMeters& meters) {
  auto& W = scratch_.load_W;
  const auto n_bin = static_cast<std::int64_t>(load_W.size());
  book(meters.load_J, load_W);
  meters.auxiliary_J.add(auxiliary_W * bin_s * static_cast<double>(n_bin));
  W.assign(load_W.begin(), load_W.end());
  scratch_.load_var.resize(W.size());
  racks_.through(W, power_.on());
  // Without supplies the site's own breaker opens with a loss.
  const bool dead = bus_dead(first_bin) || (!supplies_ && !power_.on());
  if (!supplies_) watch_breaker(first_bin, n_bin);
  if (supplies_) {
    through_supplies(auxiliary_W, first_bin, out_W, out_var);
  } else if (dead) {
    for (const double x : W) state_.dark_J.add((x + auxiliary_W) * bin_s);
    std::fill(out_W.begin(), out_W.end(), 0.0);
    std::fill(out_var.begin(), out_var.end(), 0.0);
  } else {
    transformers_.through(W, auxiliary_W, out_W, out_var, state_.upper);
  }
  show_losses(meters);
}

void Delivery::show_losses(power::FeederMeters& to) const {
  for (std::size_t i = 0; i < to.loss_J.size(); ++i)
    take_level(supplies_ && i < power::FeederParams::hall_level ? state_.lower : state_.upper, i, to);
}

/// The site's own breaker: it opens with the utility and may close after its dead time, once the bus has voltage.
void Delivery::watch_breaker(std::int64_t first_bin, std::int64_t n_bin) {
  if (lost(first_bin, Kind::utility_loss))
    power_.ends(first_bin, "the utility is lost and the site has no other supply");
  if (bus_dead(first_bin)) return;
  if (const auto bin = std::max(first_bin, power_.earliest_return()); bin < first_bin + n_bin) power_.comes_back(bin);
}

void Delivery::through_supplies(double auxiliary_W, std::int64_t first_bin, std::span<double> out_W,
                                std::span<double> out_var) {
  auto& [island, load_W, load_var, drawn_W, events] = scratch_;
  drawn_W.assign(load_W.size(), 0.0);
  if (power_.on()) rows_->through(load_W, 0.0, drawn_W, load_var, state_.lower);
  for (std::size_t i = 0; i < load_W.size(); ++i) load_W[i] = drawn_W[i] + auxiliary_W;
  const bool dead = bus_dead(first_bin);
  supplies_->through(load_W, dead ? 0.0 : supplies_->imposed_pu().value_or(p_.source_pu * voltage_ratio(first_bin)),
                     first_bin, p_.may_overload, power_, out_W);
  drawn_W.assign(out_W.begin(), out_W.end());
  if (dead)
    std::fill(out_var.begin(), out_var.end(), 0.0);
  else
    transformers_.through(drawn_W, 0.0, out_W, out_var, state_.upper);
}

double Delivery::repeat(const Mark& before, double count, double rest_J) {
  auto& m = state_.upper;
  const double more_J =
      racks_.repeat(before.racks, count, rest_J) - (m.load_J.value() - before.upper.load_J.value()) * count;
  const double fed_J = m.drawn_J.value();
  const auto book = [count](CompensatedSum& now, const CompensatedSum& then, double more) {
    now.add((now.value() - then.value()) * count + more);
  };
  book(m.load_J, before.upper.load_J, more_J);
  book(m.auxiliary_J, before.upper.auxiliary_J, 0.0);
  book(m.drawn_J, before.upper.drawn_J, more_J);
  for (std::size_t i = 0; i < m.loss_J.size(); ++i) {
    book(m.loss_J[i], before.upper.loss_J[i], 0.0);
    book(m.loading2_s[i], before.upper.loading2_s[i], 0.0);
  }
  return m.drawn_J.value() - fed_J;
}

void Delivery::set_power(bool on, std::int64_t bin) {
  power_.set(on, bin);
  if (on) return;
  if (supplies_)
    supplies_->drop();
  else if (turbines_)
    turbines_->trip();
}

bool Delivery::can_lose_power() const {
  return (supplies_ && (p_.may_overload || supplies_->imposed_pu())) ||
         std::any_of(p_.disturbances.begin(), p_.disturbances.end(),
                     [&](const auto& d) { return supplies_ || ends_power(d.kind); });
}

bool Delivery::near_disturbance(std::int64_t bin, std::int64_t margin) const {
  return (supplies_ && (p_.may_overload || supplies_->imposed_pu())) ||
         std::any_of(p_.disturbances.begin(), p_.disturbances.end(),
                     [&](const auto& d) { return d.begin_bin <= bin + margin && bin <= d.end_bin + margin; });
}

bool Delivery::bus_dead(std::int64_t bin) const {
  return lost(bin, Kind::utility_loss) || (turbines_ && turbines_->tripped() && lost(bin, Kind::islanding));
}

std::int64_t Delivery::most_bins(std::int64_t bin) const {
  // A trip of the island's turbines acts on the supplies at once.
  return supplies_ && turbines_ && lost(bin, Kind::islanding) ? 1 : std::numeric_limits<std::int64_t>::max();
}

void Delivery::connect(std::span<double> pcc_W, std::span<double> pcc_var, std::int64_t first_bin,
                       const grid::Source& source) {
  book(state_.bus_J, pcc_W);
  scratch_.on_island = lost(first_bin, Kind::islanding);
  if (turbines_) {
    if (scratch_.on_island)
      turbines_->carry(pcc_W, pcc_var, first_bin, supplies_ ? nullptr : &power_);
    else if (!lost(first_bin, Kind::utility_loss))
      turbines_->run_beside(pcc_W);  // they trip with the utility
  }
  if (ride_ && !scratch_.on_island)
    ride_->through(pcc_W, pcc_var, first_bin, voltage_ratio(first_bin), source, scratch_.events);
  loss_.push(pcc_W, first_bin, p_.disturbances);
}

void Delivery::island_frequency(std::span<double> deviation_Hz) const {
  if (!scratch_.on_island || !turbines_) return;
  for (std::size_t i = 0; i < deviation_Hz.size(); ++i) deviation_Hz[i] = turbines_->island_Hz()[i] - p_.nominal_Hz;
}

double Delivery::unserved_J() const {
  double J = state_.dark_J.value() + (turbines_ ? turbines_->meters().unserved_J.value() : 0.0);
  if (const auto* u = ups()) J += u->unserved_J.value();
  return J;
}

double Delivery::local_J() const {
  const auto* generators = backup();
  return (generators != nullptr ? generators->generator_J.value() : 0.0) + parallel_J() +
         (turbines_ ? turbines_->island_J() : 0.0) + own_supply_J();
}

std::vector<BookLevel> Delivery::books(const power::FeederMeters& asked, double bus_J, double connection_J) const {
  const auto& [lower, upper, dark_J, site_bus_J] = state_;
  const double auxiliary_J = asked.auxiliary_J.value();
  std::vector<BookLevel> out;
  racks_.add_books(asked.load_J.value(), out);
  if (supplies_) {
    supplies_->add_books(lower, upper, racks_.drawn_J(), auxiliary_J, out);
  } else {
    out.push_back({"feeder", upper.drawn_J.value(),
                   upper.load_J.value() + upper.auxiliary_J.value() + upper.total_loss_J(), 0.0});
    out.push_back({"feeder load", racks_.drawn_J() + auxiliary_J,
                   upper.load_J.value() + upper.auxiliary_J.value() + dark_J.value(), 0.0});
  }
  out.push_back({"site bus", site_bus_J.value(), bus_J, 0.0});
  const double island_J = turbines_ ? turbines_->island_J() : 0.0,
               unserved_J = turbines_ ? turbines_->meters().unserved_J.value() : 0.0;
  out.push_back(
      {"connection", site_bus_J.value(), connection_J + parallel_J() + island_J + unserved_J + own_supply_J(), 0.0});
  if (turbines_) turbines_->add_books(out);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::connection
