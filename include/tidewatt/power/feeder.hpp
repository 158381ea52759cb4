#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/sum.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::power {

/// One level of the feeder tree: equal branches in parallel that share its power evenly.
struct TIDEWATT_API FeederLevel {
  std::int64_t n_branch = 0;    ///< 0: as many as the design load needs, see FeederParams::sized
  double rating_VA = 0.0;       ///< of one branch
  double no_load_loss_W = 0.0;  ///< of one branch, whenever energised
  double load_loss_W = 0.0;     ///< of one branch at its rating
  double reactance_pu = 0.0;    ///< series reactance on the branch rating
  double magnetising_pu = 0.0;  ///< reactive power drawn at no load, on the branch rating
  void fields(FieldVisitor& v, std::string_view prefix);
};

/// A hall layout from rack to connection: rack PDU or busway tap, row busway, hall transformer, substation transformer.
struct TIDEWATT_API FeederParams {
  static constexpr std::size_t n_level = 4;
  static constexpr std::array<std::string_view, n_level> level_names{"rack", "row", "hall", "site"};
  static constexpr std::size_t hall_level = 2;  ///< auxiliaries join in front of it

  std::array<FeederLevel, n_level> level;    ///< in the order of `level_names`, from the racks to the connection
  double load_power_factor_frac = 1.0;       ///< displacement factor of the nodes' supplies, lagging
  double auxiliary_power_factor_frac = 1.0;  ///< of cooling and other auxiliaries, lagging
  double design_loading_frac = 0.0;          ///< loading that `sized` aims at, < 1 leaves room for redundancy
  bool fit_transformers = false;             ///< smaller standard transformers where one of the entry's is too large
  double loss_exponent_ratio = 0.75;         ///< of losses and magnetising power over a transformer's rating
  void fields(FieldVisitor& v);

  /// A copy whose levels with n_branch = 0 have ceil(S/(rating · design_loading)) branches, S being the apparent power
  /// that the level draws at the design load, and the rack level `n_rack_branch` where that is given. With
  /// `fit_transformers` a hall or site level that needs one branch has the least preferred rating of IEEE C57.12.00 that
  /// carries S at the design loading; its losses and magnetising power go with rating to `loss_exponent_ratio`.
  /// @param load_W, auxiliary_W design powers of the whole site, >= 0  @param n_rack_branch >= 0; 0: by the load
  /// @throws InputError for negative powers, or a level without rating
  FeederParams sized(double load_W, double auxiliary_W, std::int64_t n_rack_branch = 0) const;
};

/// Energies that passed the feeder; each is summed from its own equation.
struct TIDEWATT_API FeederMeters {
  CompensatedSum load_J;       ///< into the nodes
  CompensatedSum auxiliary_J;  ///< into the auxiliaries
  CompensatedSum drawn_J;      ///< out of the connection
  std::array<CompensatedSum, FeederParams::n_level> loss_J;
  std::array<double, FeederParams::n_level> loading_max_frac{};  ///< largest S/(n S_r) of a level, over its bins
  std::array<CompensatedSum, FeederParams::n_level> loading2_s;  ///< ∫ (S/(n S_r))² dt: what heats its conductors

  /// Losses of all levels together.
  double total_loss_J() const;
  template <class A>
  void archive(A& a) {
    a(load_J, auxiliary_J, drawn_J, loss_J, loading_max_frac, loading2_s);
  }
  /// |drawn − load − auxiliary − losses| / drawn; 0 before any energy was drawn.
  /// Relative, dimensionless.
  double closure() const;
};

/// Powers at one instant: active and reactive power drawn by each level (upstream side), and its loss.
struct TIDEWATT_API FeederPoint {
  std::array<double, FeederParams::n_level> level_W{};
  std::array<double, FeederParams::n_level> level_var{};
  std::array<double, FeederParams::n_level> loss_W{};
  std::array<double, FeederParams::n_level> loading_frac{};
  /// Active power drawn at the connection.
  double connection_W() const { return level_W.back(); }
  /// Reactive power drawn at the connection.
  double connection_var() const { return level_var.back(); }
};

/// Losses and reactive power from the nodes to the connection.
///
///     P_loss = n [P_0 + P_k (S/(n S_r))²],   Q_loss = n S_r [i_0 + x (S/(n S_r))²],   S² = P² + Q²
///
/// going upstream: P and Q at a level's downstream side give its loss; their sum is the load of the next level.
/// Assumptions: bus voltage at nominal (with ±5 % the load loss moves by ∓10 % of itself); every branch of a level
/// carries the same share (an uneven split would lose more); instantaneous (magnetics at power frequency follow within
/// a cycle); auxiliaries are fed at the halls' low-voltage bus and pass the hall and site transformers only. Source:
/// transformer loss equation of IEC 60076-1; figures in the catalog.
class TIDEWATT_API Feeder {
 public:
  /// @throws InputError if a level has no branches or no rating, or a power factor is outside (0, 1]
  explicit Feeder(const FeederParams& params);

  /// Power at every level for one instant. Increases strictly with `load_W` >= 0, so the extremes of the load are the
  /// extremes of every level. @param load_W all nodes, AC side  @param auxiliary_W all halls
  FeederPoint at(double load_W, double auxiliary_W) const;

  /// A chunk of 1 ms means. Losses are those of the bin's mean power; inside a bin with an edge they miss the variance
  /// of that one bin. @param load_W >= 0, any length  @param auxiliary_W all halls, constant over the chunk
  /// @param out_W, out_var same length; drawn at the connection  @throws InputError if lengths differ
  void through(std::span<const double> load_W, double auxiliary_W, std::span<double> out_W, std::span<double> out_var,
               FeederMeters& meters) const;

 private:
  struct Level {
    double P0_W, Pk_W, Q0_var, Qk_var;  // of all branches together
    double inverse_rating2;             // 1/(n S_r)²
  };
  void block(std::span<const double> load_W, double auxiliary_W, double* p, double* q, FeederMeters& meters) const;
  std::array<Level, FeederParams::n_level> level_;
  double load_tan_phi_;
  double auxiliary_tan_phi_;
};

}  // namespace TIDEWATT_NAMESPACE::power
