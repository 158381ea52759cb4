#include "delivery_stages.hpp"

#include <algorithm>
#include <limits>

#include "numerics/block.hpp"

namespace TIDEWATT_NAMESPACE::connection {
namespace {

using numerics::bin_s;
constexpr std::int64_t settle_bins = 500;  ///< what leaves the grid within half a second of a disturbance is lost by it

void add_store(std::vector<BookLevel>& to, const char* name, const power::StoreMeters& m, double stored_J) {
  to.push_back({name, m.charged_J.value(),
                m.discharged_J.value() + m.charge_loss_J.value() + m.discharge_loss_J.value(), stored_J});
}

}  // namespace

std::int64_t next_edge(std::span<const GridDisturbance> all, std::int64_t bin) {
  std::int64_t next = std::numeric_limits<std::int64_t>::max();
  for (const auto& d : all)
    for (const std::int64_t edge : {d.begin_bin, d.end_bin})
      if (edge > bin) next = std::min(next, edge);
  return next;
}

bool inside(std::span<const GridDisturbance> all, std::int64_t bin, GridDisturbance::Kind kind) {
  return std::any_of(all.begin(), all.end(),
                     [&](const auto& d) { return d.kind == kind && d.begin_bin <= bin && bin < d.end_bin; });
}

bool ends_power(GridDisturbance::Kind kind) {
  switch (kind) {
    case GridDisturbance::Kind::sag:
      return false;
    case GridDisturbance::Kind::utility_loss:
    case GridDisturbance::Kind::islanding:
      return true;
  }
  return true;
}

double voltage_ratio(std::span<const GridDisturbance> all, std::int64_t bin) {
  double ratio = 1.0;
  for (const auto& d : all)
    if (d.begin_bin <= bin && bin < d.end_bin) {
      if (d.kind == GridDisturbance::Kind::sag) ratio = std::min(ratio, d.voltage_ratio);
      if (d.kind == GridDisturbance::Kind::utility_loss) ratio = 0.0;
    }
  return ratio;
}

void book(CompensatedSum& sum, std::span<const double> W) {
  CompensatedSum chunk;
  for (const double x : W) chunk.add(x * bin_s);
  sum.add(chunk);
}

void PowerSwitch::set(bool on, std::int64_t bin) {
  change_.reset();
  state_.on = on;
  if (!on) state_.dark_from = bin;
}

void PowerSwitch::note(const PowerChange& change) {
  if (change.on != state_.on && !change_) change_ = change;
}

RackStage::RackStage(const std::optional<power::RackStorageParams>& storage,
                     const std::optional<power::ConverterChainParams>& loops, double load_W)
    : rest_W_(load_W) {
  if (storage) {
    storage_.emplace(*storage);
    state_.storage = storage_->start(load_W);
  }
  if (loops) {
    loops_.emplace(*loops);
    state_.loops = loops_->start(load_W);
    rest_W_ += loops_->loss_W(load_W);
  }
}

void RackStage::through(std::span<double> W, bool powered) {
  if (storage_ && powered) {
    storage_->step(W, W, state_.storage, state_.store);
    book(state_.storage_out_J, W);
  }
  if (loops_ && powered) loops_->step(W, W, state_.loops, state_.converters);
  book(state_.drawn_J, W);
}

bool RackStage::repeats(const Mark& before, std::int64_t n_bin) const {
  constexpr double unseen = 1e-4;
  const double mean_W = (state_.drawn_J.value() - before.drawn_J) / (static_cast<double>(n_bin) * bin_s);
  return storage_->repeats(before.storage, before.store, state_.storage, state_.store, n_bin, unseen * mean_W);
}

double RackStage::repeat(const Mark& before, double count, double rest_J) {
  rest_J -= storage_->repeat(state_.storage, state_.store, before.storage, before.store, count);
  state_.storage_out_J.add((state_.storage_out_J.value() - before.storage_out_J) * count + rest_J);
  const double drawn_J = (state_.drawn_J.value() - before.drawn_J) * count + rest_J;
  state_.drawn_J.add(drawn_J);
  return drawn_J;
}

double RackStage::stored_J() const {
  double J = 0.0;
  if (storage_) J += storage_->store().stored_J(state_.storage.store);
  if (loops_) J += loops_->stored_J(state_.loops);
  return J;
}

void RackStage::add_books(double load_J, std::vector<BookLevel>& out) const {
  double row_in_J = load_J;
  if (storage_) {
    const double behind_J = state_.storage_out_J.value();
    out.push_back(
        {"rack storage", behind_J, row_in_J, state_.store.charged_J.value() - state_.store.discharged_J.value()});
    add_store(out, "rack store", state_.store, storage_->store().stored_J(state_.storage.store));
    row_in_J = behind_J;
  }
  if (loops_) {
    const auto& m = state_.converters;
    out.push_back({"converter load", m.load_J.value(), row_in_J, 0.0});
    out.push_back(
        {"converters", m.drawn_J.value(), m.load_J.value() + m.loss_J.value(), loops_->stored_J(state_.loops)});
    row_in_J = m.drawn_J.value();
  }
  out.push_back({"rows", drawn_J(), row_in_J, 0.0});
}

SupplyStage::SupplyStage(const std::optional<power::UpsParams>& alone,
                         const std::optional<power::BackupParams>& with_generators) {
  if (with_generators) {
    backup_.emplace(*with_generators);
    state_.backup = backup_->start();
  } else {
    alone_.emplace(*alone);
    state_.alone = alone_->start();
  }
}

double SupplyStage::rest_W(double protected_W) const {
  return protected_W + supplies().loss_W(protected_W, supplies().params().eco);
}

void SupplyStage::through(std::span<const double> load_W, double source_pu, std::int64_t first_bin, bool may_overload,
                          PowerSwitch& power, std::span<double> out_W) {
  const std::size_t n = load_W.size();
  source_pu_.assign(n, source_pu);
  served_W_.resize(n);
  using enum power::UpsMode;
  const bool good = source_pu >= supplies().params().low_pu && source_pu <= supplies().params().high_pu;
  if (power.on() && good && mode() == normal && !may_overload) {
    step(load_W, 0, n, out_W);
  } else {  // bin by bin, to find where the load is dropped or can be served again
    for (std::size_t i = 0; i < n; ++i) {
      const std::int64_t bin = first_bin + static_cast<std::int64_t>(i), n_off = meters().n_off;
      step(load_W, i, i + 1, out_W);
      if (meters().n_off > n_off) power.ends(bin, "the supplies dropped the load");
      if (bin >= power.earliest_return() && (mode() == normal || mode() == returning)) power.comes_back(bin);
    }
  }
  book(state_.utility_J, out_W);
}

void SupplyStage::step(std::span<const double> load_W, std::size_t from, std::size_t to, std::span<double> out_W) {
  const auto part = [&](auto span) { return span.subspan(from, to - from); };
  const std::span<const double> source_pu = part(std::span(source_pu_));
  if (backup_)
    backup_->step(part(load_W), source_pu, part(out_W), part(std::span(served_W_)), state_.backup,
                  state_.backup_meters);
  else
    alone_->step(part(load_W), source_pu, part(out_W), part(std::span(served_W_)), state_.alone, state_.alone_meters);
}

void SupplyStage::drop() {
  if (backup_)
    backup_->ups().drop(state_.backup.ups, state_.backup_meters.ups);
  else
    alone_->drop(state_.alone, state_.alone_meters);
}

void SupplyStage::add_books(const power::FeederMeters& below, const power::FeederMeters& above, double racks_J,
                            double auxiliary_J, std::vector<BookLevel>& out) const {
  const auto& u = meters();
  const double utility_J = state_.utility_J.value(), generator_J = state_.backup_meters.generator_J.value();
  out.push_back({"row feeders", below.drawn_J.value(), below.load_J.value() + below.total_loss_J(), 0.0});
  out.push_back({"row load", below.load_J.value(), racks_J, 0.0});
  out.push_back(
      {"protected load", below.drawn_J.value() + auxiliary_J, u.served_J.value() + u.unserved_J.value(), 0.0});
  out.push_back({"supplies", u.drawn_J.value() + u.battery.discharged_J.value(),
                 u.served_J.value() + u.loss_J.value() + u.battery.charged_J.value(), 0.0});
  add_store(out, "supply batteries", u.battery, stored_J());
  out.push_back({"supply input", u.drawn_J.value(), utility_J + generator_J, 0.0});
  out.push_back({"transformers", above.drawn_J.value(), above.load_J.value() + above.total_loss_J(), 0.0});
  out.push_back({"transformer load", above.load_J.value(), utility_J, 0.0});
  if (!backup_) return;
  const auto& g = state_.backup_meters.generator;
  out.push_back({"generators", g.mechanical_J.value() + g.joined_J.value(),
                 g.electrical_J.value() + g.damping_J.value() + g.left_J.value(),
                 state_.backup.generator.kinetic_J + state_.backup.generator.kinetic_carry_J});
  out.push_back({"generator bus", g.electrical_J.value(), generator_J, 0.0});
}

void TurbineStage::run_beside(std::span<double> pcc_W) {
  if (state_.on_island) {  // synchronised with the grid again
    state_.kinetic_J += kinetic_now_J() - state_.kinetic_begin_J;
    state_.on_island = false;
    state_.generator.tripped = false;  // the next island begins with all of them
  }
  // Taken from the grid's side; the turbines' own frequency is the grid's.
  for (double& W : pcc_W) W -= dispatch_W_;
  state_.parallel_J.add(dispatch_W_ * bin_s * static_cast<double>(pcc_W.size()));
}

void TurbineStage::carry(std::span<double> pcc_W, std::span<double> pcc_var, std::int64_t first_bin,
                         PowerSwitch* power) {
  if (!state_.on_island) {
    state_.generator = generator_.running(dispatch_W_);
    state_.kinetic_begin_J = kinetic_now_J();
    state_.on_island = true;
  }
  served_W_.resize(pcc_W.size());
  island_Hz_.resize(pcc_W.size());
  generator_.step(pcc_W, served_W_, island_Hz_, state_.generator, state_.meters);
  if (power != nullptr)
    for (std::size_t i = 0; i < pcc_W.size() && !power->change(); ++i)
      if (pcc_W[i] > 0.0 && served_W_[i] == 0.0)
        power->ends(first_bin + static_cast<std::int64_t>(i), "the island's turbines tripped");
  book(state_.island_J, served_W_);
  std::fill(pcc_W.begin(), pcc_W.end(), 0.0);
  std::fill(pcc_var.begin(), pcc_var.end(), 0.0);
}

void TurbineStage::trip() {
  if (state_.on_island && !state_.generator.tripped) generator_.trip(state_.generator, state_.meters);
}

void TurbineStage::add_books(std::vector<BookLevel>& out) const {
  double kinetic_J = state_.kinetic_J;
  if (state_.on_island) kinetic_J += kinetic_now_J() - state_.kinetic_begin_J;
  const auto& m = state_.meters;
  out.push_back({"turbines", m.mechanical_J.value() + m.joined_J.value(),
                 m.electrical_J.value() + m.damping_J.value() + m.left_J.value(), kinetic_J});
  out.push_back({"island", m.electrical_J.value(), island_J(), 0.0});
}

void RideStage::through(std::span<double> pcc_W, std::span<double> pcc_var, std::int64_t first_bin, double ratio,
                        const grid::Source& source, std::vector<grid::RideThroughEvent>& events) {
  const std::size_t n = pcc_W.size();
  voltage_pu_.resize(n);
  share_.resize(n);
  for (std::size_t i = 0; i < n; ++i)
    voltage_pu_[i] =
        imposed_.voltage_pu ? *imposed_.voltage_pu : ratio * source.voltage_pu(pcc_W[i], pcc_var[i]).value_or(0.0);
  const std::vector<double> deviation_Hz(imposed_.frequency_Hz ? n : 0,
                                         imposed_.frequency_Hz.value_or(0.0) - nominal_Hz_);
  state_.ride.next_bin = first_bin;
  ride_.advance(voltage_pu_, deviation_Hz, share_, state_.ride, events);
  CompensatedSum own;
  for (std::size_t i = 0; i < n; ++i) {
    const double kept_W = pcc_W[i] * share_[i];
    own.add((pcc_W[i] - kept_W) * bin_s);
    pcc_W[i] = kept_W;
    pcc_var[i] *= share_[i];
  }
  state_.own_supply_J.add(own);
}

void LossWatch::push(std::span<const double> pcc_W, std::int64_t first_bin,
                     std::span<const GridDisturbance> disturbances) {
  const bool near = std::any_of(disturbances.begin(), disturbances.end(), [&](const auto& d) {
    return d.begin_bin <= first_bin && first_bin < d.end_bin + settle_bins;
  });
  if (!near) {
    state_.before_W = pcc_W.back();
    return;
  }
  for (std::size_t i = 0; i < pcc_W.size(); ++i)
    if (state_.before_W - pcc_W[i] > state_.lost_W) {
      state_.lost_W = state_.before_W - pcc_W[i];
      state_.bin = first_bin + static_cast<std::int64_t>(i);
    }
}

}  // namespace TIDEWATT_NAMESPACE::connection
