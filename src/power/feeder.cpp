#include "tidewatt/power/feeder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "numerics/block.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::power {
namespace {

constexpr std::size_t n_level = FeederParams::n_level;

/// Preferred ratings of three-phase transformers, IEEE C57.12.00, VA [K].
constexpr std::array preferred_VA = {45e3,  75e3, 112.5e3, 150e3,  225e3, 300e3, 500e3, 750e3, 1e6,
                                     1.5e6, 2e6,  2.5e6,   3.75e6, 5e6,   7.5e6, 10e6,  12e6,  15e6,
                                     20e6,  25e6, 30e6,    37.5e6, 50e6,  60e6,  75e6,  100e6};

/// One branch that is larger than the load needs becomes the least preferred rating that carries it.
void fit(FeederLevel& l, double need_VA, double exponent) {
  const auto* least = std::lower_bound(preferred_VA.begin(), preferred_VA.end(), need_VA);
  if (least == preferred_VA.end() || *least >= l.rating_VA) return;
  const double ratio = *least / l.rating_VA, losses = std::pow(ratio, exponent);
  l.rating_VA = *least;
  l.no_load_loss_W *= losses;
  l.load_loss_W *= losses;
  l.magnetising_pu *= losses / ratio;
}

double tan_phi(double power_factor_frac) {
  if (!(power_factor_frac > 0.0 && power_factor_frac <= 1.0))
    throw InputError(fmt::format("feeder: power factor {} is outside (0, 1]", power_factor_frac));
  return std::sqrt(1.0 - power_factor_frac * power_factor_frac) / power_factor_frac;
}

/// Of a level's branches together: fixed losses and reactive power, what loading² adds, and what loading² is.
struct Branches {
  double P0_W, Pk_W, Q0_var, Qk_var, inverse_rating2;
};
struct Passed {
  double loss_W, loading2_max, loading2;  ///< sum over the bins, largest, sum
};

/// A block through one level, with what joins in front of it.
TIDEWATT_CLONES
Passed pass(const Branches& l, double join_W, double join_var, std::size_t n, double* p, double* q) {
  std::array<double, numerics::block_size> loss_W, loading2;
  for (std::size_t k = 0; k < n; ++k) {
    const double P_W = p[k] + join_W, Q_var = q[k] + join_var;
    const double s = (P_W * P_W + Q_var * Q_var) * l.inverse_rating2;
    loading2[k] = s;
    loss_W[k] = l.P0_W + l.Pk_W * s;
    p[k] = P_W + loss_W[k];
    q[k] = Q_var + (l.Q0_var + l.Qk_var * s);
  }
  return {numerics::lane_sum({loss_W.data(), n}), numerics::lane_max({loading2.data(), n}),
          numerics::lane_sum({loading2.data(), n})};
}

}  // namespace

void FeederLevel::fields(FieldVisitor& v, std::string_view prefix) {
  const auto key = [&](std::string_view stem) { return fmt::format("{}_{}", prefix, stem); };
  v.integer(key("n_branch"), n_branch, {0, 1e6}, "branches in parallel; 0: as many as the design load needs",
            Need::optional);
  v.number(key("rating_MVA"), rating_VA, {1e-3, 2000}, "rating of one branch");
  v.number(key("no_load_loss_W"), no_load_loss_W, {0, 1e6}, "loss of one energised branch without load");
  v.number(key("load_loss_W"), load_loss_W, {0, 1e7},
           "additional loss of one branch at its rating, goes with current squared");
  v.number(key("reactance_pu"), reactance_pu, {0, 0.5}, "series reactance on the branch rating");
  v.number(key("magnetising_pu"), magnetising_pu, {0, 0.1}, "reactive power at no load on the branch rating");
}

void FeederParams::fields(FieldVisitor& v) {
  for (std::size_t i = 0; i < n_level; ++i) level[i].fields(v, level_names[i]);
  v.number("load_power_factor_frac", load_power_factor_frac, {0.5, 1},
           "displacement power factor of the nodes, lagging");
  v.number("auxiliary_power_factor_frac", auxiliary_power_factor_frac, {0.5, 1},
           "displacement power factor of the auxiliaries, lagging");
  v.number("design_loading_frac", design_loading_frac, {0.1, 1},
           "target loading if the number of branches is automatic");
  v.flag(
      "fit_transformers", fit_transformers,
      "transformers of hall and site that are too large for the load become the least standard rating that carries it",
      Need::optional);
  v.number("loss_exponent_ratio", loss_exponent_ratio, {0.5, 1},
           "of a fitted transformer's losses and magnetising power over its rating", Need::optional);
}

FeederParams FeederParams::sized(double load_W, double auxiliary_W, std::int64_t n_rack_branch) const {
  if (!(load_W >= 0.0 && auxiliary_W >= 0.0) || !(design_loading_frac > 0.0))
    throw InputError("feeder: the design powers must not be negative and the design loading must be positive");
  FeederParams out = *this;
  if (out.level[0].n_branch == 0) out.level[0].n_branch = n_rack_branch;
  double P_W = load_W, Q_var = load_W * tan_phi(load_power_factor_frac);
  for (std::size_t i = 0; i < n_level; ++i) {
    if (i == hall_level) {
      P_W += auxiliary_W;
      Q_var += auxiliary_W * tan_phi(auxiliary_power_factor_frac);
    }
    FeederLevel& l = out.level[i];
    const double S_VA = std::sqrt(P_W * P_W + Q_var * Q_var);
    if (l.n_branch == 0) {
      if (!(l.rating_VA > 0.0)) throw InputError(fmt::format("feeder: {} has no rating", level_names[i]));
      l.n_branch =
          std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(S_VA / (l.rating_VA * design_loading_frac))));
    }
    if (fit_transformers && i >= hall_level && l.n_branch == 1) fit(l, S_VA / design_loading_frac, loss_exponent_ratio);
    const double n = static_cast<double>(l.n_branch);
    const double loading2 = (S_VA / (n * l.rating_VA)) * (S_VA / (n * l.rating_VA));
    P_W += n * (l.no_load_loss_W + l.load_loss_W * loading2);
    Q_var += n * l.rating_VA * (l.magnetising_pu + l.reactance_pu * loading2);
  }
  return out;
}

double FeederMeters::total_loss_J() const {
  double sum = 0.0;
  for (const auto& loss : loss_J) sum += loss.value();
  return sum;
}

double FeederMeters::closure() const {
  CompensatedSum gap = drawn_J;
  gap.add(-load_J.value());
  gap.add(-auxiliary_J.value());
  for (const auto& loss : loss_J) gap.add(-loss.value());
  return drawn_J.value() == 0.0 ? 0.0 : std::abs(gap.value()) / std::abs(drawn_J.value());
}

Feeder::Feeder(const FeederParams& params)
    : level_{},
      load_tan_phi_(tan_phi(params.load_power_factor_frac)),
      auxiliary_tan_phi_(tan_phi(params.auxiliary_power_factor_frac)) {
  std::vector<Finding> findings;
  for (std::size_t i = 0; i < n_level; ++i) {
    const FeederLevel& l = params.level[i];
    const double n = static_cast<double>(l.n_branch);
    const std::string name(FeederParams::level_names[i]);
    if (l.n_branch < 1)
      findings.push_back({{}, name + "_n_branch", "the level has no branches (see FeederParams::sized)"});
    if (!(l.rating_VA > 0.0)) findings.push_back({{}, name + "_rating_MVA", "the level has no rating"});
    level_[i] = {n * l.no_load_loss_W, n * l.load_loss_W, n * l.rating_VA * l.magnetising_pu,
                 n * l.rating_VA * l.reactance_pu, 1.0 / (n * l.rating_VA * n * l.rating_VA)};
  }
  if (!findings.empty()) throw InputError(std::move(findings));
}

FeederPoint Feeder::at(double load_W, double auxiliary_W) const {
  FeederPoint out;
  double P_W = load_W, Q_var = load_W * load_tan_phi_;
  for (std::size_t i = 0; i < n_level; ++i) {
    if (i == FeederParams::hall_level) {
      P_W += auxiliary_W;
      Q_var += auxiliary_W * auxiliary_tan_phi_;
    }
    const double loading2 = (P_W * P_W + Q_var * Q_var) * level_[i].inverse_rating2;
    out.loss_W[i] = level_[i].P0_W + level_[i].Pk_W * loading2;
    out.loading_frac[i] = std::sqrt(loading2);
    P_W += out.loss_W[i];
    Q_var += level_[i].Q0_var + level_[i].Qk_var * loading2;
    out.level_W[i] = P_W;
    out.level_var[i] = Q_var;
  }
  return out;
}

void Feeder::block(std::span<const double> load_W, double auxiliary_W, double* p, double* q,
                   FeederMeters& meters) const {
  const std::size_t n = load_W.size();
  for (std::size_t k = 0; k < n; ++k) {
    p[k] = load_W[k];
    q[k] = load_W[k] * load_tan_phi_;
  }
  meters.load_J.add(numerics::lane_sum({p, n}) * numerics::bin_s);
  meters.auxiliary_J.add(auxiliary_W * (static_cast<double>(n) * numerics::bin_s));
  for (std::size_t i = 0; i < n_level; ++i) {
    const Level& l = level_[i];
    const bool join = i == FeederParams::hall_level;
    const double join_W = join ? auxiliary_W : 0.0, join_var = join ? auxiliary_W * auxiliary_tan_phi_ : 0.0;
    const auto out = pass({l.P0_W, l.Pk_W, l.Q0_var, l.Qk_var, l.inverse_rating2}, join_W, join_var, n, p, q);
    meters.loss_J[i].add(out.loss_W * numerics::bin_s);
    meters.loading_max_frac[i] = std::max(meters.loading_max_frac[i], std::sqrt(out.loading2_max));
    meters.loading2_s[i].add(out.loading2 * numerics::bin_s);
  }
  meters.drawn_J.add(numerics::lane_sum({p, n}) * numerics::bin_s);
}

void Feeder::through(std::span<const double> load_W, double auxiliary_W, std::span<double> out_W,
                     std::span<double> out_var, FeederMeters& meters) const {
  if (out_W.size() != load_W.size() || out_var.size() != load_W.size())
    throw InputError("feeder: input and output chunks differ in length");
  for (std::size_t at = 0; at < load_W.size(); at += numerics::block_size) {
    const std::size_t n = std::min(numerics::block_size, load_W.size() - at);
    block(load_W.subspan(at, n), auxiliary_W, out_W.data() + at, out_var.data() + at, meters);
  }
}

}  // namespace TIDEWATT_NAMESPACE::power
