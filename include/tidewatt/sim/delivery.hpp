#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidewatt/grid/ride_through.hpp"
#include "tidewatt/grid/source.hpp"
#include "tidewatt/power/backup.hpp"
#include "tidewatt/power/converter_chain.hpp"
#include "tidewatt/power/feeder.hpp"
#include "tidewatt/power/rack_storage.hpp"

namespace tidewatt::sim {

/// Something that the grid does to the site, over absolute 1 ms bins.
struct GridDisturbance {
  enum class Kind : std::uint8_t { sag, utility_loss, islanding };
  Kind kind = Kind::sag;
  std::int64_t begin_bin = 0, end_bin = 0;
  double voltage_ratio = 1.0;  ///< of a sag: voltage over what it would be without
};

/// Turbines of the site's own: in parallel with the grid at a fixed output, alone once the site is an island.
struct TurbineParams {
  power::GeneratorParams generator;
  double dispatch_W = 0.0;
};

/// The devices between nodes and connection, each scaled to the whole site; what is absent is not there.
struct DeliveryParams {
  power::FeederParams feeder;
  std::optional<power::RackStorageParams> rack_storage;
  std::optional<power::ConverterChainParams> response;
  std::optional<power::UpsParams> ups;
  std::optional<power::BackupParams> backup;  ///< standby generators behind the supplies; holds its own `ups`
  std::optional<TurbineParams> turbines;
  std::optional<grid::RideThroughCurve> ride_through;
  grid::ReturnParams back;
  double source_pu = 1.0, nominal_Hz = 0.0;
  std::vector<GridDisturbance> disturbances;
  bool may_overload = false;  ///< the supplies are too small for all that nodes and plants can draw
  bool any() const { return rack_storage || response || ups || backup || turbines || ride_through || !disturbances.empty(); }
};

/// The site's power ends or comes back.
struct PowerChange {
  std::int64_t bin = 0;  ///< first one without it, or with it again
  bool on = false;
  std::string_view why;  ///< what ended it
};

/// One line of the energy balance, J.
struct BookLevel {
  std::string name;
  double in_J = 0.0, out_J = 0.0, stored_J = 0.0;
};

/// From the nodes' load to the connection through every device where it sits:
///
///     nodes → rack storage → converter loops → racks and rows → [supplies, generators] → transformers
///           → (site battery, in the stream) → turbines, ride-through → connection
///
/// With central supplies the protected bus feeds the auxiliaries; without, they join in front of the hall
/// transformers as in `power::Feeder`. While the utility is lost the transformers are dead and lose nothing; energy that is not
/// served is counted. The servers' own power conversion stays in the servers: storage on a rack's direct-current side is
/// seen at their alternating-current input.
///
/// The first bin that is not served ends the site's power (`power_change`); the owner of the load then calls `set_power(false)` and
/// draws nothing until `power_change` says that it can be served again: 1 s after the loss at the earliest (a breaker's dead
/// time [assumed]), once the utility is back, the supplies' source has been good for their return time, or the island has ended.
/// While dark the breakers below the supplies, or the site's own, are open: racks, rows and their storage neither draw nor lose.
/// Assumptions: a dead bus moves no battery; turbines trip with a utility that is lost; supplies judge the voltage behind the source impedance; ride-through judges the voltage of the whole
/// site's load; a sag scales the voltage.
class Delivery {
 public:
  Delivery(const DeliveryParams& params, double load_W, double auxiliary_W);  ///< at rest under a load  @throws InputError

  /// First bin after `bin` at which a disturbance begins or ends.
  std::int64_t next_edge(std::int64_t bin) const;
  bool disturbed(std::int64_t bin) const;         ///< inside a disturbance of the grid
  double voltage_ratio(std::int64_t bin) const;   ///< grid voltage over that without a disturbance, relative
  double connection_W() const { return rest_W_; }  ///< at rest, before battery and turbines

  /// A chunk up to the site bus, not across an edge. Adds what nodes and auxiliaries ask for to `meters`.
  void through(std::span<const double> load_W, double auxiliary_W, std::int64_t first_bin, std::span<double> out_W,
               std::span<double> out_var, power::FeederMeters& meters);
  /// Where power ended or came back against what `set_power` last said; none: nowhere so far.
  const std::optional<PowerChange>& power_change() const { return change_; }
  /// The load is switched off or on from the next bin on: its source drops it, whatever that still stores.
  void set_power(bool on, std::int64_t bin);
  /// Whether a loss of power is possible at all: of the utility, of an island, of supplies that a sag or an overload empties.
  bool can_lose_power() const;
  /// Whether a disturbance lies within `margin` bins of `bin`, or supplies may be overloaded at any time; constant.
  bool near_disturbance(std::int64_t bin, std::int64_t margin) const;
  /// Whether the site has power and the utility feeds its supplies, if any.
  bool at_rest() const;
  /// Whether nothing feeds the site bus: the utility is lost, or the island's turbines have tripped.
  bool bus_dead(std::int64_t bin) const;
  /// Longest chunk from `bin` on whose bins do not depend on one another across devices, bins.
  std::int64_t most_bins(std::int64_t bin) const;
  /// From the site bus (battery included) to the grid: `pcc_W` becomes what the grid gives.
  void connect(std::span<double> pcc_W, std::span<double> pcc_var, std::int64_t first_bin, const grid::Source& source);
  /// On an island the frequency is the turbines' own.
  void island_frequency(std::span<double> deviation_Hz) const;
  /// Bins of the last chunk that the grid did not feed.
  bool island() const { return island_now_; }

  /// Energy balance of every device. @param bus_J asked at the site bus, battery included  @param connection_J drawn from the grid
  std::vector<BookLevel> books(const power::FeederMeters& asked, double bus_J, double connection_J) const;

  double fed_J() const { return upper_.drawn_J.value(); }  ///< out of the transformers to the site bus
  double unserved_J() const;   ///< asked by the nodes or auxiliaries, and not served
  double load_lost_W() const { return load_lost_W_; }  ///< largest that left the grid in a disturbance
  std::int64_t load_lost_bin() const { return load_lost_bin_; }
  const power::UpsMeters* ups() const { return p_.backup ? &backup_meters_.ups : p_.ups ? &ups_meters_ : nullptr; }
  const power::BackupMeters* backup() const { return p_.backup ? &backup_meters_ : nullptr; }
  const power::StoreMeters* rack_storage() const { return p_.rack_storage ? &rack_meters_ : nullptr; }
  const power::GeneratorMeters* turbines() const { return p_.turbines ? &turbine_meters_ : nullptr; }
  double parallel_J() const { return parallel_J_.value(); }      ///< of turbines beside the grid
  double own_supply_J() const { return own_supply_J_.value(); }  ///< served by the site itself while the grid was away
  /// Of generators, turbines and own supply: what the site drew beside its connection.
  double local_J() const {
    return backup_meters_.generator_J.value() + parallel_J_.value() + island_J_.value() + own_supply_J_.value();
  }
  /// Rise of what rack storage, converters and supplies hold since the start.
  double stored_J() const;
  double ups_soc_frac() const;  ///< charge of the supplies over their energy, 0 to 1; 0 without any
  /// What happened since the last call, in order of time.
  std::vector<grid::RideThroughEvent> take_events() { return std::move(events_); }
  template <class A>
  void archive(A& a) {
    a(rack_state_, rack_meters_, chain_state_, chain_meters_, ups_state_, ups_meters_, backup_state_, backup_meters_);
    a(turbine_state_, turbine_meters_, ride_state_, lower_, upper_, rack_out_J_, row_in_J_, dark_J_, bus_J_, utility_J_, parallel_J_);
    a(island_J_, own_supply_J_, kinetic_J_, kinetic_begin_J_, on_island_, before_W_, load_lost_W_, load_lost_bin_, powered_, dark_from_);
    if constexpr (A::reads) change_.reset();
  }

 private:
  void protect(double auxiliary_W, std::int64_t first_bin, std::span<double> out_W);
  void supply(std::size_t from, std::size_t to, std::span<double> out_W);
  void changed(std::int64_t bin, bool on, std::string_view why);
  bool closes(std::int64_t bin) const { return bin >= dark_from_ + dead_bins; }
  void run_island(std::span<double> pcc_W, std::span<double> pcc_var, std::int64_t first_bin);
  void ride(std::span<double> pcc_W, std::span<double> pcc_var, std::int64_t first_bin, const grid::Source& source);
  void watch_loss(std::span<const double> pcc_W, std::int64_t first_bin);
  bool lost(std::int64_t bin, GridDisturbance::Kind kind) const;

  static constexpr std::int64_t dead_bins = 1000;  ///< from a loss to the earliest return
  DeliveryParams p_;
  std::optional<power::RackStorage> rack_;
  std::optional<power::ConverterChain> chain_;
  std::optional<power::Feeder> below_, above_, whole_;  // around the supplies, or in one
  std::optional<power::Ups> ups_;
  std::optional<power::Backup> backup_;
  std::optional<power::Generator> turbine_;
  std::optional<grid::RideThrough> ride_;
  power::RackStorageState rack_state_;
  power::StoreMeters rack_meters_;
  power::ConverterChainState chain_state_;
  power::ConverterChainMeters chain_meters_;
  power::UpsState ups_state_;
  power::UpsMeters ups_meters_;
  power::BackupState backup_state_;
  power::BackupMeters backup_meters_;
  power::GeneratorState turbine_state_;
  power::GeneratorMeters turbine_meters_;
  grid::RideThroughState ride_state_;
  power::FeederMeters lower_, upper_;
  CompensatedSum rack_out_J_, row_in_J_, dark_J_, bus_J_, utility_J_, parallel_J_, island_J_, own_supply_J_;
  double kinetic_J_ = 0.0, kinetic_begin_J_ = 0.0;  ///< rise over finished islands; at the begin of the running one
  bool on_island_ = false;
  double before_W_ = 0.0;                           ///< connection ahead of the running disturbance
  double load_lost_W_ = 0.0;
  std::int64_t load_lost_bin_ = -1;
  double rest_W_ = 0.0;
  bool powered_ = true;           ///< as set_power last said
  std::int64_t dark_from_ = 0;
  std::optional<PowerChange> change_;  ///< of the bins since then; never outlives a macro step
  // Scratch of a chunk.
  bool island_now_ = false;
  std::vector<double> work_W_, work_var_, voltage_pu_, served_W_, drawn_W_, island_Hz_, share_;
  std::vector<grid::RideThroughEvent> events_;
};

}  // namespace tidewatt::sim
