#include "tidewatt/sim/delivery.hpp"

#include <algorithm>
#include <limits>

#include "tidewatt/numerics/block.hpp"

namespace tidewatt::sim {
namespace {

using numerics::bin_s;
constexpr std::int64_t settle_bins = 500;  ///< what leaves the grid within half a second of a disturbance is lost by it

/// The same tree with some levels lossless, so that a device can stand between them.
power::FeederParams part(power::FeederParams p, std::size_t from, std::size_t to) {
  for (std::size_t i = 0; i < p.level.size(); ++i)
    if (i < from || i >= to) {
      auto& l = p.level[i];
      l.no_load_loss_W = l.load_loss_W = l.reactance_pu = l.magnetising_pu = 0.0;
    }
  return p;
}

void book(CompensatedSum& sum, std::span<const double> W) {
  CompensatedSum chunk;
  for (const double x : W) chunk.add(x * bin_s);
  sum.add(chunk);
}

/// What one level of the feeder has lost and borne so far.
void take_level(const power::FeederMeters& from, std::size_t level, power::FeederMeters& to) {
  to.loss_J[level] = from.loss_J[level];
  to.loading_max_frac[level] = from.loading_max_frac[level];
}

}  // namespace

Delivery::Delivery(const DeliveryParams& params, double load_W, double auxiliary_W) : p_(params) {
  if (p_.rack_storage) {
    rack_.emplace(*p_.rack_storage);
    rack_state_ = rack_->start(load_W);
  }
  double asked_W = load_W;
  if (p_.response) {
    chain_.emplace(*p_.response);
    chain_state_ = chain_->start(load_W);
    asked_W += chain_->loss_W(load_W);
  }
  if (p_.ups || p_.backup) {
    below_.emplace(part(p_.feeder, 0, power::FeederParams::hall_level));
    auto above = part(p_.feeder, power::FeederParams::hall_level, power::FeederParams::n_level);
    above.load_power_factor_frac = 1.0;  // rectifiers draw in phase
    above_.emplace(above);
    const double protected_W = below_->at(asked_W, 0.0).connection_W() + auxiliary_W;
    if (p_.backup) {
      backup_.emplace(*p_.backup);
      backup_state_ = backup_->start();
      rest_W_ = protected_W + backup_->ups().loss_W(protected_W, p_.backup->ups.eco);
    } else {
      ups_.emplace(*p_.ups);
      ups_state_ = ups_->start();
      rest_W_ = protected_W + ups_->loss_W(protected_W, p_.ups->eco);
    }
    rest_W_ = above_->at(rest_W_, 0.0).connection_W();
  } else {
    whole_.emplace(p_.feeder);
    rest_W_ = whole_->at(asked_W, auxiliary_W).connection_W();
  }
  if (p_.turbines) turbine_.emplace(p_.turbines->generator);
  if (p_.ride_through) ride_.emplace(*p_.ride_through, p_.back, p_.nominal_Hz);
  before_W_ = rest_W_;
}

std::int64_t Delivery::next_edge(std::int64_t bin) const {
  std::int64_t next = std::numeric_limits<std::int64_t>::max();
  for (const auto& d : p_.disturbances)
    for (const std::int64_t edge : {d.begin_bin, d.end_bin})
      if (edge > bin) next = std::min(next, edge);
  return next;
}

bool Delivery::lost(std::int64_t bin, GridDisturbance::Kind kind) const {
  return std::any_of(p_.disturbances.begin(), p_.disturbances.end(),
                     [&](const auto& d) { return d.kind == kind && d.begin_bin <= bin && bin < d.end_bin; });
}

bool Delivery::disturbed(std::int64_t bin) const {
  return std::any_of(p_.disturbances.begin(), p_.disturbances.end(),
                     [&](const auto& d) { return d.begin_bin <= bin && bin < d.end_bin; });
}

double Delivery::voltage_ratio(std::int64_t bin) const {
  double ratio = 1.0;
  for (const auto& d : p_.disturbances)
    if (d.begin_bin <= bin && bin < d.end_bin) {
      if (d.kind == GridDisturbance::Kind::sag) ratio = std::min(ratio, d.voltage_ratio);
      if (d.kind == GridDisturbance::Kind::utility_loss) ratio = 0.0;
    }
  return ratio;
}

void Delivery::through(std::span<const double> load_W, double auxiliary_W, std::int64_t first_bin, std::span<double> out_W,
                       std::span<double> out_var, power::FeederMeters& meters) {
  const std::size_t n = load_W.size();
  book(meters.load_J, load_W);
  meters.auxiliary_J.add(auxiliary_W * bin_s * static_cast<double>(n));
  work_W_.assign(load_W.begin(), load_W.end());
  work_var_.resize(n);
  if (rack_ && powered_) {
    rack_->step(work_W_, work_W_, rack_state_, rack_meters_);
    book(rack_out_J_, work_W_);
  }
  if (chain_ && powered_) chain_->step(work_W_, work_W_, chain_state_, chain_meters_);
  book(row_in_J_, work_W_);
  // Without supplies the site's own breaker opens with a loss.
  const bool dead = bus_dead(first_bin) || (!below_ && !powered_);
  if (!below_ && lost(first_bin, GridDisturbance::Kind::utility_loss)) changed(first_bin, false, "the utility is lost and the site has no other supply");
  if (!below_ && !bus_dead(first_bin))
    if (const auto bin = std::max(first_bin, dark_from_ + dead_bins); bin < first_bin + static_cast<std::int64_t>(n)) changed(bin, true, "");
  if (below_) {
    drawn_W_.assign(n, 0.0);
    if (powered_) below_->through(work_W_, 0.0, drawn_W_, work_var_, lower_);
    protect(auxiliary_W, first_bin, out_W);
    drawn_W_.assign(out_W.begin(), out_W.end());
    if (dead)
      std::fill(out_var.begin(), out_var.end(), 0.0);
    else
      above_->through(drawn_W_, 0.0, out_W, out_var, upper_);
  } else if (dead) {
    for (const double W : work_W_) dark_J_.add((W + auxiliary_W) * bin_s);
    std::fill(out_W.begin(), out_W.end(), 0.0);
    std::fill(out_var.begin(), out_var.end(), 0.0);
  } else {
    whole_->through(work_W_, auxiliary_W, out_W, out_var, upper_);
  }
  for (std::size_t i = 0; i < meters.loss_J.size(); ++i) take_level(below_ && i < power::FeederParams::hall_level ? lower_ : upper_, i, meters);
}

/// Supplies, and generators if there are any: what they draw from the utility.
void Delivery::protect(double auxiliary_W, std::int64_t first_bin, std::span<double> out_W) {
  const std::size_t n = work_W_.size();
  for (std::size_t i = 0; i < n; ++i) work_W_[i] = drawn_W_[i] + auxiliary_W;
  voltage_pu_.assign(n, bus_dead(first_bin) ? 0.0 : p_.source_pu * voltage_ratio(first_bin));
  served_W_.resize(n);
  const auto& params = backup_ ? backup_->ups().params() : ups_->params();
  const auto& state = backup_ ? backup_state_.ups : ups_state_;
  const auto& meters = *ups();
  using enum power::UpsMode;
  const bool good = voltage_pu_.front() >= params.low_pu && voltage_pu_.front() <= params.high_pu;
  if (powered_ && good && state.mode == normal && !p_.may_overload) {
    supply(0, n, out_W);
  } else {  // bin by bin, to see where the load is dropped or can be served again
    for (std::size_t i = 0; i < n; ++i) {
      const std::int64_t bin = first_bin + static_cast<std::int64_t>(i), n_off = meters.n_off;
      supply(i, i + 1, out_W);
      if (meters.n_off > n_off) changed(bin, false, "the supplies dropped the load");
      if (closes(bin) && (state.mode == normal || state.mode == returning)) changed(bin, true, "");
    }
  }
  book(utility_J_, out_W);
}

void Delivery::supply(std::size_t from, std::size_t to, std::span<double> out_W) {
  const auto part = [&](auto& v) { return std::span(v).subspan(from, to - from); };
  const std::span<const double> load_W = part(work_W_), voltage_pu = part(voltage_pu_);
  if (backup_) backup_->step(load_W, voltage_pu, out_W.subspan(from, to - from), part(served_W_), backup_state_, backup_meters_);
  else ups_->step(load_W, voltage_pu, out_W.subspan(from, to - from), part(served_W_), ups_state_, ups_meters_);
}

void Delivery::connect(std::span<double> pcc_W, std::span<double> pcc_var, std::int64_t first_bin, const grid::Source& source) {
  book(bus_J_, pcc_W);
  island_now_ = lost(first_bin, GridDisturbance::Kind::islanding);
  if (turbine_) run_island(pcc_W, pcc_var, first_bin);
  if (ride_ && !island_now_) ride(pcc_W, pcc_var, first_bin, source);
  watch_loss(pcc_W, first_bin);
}

void Delivery::run_island(std::span<double> pcc_W, std::span<double> pcc_var, std::int64_t first_bin) {
  if (!island_now_) {
    if (lost(first_bin, GridDisturbance::Kind::utility_loss)) return;  // they tripped with the utility
    if (on_island_) {  // back in step with the grid
      kinetic_J_ += turbine_state_.kinetic_J + turbine_state_.kinetic_carry_J - kinetic_begin_J_;
      on_island_ = false;
      turbine_state_.tripped = false;  // the next island begins with all of them
    }
    // Taken from the grid's side; the turbines' own frequency is the grid's.
    for (double& W : pcc_W) W -= p_.turbines->dispatch_W;
    parallel_J_.add(p_.turbines->dispatch_W * bin_s * static_cast<double>(pcc_W.size()));
    return;
  }
  if (!on_island_) {
    turbine_state_ = turbine_->running(p_.turbines->dispatch_W);
    kinetic_begin_J_ = turbine_state_.kinetic_J + turbine_state_.kinetic_carry_J;
    on_island_ = true;
  }
  served_W_.resize(pcc_W.size());
  island_Hz_.resize(pcc_W.size());
  turbine_->step(pcc_W, served_W_, island_Hz_, turbine_state_, turbine_meters_);
  if (!below_)
    for (std::size_t i = 0; i < pcc_W.size() && !change_; ++i)
      if (pcc_W[i] > 0.0 && served_W_[i] == 0.0) changed(first_bin + static_cast<std::int64_t>(i), false, "the island's turbines tripped");
  book(island_J_, served_W_);
  std::fill(pcc_W.begin(), pcc_W.end(), 0.0);
  std::fill(pcc_var.begin(), pcc_var.end(), 0.0);
}

void Delivery::island_frequency(std::span<double> deviation_Hz) const {
  if (!island_now_ || !turbine_) return;
  for (std::size_t i = 0; i < deviation_Hz.size(); ++i) deviation_Hz[i] = island_Hz_[i] - p_.nominal_Hz;
}

void Delivery::ride(std::span<double> pcc_W, std::span<double> pcc_var, std::int64_t first_bin, const grid::Source& source) {
  const std::size_t n = pcc_W.size();
  const double ratio = voltage_ratio(first_bin);
  voltage_pu_.resize(n);
  share_.resize(n);
  for (std::size_t i = 0; i < n; ++i) voltage_pu_[i] = ratio * source.voltage_pu(pcc_W[i], pcc_var[i]).value_or(0.0);
  ride_state_.next_bin = first_bin;
  ride_->advance(voltage_pu_, {}, share_, ride_state_, events_);
  CompensatedSum own;
  for (std::size_t i = 0; i < n; ++i) {
    const double kept_W = pcc_W[i] * share_[i];
    own.add((pcc_W[i] - kept_W) * bin_s);
    pcc_W[i] = kept_W;
    pcc_var[i] *= share_[i];
  }
  own_supply_J_.add(own);
}

void Delivery::watch_loss(std::span<const double> pcc_W, std::int64_t first_bin) {
  const auto near = std::find_if(p_.disturbances.begin(), p_.disturbances.end(), [&](const auto& d) {
    return d.begin_bin <= first_bin && first_bin < d.end_bin + settle_bins;
  });
  if (near == p_.disturbances.end()) {
    before_W_ = pcc_W.back();
    return;
  }
  for (std::size_t i = 0; i < pcc_W.size(); ++i)
    if (before_W_ - pcc_W[i] > load_lost_W_) {
      load_lost_W_ = before_W_ - pcc_W[i];
      load_lost_bin_ = first_bin + static_cast<std::int64_t>(i);
    }
}

double Delivery::ups_soc_frac() const {
  if (backup_) return backup_->ups().battery().soc_frac(backup_state_.ups.battery);
  return ups_ ? ups_->battery().soc_frac(ups_state_.battery) : 0.0;
}

double Delivery::unserved_J() const {
  double J = dark_J_.value() + turbine_meters_.unserved_J.value();
  if (const auto* u = ups()) J += u->unserved_J.value();
  return J;
}

}  // namespace tidewatt::sim
