#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "delivery_stages.hpp"

namespace TIDEWATT_NAMESPACE::connection {

/// The devices between nodes and connection, each scaled to the whole site; absent ones are empty.
struct DeliveryParams {
  power::FeederParams feeder;
  std::optional<power::RackStorageParams> rack_storage;
  std::optional<power::ConverterChainParams> response;
  std::optional<power::UpsParams> ups;
  std::optional<power::BackupParams> backup;  ///< standby generators with the supplies; has its own `ups`
  std::optional<power::TurbineParams> turbines;
  std::optional<grid::RideThroughCurve> ride_through;
  grid::ReturnParams back;
  double source_pu = 1.0, nominal_Hz = 0.0;
  std::vector<GridDisturbance> disturbances;
  bool may_overload = false;  ///< the supplies are too small for all that nodes and plants can draw
  bool any() const {
    return rack_storage || response || ups || backup || turbines || ride_through || !disturbances.empty();
  }
};

/// From the nodes' load to the connection through every device where it sits:
///
///     nodes → rack storage → converter loops → racks and rows → [supplies, generators] → transformers
///           → (site battery, in the stream) → turbines, ride-through → connection
///
/// With a central UPS, the protected bus feeds the auxiliaries. Without one, the auxiliaries join in front of the hall
/// transformers as in `power::Feeder`. While the utility is lost, the transformers have no voltage and no loss; energy that is
/// not served is counted. The servers' own power conversion stays in the servers: storage on a rack's direct-current side is
/// seen at their alternating-current input.
///
/// The first bin that is not served ends the site's power (`power_change`). The owner of the load then calls `set_power(false)`
/// and draws nothing until `power_change` reports that it can be served again. This is 1 s after the loss at the earliest (a
/// breaker's dead time [assumed]). The utility must be back, the UPS' source good for their return time, or the island over.
/// Without power the breakers below the supplies, or the site's own, are open: racks, rows and their storage have neither load
/// nor loss.
/// Assumptions: a bus without voltage does not charge or discharge a battery; turbines trip with a utility that is lost; supplies
/// follow the voltage behind the source impedance; ride-through follows the voltage of the whole
/// site's load; a sag scales the voltage.
class Delivery {
 public:
  /// At rest under a load  @throws InputError
  Delivery(const DeliveryParams& params, double load_W, double auxiliary_W);

  /// Sets voltage and frequency at the connection from outside; nothing: they follow from the grid model.
  void impose(const Imposed& given);
  /// First bin after `bin` at which a disturbance begins or ends.
  std::int64_t next_edge(std::int64_t bin) const { return connection::next_edge(p_.disturbances, bin); }
  /// See delivery_stages.hpp.
  double voltage_ratio(std::int64_t bin) const { return connection::voltage_ratio(p_.disturbances, bin); }
  double connection_W() const { return rest_W_; }  ///< at rest, before battery and turbines

  /// A chunk up to the site bus, not across an edge. Adds the demand of nodes and auxiliaries to `meters`.
  void through(std::span<const double> load_W, double auxiliary_W, std::int64_t first_bin, std::span<double> out_W,
               std::span<double> out_var, power::FeederMeters& meters);
  /// Bin at which power ended or returned, against the last `set_power`; none: not so far.
  const std::optional<PowerChange>& power_change() const { return power_.change(); }
  /// Switches the load off or on from the next bin on. Its source drops the load even if it still has charge.
  void set_power(bool on, std::int64_t bin);
  /// Whether a loss of power is possible at all: of the utility, of an island, of supplies that a sag or an overload empties.
  bool can_lose_power() const;
  /// Whether a disturbance is within `margin` bins of `bin`, or supplies may be overloaded at any time; constant.
  bool near_disturbance(std::int64_t bin, std::int64_t margin) const;
  /// Whether the site has power and the utility feeds its supplies, if any.
  bool at_rest() const { return power_.on() && (!supplies_ || supplies_->mode() == power::UpsMode::normal); }
  /// Whether nothing feeds the site bus: the utility is lost, or the island's turbines have tripped.
  bool bus_dead(std::int64_t bin) const;
  /// Longest chunk from `bin` on whose bins do not depend on one another across devices, bins.
  std::int64_t most_bins(std::int64_t bin) const;
  /// From the site bus (battery included) to the grid: `pcc_W` becomes what the grid gives.
  void connect(std::span<double> pcc_W, std::span<double> pcc_var, std::int64_t first_bin, const grid::Source& source);
  /// On an island the frequency is the turbines' own.
  void island_frequency(std::span<double> deviation_Hz) const;

  /// Energy balance of every device. @param bus_J asked at the site bus, battery included  @param connection_J drawn from the grid
  std::vector<BookLevel> books(const power::FeederMeters& asked, double bus_J, double connection_J) const;

  /// Whether the effect of its devices on a repeated load can be added in closed form: only rack storage, no device that follows
  /// the grid.
  bool may_repeat() const {
    return racks_.may_repeat() && !supplies_ && !turbines_ && !ride_ && p_.disturbances.empty() && power_.on();
  }
  /// Its state before a unit of repetitions.
  struct Mark {
    RackStage::Mark racks;
    power::FeederMeters upper;
  };
  Mark mark() const { return {racks_.mark(), state_.upper}; }
  /// Whether the `n_bin` bins since the mark may be counted again.
  bool repeats(const Mark& before, std::int64_t n_bin) const { return racks_.repeats(before.racks, n_bin); }
  /// Adds these bins `count` times, up to the site bus. @param rest_J further demand of the nodes  @return energy into the bus, J
  double repeat(const Mark& before, double count, double rest_J);
  /// Adds losses and loadings so far to the site's meters.
  void show_losses(power::FeederMeters& to) const;
  /// Through the site bus, with all devices on it, J.
  void add_bus(double J) { state_.bus_J.add(J); }
  double fed_J() const { return state_.upper.drawn_J.value(); }  ///< out of the transformers to the site bus
  double unserved_J() const;                                     ///< asked by the nodes or auxiliaries, and not served
  double load_lost_W() const { return loss_.lost_W(); }          ///< largest that left the grid in a disturbance
  std::int64_t load_lost_bin() const { return loss_.bin(); }
  const power::UpsMeters* ups() const { return supplies_ ? &supplies_->meters() : nullptr; }
  const power::BackupMeters* backup() const { return supplies_ ? supplies_->backup() : nullptr; }
  const power::StoreMeters* rack_storage() const { return racks_.storage(); }
  const power::GeneratorMeters* turbines() const { return turbines_ ? &turbines_->meters() : nullptr; }
  double parallel_J() const { return turbines_ ? turbines_->parallel_J() : 0.0; }  ///< of turbines beside the grid
  /// Served by the site itself while the grid was away.
  double own_supply_J() const { return ride_ ? ride_->own_supply_J() : 0.0; }
  double local_J() const;  ///< of generators, turbines and own supply: what the site drew beside its connection
  /// Increase of the energy stored in racks, converters and supplies since the start.
  double stored_J() const { return racks_.stored_J() + (supplies_ ? supplies_->stored_J() : 0.0); }
  /// Charge of the supplies over their energy, 0 to 1; 0 without any.
  double ups_soc_frac() const { return supplies_ ? supplies_->soc_frac() : 0.0; }
  /// What happened since the last call, in order of time.
  std::vector<grid::RideThroughEvent> take_events() { return std::move(scratch_.events); }

  struct State {
    power::FeederMeters lower;  ///< racks and rows below the supplies; unused without any
    power::FeederMeters upper;  ///< transformers above them, or the whole feeder
    CompensatedSum dark_J;      ///< demand while the bus has no voltage
    CompensatedSum bus_J;       ///< at the site bus, battery included
    template <class A>
    void archive(A& a) {
      auto& [below, above, dark, bus] = *this;
      a(below, above, dark, bus);
    }
  };
  template <class A>
  void archive(A& a) {
    a(state_, racks_, power_, loss_);
    if (supplies_) a(*supplies_);
    if (turbines_) a(*turbines_);
    if (ride_) a(*ride_);
  }

 private:
  /// Of a chunk.
  struct Scratch {
    bool on_island = false;
    std::vector<double> load_W, load_var, drawn_W;
    std::vector<grid::RideThroughEvent> events;
  };
  void watch_breaker(std::int64_t first_bin, std::int64_t n_bin);
  void through_supplies(double auxiliary_W, std::int64_t first_bin, std::span<double> out_W, std::span<double> out_var);
  bool lost(std::int64_t bin, GridDisturbance::Kind kind) const { return inside(p_.disturbances, bin, kind); }

  DeliveryParams p_;
  RackStage racks_;
  std::optional<power::Feeder> rows_;  ///< racks and rows below the supplies; absent without any
  power::Feeder transformers_;         ///< above the supplies; without any the whole feeder
  std::optional<SupplyStage> supplies_;
  std::optional<TurbineStage> turbines_;
  std::optional<RideStage> ride_;
  double rest_W_;
  PowerSwitch power_;
  LossWatch loss_;
  State state_;
  Scratch scratch_;
};

}  // namespace TIDEWATT_NAMESPACE::connection
