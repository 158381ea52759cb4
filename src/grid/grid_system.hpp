#pragma once
#include <complex>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "network_units.hpp"
#include "power_network.hpp"
#include "supply_load.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// Shares of a load that draw constant power and constant current; the rest is a constant impedance.
struct LoadShares {
  double power_frac = 0.0, current_frac = 0.0;
  /// Power over that at the reference voltage. @param u voltage over the reference, a ratio
  double ratio(double u) const;
};

/// How the loads of a network behave in motion.
struct LoadMotion {
  LoadShares active, reactive;  ///< of what the file gives as constant power
  LoadShares site;              ///< of what the site draws
};

/// A site's supplies at its bus, with their initial power.
struct SiteSupplies {
  SupplyControl control;
  double rating_W = 0.0, load_W = 0.0;
  std::complex<double> impedance_pu = 0.0;  ///< of the site's own line, on the rating, beside the control's reactance
  double gain_ratio = 1.0;
};

/// Values of a network in motion, pu: states of all units, then the buses' voltages.
struct GridState {
  std::vector<double> x;                ///< [n_state]
  std::vector<std::complex<double>> v;  ///< [n_bus]
};

/// Units, loads and the network as one system of differential and algebraic equations.
///
///     x' = f(x, v) in every unit,   0 = Σ i_unit(x, v) − i_load(v) − i_site(v) − Y v at every bus
///
/// A site is a load that depends on its voltage at once, or supplies: a separate unit that responds to voltage and frequency
/// within the step. Constant power turns into a constant impedance below 0.7 pu. Assumptions: balanced, fundamental phasors, network
/// transients left out (valid below some 10 Hz), loads do not depend on frequency. Source: [@kundur], ch. 12 and 13.
class GridSystem {
 public:
  /// @param site_bus number of the bus where a site draws on top of its load  @throws InputError, RefusedError (no operating point)
  GridSystem(PowerNetwork network, const std::vector<DyrRecord>& records, std::int64_t site_bus,
             const LoadMotion& motion, ShaftInput shaft);
  /// The same with supplies as the site, in the power flow with their load. Their unit is the last one.
  GridSystem(PowerNetwork network, const std::vector<DyrRecord>& records, std::int64_t site_bus,
             const LoadMotion& motion, ShaftInput shaft, const SiteSupplies& supplies);

  /// At rest, the site drawing nothing, or what its supplies draw.
  const GridState& rest() const { return rest_; }
  const PowerNetwork& network() const { return n_; }
  const NetworkFlow& flow() const { return flow_; }
  std::size_t n_unit() const { return units_.size(); }
  /// Model of a unit.
  const GridUnit& unit(std::size_t u) const { return *units_[u].model; }
  /// The network's record of a unit.
  const PowerNetwork::Generator& generator(std::size_t u) const { return n_.generator[units_[u].generator]; }
  bool connected(std::size_t u) const { return connected_[u]; }  ///< false once it was switched off
  std::size_t site_bus() const { return site_; }                 ///< index of the bus

  /// What the site draws at its bus's voltage at rest; supplies: what their servers draw on top of the load at rest, Q left out.
  /// @param load_VA P + jQ
  void set_site(std::complex<double> load_VA);
  /// Takes a unit off the network. @throws InputError for one that is not there
  void trip_unit(std::int64_t bus, const std::string& id);
  /// Opens a line or transformer. @throws InputError for one that is not there
  void trip_branch(std::int64_t from, std::int64_t to, const std::string& id);

  /// States of a unit within all states. @param x [n_state] pu
  template <class T>
  std::span<T> part(std::span<T> x, std::size_t u) const {
    return x.subspan(first_[u], first_[u + 1] - first_[u]);
  }
  std::size_t bus_of(std::size_t u) const { return generator(u).bus; }  ///< index of its bus
  /// Ratio of a unit's rating to the base.
  double to_base(std::size_t u) const { return generator(u).rating_VA / n_.base_VA; }

  /// Rates of all states, pu/s; 0 in units that are off. @param rate [n_state]
  void rates(const GridState& y, std::span<double> rate) const;
  /// What the network lacks at each bus, pu of the base: 0 where it balances. @param out [n_bus]
  void imbalance(const GridState& y, std::span<std::complex<double>> out) const;
  /// Current drawn at a bus by its loads and the site, pu of the base.
  std::complex<double> load_current(std::size_t bus, std::complex<double> v) const;
  std::vector<StateLimit> limits() const;                                      ///< [n_state]
  const std::vector<std::complex<double>>& admittances() const { return Y_; }  ///< [n_bus × n_bus] pu

  /// Electrical power of a unit, W.
  double power_W(const GridState& y, std::size_t u) const;
  /// Stored energy of the machines on the network, J: Σ H S.
  double stored_J() const;
  /// Mean speed deviation weighted by stored energy, pu. @param y of this system
  double mean_speed_pu(const GridState& y) const;
  std::string state_name(std::size_t i) const;  ///< unit and state, for messages

 private:
  PowerNetwork n_;
  LoadMotion motion_;
  std::vector<NetworkUnit> units_;
  std::vector<std::size_t> first_;
  std::vector<bool> connected_;
  NetworkFlow flow_;
  std::vector<std::complex<double>> Y_;
  std::vector<std::size_t> neighbour_, neighbour_begin_;
  std::vector<std::vector<std::size_t>> loads_at_;
  std::size_t site_ = 0;
  std::complex<double> site_VA_ = 0.0;
  GridState rest_;
  SupplyLoad* supplies_ = nullptr;  // the model of the last unit
  double supplies_rest_pu_ = 0.0;
  GridSystem(PowerNetwork network, const std::vector<DyrRecord>& records, std::int64_t site_bus,
             const LoadMotion& motion, ShaftInput shaft, const SiteSupplies* supplies);
  std::complex<double> flow_with(const SiteSupplies& supplies);
  void connect();
};

}  // namespace TIDEWATT_NAMESPACE::grid
