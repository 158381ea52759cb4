#include "grid_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace TIDEWATT_NAMESPACE::grid {

using Complex = std::complex<double>;

double LoadShares::ratio(double u) const {
  // Constant power cannot be drawn at every voltage: below 0.7 pu it is that of an impedance.
  constexpr double lowest = 0.7;
  const double power = u < lowest ? u * u / (lowest * lowest) : 1.0;
  return power_frac * power + u * (current_frac + u * (1.0 - power_frac - current_frac));
}

GridSystem::GridSystem(PowerNetwork network, const std::vector<DyrRecord>& records, std::int64_t site_bus,
                       const LoadMotion& motion, ShaftInput shaft)
    : GridSystem(std::move(network), records, site_bus, motion, shaft, nullptr) {}

GridSystem::GridSystem(PowerNetwork network, const std::vector<DyrRecord>& records, std::int64_t site_bus,
                       const LoadMotion& motion, ShaftInput shaft, const SiteSupplies& supplies)
    : GridSystem(std::move(network), records, site_bus, motion, shaft, &supplies) {}

GridSystem::GridSystem(PowerNetwork network, const std::vector<DyrRecord>& records, std::int64_t site_bus,
                       const LoadMotion& motion, ShaftInput shaft, const SiteSupplies* supplies)
    : n_(std::move(network)), motion_(motion), units_(make_units(n_, records, shaft)) {
  site_ = n_.bus_index(site_bus);
  Complex supplied_VA = 0.0;
  if (supplies) {
    auto model =
        std::make_unique<SupplyLoad>(supplies->control, supplies->impedance_pu, n_.nominal_Hz, supplies->gain_ratio);
    supplies_ = model.get();
    supplied_VA = flow_with(*supplies);
    PowerNetwork::Generator record;  // out of service: the power flow has it as a load
    record.bus = site_, record.id = "supplies", record.rating_VA = supplies->rating_W, record.in_service = false;
    n_.generator.push_back(record);
    units_.push_back({n_.generator.size() - 1, std::move(model)});
    flow_.generated_VA.push_back(-supplied_VA);
  } else {
    flow_ = solve_network(n_);
  }
  connected_.assign(units_.size(), true);
  loads_at_.resize(n_.bus.size());
  for (std::size_t l = 0; l < n_.load.size(); ++l)
    if (n_.load[l].in_service) loads_at_[n_.load[l].bus].push_back(l);
  first_.push_back(0);
  for (const auto& u : units_) first_.push_back(first_.back() + u.model->states().size());
  rest_.x.assign(first_.back(), 0.0);
  rest_.v = flow_.voltage_pu;
  for (std::size_t u = 0; u < units_.size(); ++u)
    units_[u].model->rest(rest_.v[bus_of(u)], flow_.generated_VA[units_[u].generator] / generator(u).rating_VA,
                          part(std::span(rest_.x), u));
  if (supplies_) supplies_rest_pu_ = supplies_->load_pu();
  connect();
}

/// Power flow with the supplies as a load: what their reactances take depends on the voltage, which depends on it.
Complex GridSystem::flow_with(const SiteSupplies& s) {
  if (!(s.rating_W > 0.0)) throw InputError("network: the supplies' rating must be above 0");
  PowerNetwork with = n_;
  with.load.push_back({site_, "supplies", s.load_W, 0.0, 0.0, true});
  Complex drawn_VA = s.load_W, before_VA = 0.0;
  for (int i = 0; i < 100 && std::abs(drawn_VA - before_VA) > 1e-11 * s.rating_W; ++i) {
    with.load.back().power_VA = before_VA = drawn_VA;
    flow_ = solve_network(with);
    drawn_VA = s.rating_W * supplies_->drawn_pu(std::abs(flow_.voltage_pu[site_]), s.load_W / s.rating_W);
  }
  return drawn_VA;
}

void GridSystem::set_site(Complex load_VA) {
  if (supplies_)
    supplies_->set_load(supplies_rest_pu_ + load_VA.real() / n_.generator[units_.back().generator].rating_VA);
  else
    site_VA_ = load_VA;
}

void GridSystem::connect() {
  Y_ = admittance(n_);
  neighbour_.clear();
  neighbour_begin_.clear();
  const std::size_t n = n_.bus.size();
  for (std::size_t i = 0; i < n; ++i) {
    neighbour_begin_.push_back(neighbour_.size());
    for (std::size_t k = 0; k < n; ++k)
      if (Y_[i * n + k] != Complex(0.0)) neighbour_.push_back(k);
  }
  neighbour_begin_.push_back(neighbour_.size());
}

void GridSystem::trip_unit(std::int64_t bus, const std::string& id) {
  for (std::size_t u = 0; u < units_.size(); ++u) {
    const auto& g = n_.generator[units_[u].generator];
    if (n_.bus[g.bus].number != bus || g.id != id) continue;
    connected_[u] = false;
    return;
  }
  throw InputError(fmt::format("network: there is no unit {} at bus {}", id, bus));
}

void GridSystem::trip_branch(std::int64_t from, std::int64_t to, const std::string& id) {
  const std::size_t a = n_.bus_index(from), b = n_.bus_index(to);
  for (auto& branch : n_.branch)
    if (((branch.from == a && branch.to == b) || (branch.from == b && branch.to == a)) && branch.id == id) {
      branch.in_service = false;
      return connect();
    }
  throw InputError(fmt::format("network: there is no branch {} between buses {} and {}", id, from, to));
}

Complex GridSystem::load_current(std::size_t bus, Complex v) const {
  const double at_rest = std::abs(flow_.voltage_pu[bus]), size = std::abs(v), u = size / at_rest;
  Complex drawn = 0.0;
  for (const std::size_t l : loads_at_[bus]) {
    const auto& d = n_.load[l];
    drawn += Complex(d.power_VA.real() * motion_.active.ratio(u), d.power_VA.imag() * motion_.reactive.ratio(u));
    drawn += size * (d.current_VA + size * d.impedance_VA);
  }
  if (bus == site_) drawn += site_VA_ * motion_.site.ratio(u);
  return std::conj(drawn / (n_.base_VA * v));
}

void GridSystem::rates(const GridState& y, std::span<double> rate) const {
  for (std::size_t u = 0; u < units_.size(); ++u) {
    const auto own = part(rate, u);
    if (connected_[u])
      units_[u].model->rates(part(std::span<const double>(y.x), u), y.v[bus_of(u)], own);
    else
      std::fill(own.begin(), own.end(), 0.0);
  }
}

void GridSystem::imbalance(const GridState& y, std::span<Complex> out) const {
  const std::size_t n = n_.bus.size();
  for (std::size_t i = 0; i < n; ++i) {
    Complex current = loads_at_[i].empty() && i != site_ ? 0.0 : -load_current(i, y.v[i]);
    for (std::size_t a = neighbour_begin_[i]; a < neighbour_begin_[i + 1]; ++a)
      current -= Y_[i * n + neighbour_[a]] * y.v[neighbour_[a]];
    out[i] = current;
  }
  for (std::size_t u = 0; u < units_.size(); ++u)
    if (connected_[u])
      out[bus_of(u)] += to_base(u) * units_[u].model->current(part(std::span<const double>(y.x), u), y.v[bus_of(u)]);
}

std::vector<StateLimit> GridSystem::limits() const {
  std::vector<StateLimit> out(first_.back());
  for (std::size_t u = 0; u < units_.size(); ++u) units_[u].model->limits(part(std::span(out), u));
  return out;
}

double GridSystem::power_W(const GridState& y, std::size_t u) const {
  if (!connected_[u]) return 0.0;
  const Complex v = y.v[bus_of(u)];
  return generator(u).rating_VA *
         (v * std::conj(units_[u].model->current(part(std::span<const double>(y.x), u), v))).real();
}

double GridSystem::stored_J() const {
  double out = 0.0;
  for (std::size_t u = 0; u < units_.size(); ++u)
    if (connected_[u]) out += unit(u).inertia_s() * generator(u).rating_VA;
  return out;
}

double GridSystem::mean_speed_pu(const GridState& y) const {
  double sum = 0.0, weight = 0.0;
  for (std::size_t u = 0; u < units_.size(); ++u) {
    const double w = connected_[u] ? unit(u).inertia_s() * generator(u).rating_VA : 0.0;
    if (w > 0.0)
      sum += w * unit(u).readout(part(std::span<const double>(y.x), u), y.v[bus_of(u)]).speed_pu, weight += w;
  }
  return weight > 0.0 ? sum / weight : 0.0;
}

std::string GridSystem::state_name(std::size_t i) const {
  const auto u = static_cast<std::size_t>(std::upper_bound(first_.begin(), first_.end(), i) - first_.begin()) - 1;
  return generator(u).name(n_) + ": " + unit(u).states()[i - first_[u]];
}

}  // namespace TIDEWATT_NAMESPACE::grid
