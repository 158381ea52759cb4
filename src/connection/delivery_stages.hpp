#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "power/backup.hpp"
#include "tidewatt/grid/ride_through.hpp"
#include "tidewatt/grid/source.hpp"
#include "tidewatt/power/converter_chain.hpp"
#include "tidewatt/power/feeder.hpp"
#include "tidewatt/power/rack_storage.hpp"

/// Devices between nodes and connection; connection/delivery.hpp connects them in their order. Powers are 1 ms means.
namespace TIDEWATT_NAMESPACE::connection {

/// Something that the grid does to the site, over absolute 1 ms bins.
struct GridDisturbance {
  enum class Kind : std::uint8_t { sag, utility_loss, islanding };
  Kind kind = Kind::sag;
  std::int64_t begin_bin = 0, end_bin = 0;
  double voltage_ratio = 1.0;  ///< of a sag: voltage relative to that without it
};

/// First bin after `bin` at which one of them begins or ends; the largest integer: there is none.
std::int64_t next_edge(std::span<const GridDisturbance> all, std::int64_t bin);
/// Whether `bin` is inside one of this kind.
bool inside(std::span<const GridDisturbance> all, std::int64_t bin, GridDisturbance::Kind kind);
/// Whether this kind alone can leave the site without power.
bool ends_power(GridDisturbance::Kind kind);
/// Grid voltage over that without a disturbance, relative.
double voltage_ratio(std::span<const GridDisturbance> all, std::int64_t bin);

/// Adds the energy of 1 ms means, W.
void book(CompensatedSum& sum, std::span<const double> W);

/// Battery power, and voltage and frequency at the connection, given from outside; nothing: those of the site.
struct Imposed {
  std::optional<double> storage_W, voltage_pu, frequency_Hz;
};

/// The site's power ends or returns.
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

/// Whether the site has power, and the bin since then at which it ends or can return.
class PowerSwitch {
 public:
  bool on() const { return state_.on; }
  /// Switched at `bin`, by the owner of the load.
  void set(bool on, std::int64_t bin);
  /// Power ends at `bin`; the first one counts.
  void ends(std::int64_t bin, std::string_view why) { note({bin, false, why}); }
  /// It can return at `bin`.
  void comes_back(std::int64_t bin) { note({bin, true, ""}); }
  /// First bin in which it may be switched on again: a breaker's dead time after the loss.
  std::int64_t earliest_return() const { return state_.dark_from + dead_bins; }
  /// Bin at which it ended or returned since it was last set; none: not so far.
  const std::optional<PowerChange>& change() const { return change_; }

  struct State {
    bool on = true;
    std::int64_t dark_from = 0;  ///< bin of the last loss
    template <class A>
    void archive(A& a) {
      auto& [powered, dark] = *this;
      a(powered, dark);
    }
  };
  template <class A>
  void archive(A& a) {
    a(state_);
    if constexpr (A::reads) change_.reset();
  }

 private:
  void note(const PowerChange& change);
  static constexpr std::int64_t dead_bins = 1000;  ///< [assumed]
  State state_;
  std::optional<PowerChange> change_;  ///< never outlives a macro step
};

/// Devices in racks and rows: storage, then the control loops of the converters.
class RackStage {
 public:
  /// At rest under a load. @throws InputError as the devices
  RackStage(const std::optional<power::RackStorageParams>& storage,
            const std::optional<power::ConverterChainParams>& loops, double load_W);
  double rest_W() const { return rest_W_; }  ///< power drawn at rest
  /// Acts on the bins of a chunk; without power storage and loops have neither load nor loss. @param W demand of the nodes,
  /// [bin]; becomes the power drawn
  void through(std::span<double> W, bool powered);
  /// Whether its effect on a repeated load can be added in closed form: storage without loops.
  bool may_repeat() const { return storage_ && !loops_; }
  /// Its state before a unit of repetitions.
  struct Mark {
    power::RackStorageState storage;
    power::StoreMeters store;
    double storage_out_J = 0.0, drawn_J = 0.0;
  };
  Mark mark() const { return {state_.storage, state_.store, state_.storage_out_J.value(), state_.drawn_J.value()}; }
  /// Whether the `n_bin` bins since the mark may be counted again: the remaining drift is negligible against their mean power.
  bool repeats(const Mark& before, std::int64_t n_bin) const;
  /// Adds these bins `count` times. @param rest_J further demand of the nodes, passed unchanged  @return energy drawn, J
  double repeat(const Mark& before, double count, double rest_J);
  double stored_J() const;                                   ///< increase of their stored energy
  double drawn_J() const { return state_.drawn_J.value(); }  ///< so far, J
  const power::StoreMeters* storage() const { return storage_ ? &state_.store : nullptr; }
  /// @param load_J asked by the nodes
  void add_books(double load_J, std::vector<BookLevel>& out) const;

  struct State {
    power::RackStorageState storage;
    power::StoreMeters store;
    power::ConverterChainState loops;
    power::ConverterChainMeters converters;
    CompensatedSum storage_out_J, drawn_J;
    template <class A>
    void archive(A& a) {
      auto& [racks, charge, links, loss, behind_storage, drawn] = *this;
      a(racks, charge, links, loss, behind_storage, drawn);
    }
  };
  template <class A>
  void archive(A& a) {
    a(state_);
  }

 private:
  std::optional<power::RackStorage> storage_;
  std::optional<power::ConverterChain> loops_;
  double rest_W_;
  State state_;
};

/// Central UPS, with or without standby generators.
class SupplyStage {
 public:
  /// One of the two is given: a UPS alone, or one with generators. @throws InputError as the devices
  SupplyStage(const std::optional<power::UpsParams>& alone, const std::optional<power::BackupParams>& with_generators);
  double rest_W(double protected_W) const;  ///< drawn at rest under a steady load
  /// @param load_W protected, of a chunk from `first_bin` on  @param source_pu voltage, the same in all its bins
  /// @param may_overload the load is checked bin by bin in any case  @param power receives where the supplies drop the load or
  /// could
  /// serve it again  @param out_W drawn from the utility
  void through(std::span<const double> load_W, double source_pu, std::int64_t first_bin, bool may_overload,
               PowerSwitch& power, std::span<double> out_W);
  void drop();  ///< the load, whatever the charge of the batteries
  void impose(std::optional<double> voltage_pu) { imposed_pu_ = voltage_pu; }  ///< from outside
  /// Voltage given from outside; nothing: none.
  std::optional<double> imposed_pu() const { return imposed_pu_; }
  power::UpsMode mode() const { return supplies_state().mode; }
  /// Of the batteries, 0 to 1.
  double soc_frac() const { return supplies().battery().soc_frac(supplies_state().battery); }
  /// Rise of the batteries' energy.
  double stored_J() const { return supplies().battery().stored_J(supplies_state().battery); }
  const power::UpsMeters& meters() const { return backup_ ? state_.backup_meters.ups : state_.alone_meters; }
  /// Of the generators; nullptr without any.
  const power::BackupMeters* backup() const { return backup_ ? &state_.backup_meters : nullptr; }
  /// @param below out of the feeder between racks and supplies  @param above into the transformers  @param racks_J drawn by the racks
  void add_books(const power::FeederMeters& below, const power::FeederMeters& above, double racks_J, double auxiliary_J,
                 std::vector<BookLevel>& out) const;

  struct State {
    power::UpsState alone;
    power::UpsMeters alone_meters;
    power::BackupState backup;
    power::BackupMeters backup_meters;
    CompensatedSum utility_J;  ///< drawn from the utility
    template <class A>
    void archive(A& a) {
      auto& [ups, ups_meters, both, both_meters, drawn] = *this;
      a(ups, ups_meters, both, both_meters, drawn);
    }
  };
  template <class A>
  void archive(A& a) {
    a(state_);
  }

 private:
  const power::Ups& supplies() const { return backup_ ? backup_->ups() : *alone_; }
  const power::UpsState& supplies_state() const { return backup_ ? state_.backup.ups : state_.alone; }
  void step(std::span<const double> load_W, std::size_t from, std::size_t to, std::span<double> out_W);
  std::optional<power::Ups> alone_;
  std::optional<power::Backup> backup_;
  std::optional<double> imposed_pu_;  ///< from outside
  State state_;
  std::vector<double> source_pu_, served_W_;  ///< scratch
};

/// The site's own turbines.
class TurbineStage {
 public:
  /// @throws InputError
  explicit TurbineStage(const power::TurbineParams& params)
      : generator_(params.generator), dispatch_W_(params.dispatch_W) {}
  /// A chunk beside the grid, whose load they relieve.
  void run_beside(std::span<double> pcc_W);
  /// A chunk on an island that they supply alone: the grid supplies nothing. @param power receives where they trip; may be null
  void carry(std::span<double> pcc_W, std::span<double> pcc_var, std::int64_t first_bin, PowerSwitch* power);
  /// Trips what runs on an island.
  void trip();
  bool tripped() const { return state_.generator.tripped; }
  std::span<const double> island_Hz() const { return island_Hz_; }  ///< of the last chunk on an island
  const power::GeneratorMeters& meters() const { return state_.meters; }
  double parallel_J() const { return state_.parallel_J.value(); }  ///< beside the grid
  double island_J() const { return state_.island_J.value(); }      ///< served on islands
  void add_books(std::vector<BookLevel>& out) const;               ///< energy balance of machines and island

  struct State {
    power::GeneratorState generator;
    power::GeneratorMeters meters;
    CompensatedSum parallel_J, island_J;
    double kinetic_J = 0.0;        ///< rise over finished islands
    double kinetic_begin_J = 0.0;  ///< at the begin of the running one
    bool on_island = false;
    template <class A>
    void archive(A& a) {
      auto& [machines, counts, beside, alone, risen, begin, island] = *this;
      a(machines, counts, beside, alone, risen, begin, island);
    }
  };
  template <class A>
  void archive(A& a) {
    a(state_);
  }

 private:
  double kinetic_now_J() const { return state_.generator.kinetic_J + state_.generator.kinetic_carry_J; }
  power::Generator generator_;
  double dispatch_W_;
  State state_;
  std::vector<double> served_W_, island_Hz_;  ///< scratch
};

/// A site that leaves the grid according to its ride-through curve, onto its own supply or without power. For the grid both are
/// the same.
class RideStage {
 public:
  /// @throws InputError as the curve
  RideStage(const grid::RideThroughCurve& curve, const grid::ReturnParams& back, double nominal_Hz)
      : ride_(curve, back, nominal_Hz) {}
  /// Sets voltage and frequency from outside.
  void impose(const Imposed& given, double nominal_Hz) { imposed_ = given, nominal_Hz_ = nominal_Hz; }
  /// Acts on the bins of a chunk; adds what happened to `events`. @param ratio voltage over that without a disturbance
  void through(std::span<double> pcc_W, std::span<double> pcc_var, std::int64_t first_bin, double ratio,
               const grid::Source& source, std::vector<grid::RideThroughEvent>& events);
  double own_supply_J() const { return state_.own_supply_J.value(); }  ///< served by the site itself while it was away

  struct State {
    grid::RideThroughState ride;
    CompensatedSum own_supply_J;
    template <class A>
    void archive(A& a) {
      auto& [zones, own] = *this;
      a(zones, own);
    }
  };
  template <class A>
  void archive(A& a) {
    a(state_);
  }

 private:
  grid::RideThrough ride_;
  Imposed imposed_;
  double nominal_Hz_ = 0.0;  ///< of the grid that the imposed frequency belongs to
  State state_;
  std::vector<double> voltage_pu_, share_;  ///< scratch
};

/// The largest load that leaves the grid in a disturbance, or within half a second of its end.
class LossWatch {
 public:
  /// @param rest_W at the connection, before the run
  explicit LossWatch(double rest_W) : state_{rest_W} {}
  /// Bins from `first_bin` on, not across an edge of a disturbance.
  void push(std::span<const double> pcc_W, std::int64_t first_bin, std::span<const GridDisturbance> disturbances);
  double lost_W() const { return state_.lost_W; }  ///< largest so far
  std::int64_t bin() const { return state_.bin; }  ///< −1: none

  struct State {
    double before_W = 0.0;  ///< connection ahead of the running disturbance
    double lost_W = 0.0;
    std::int64_t bin = -1;
    template <class A>
    void archive(A& a) {
      auto& [before, lost, at] = *this;
      a(before, lost, at);
    }
  };
  template <class A>
  void archive(A& a) {
    a(state_);
  }

 private:
  State state_;
};

}  // namespace TIDEWATT_NAMESPACE::connection
