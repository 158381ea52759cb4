#include "tidewatt/power/supply_chain.hpp"

#include <fmt/format.h>

#include <cmath>

#include "tidewatt/base/error.hpp"
#include "tidewatt/base/sum.hpp"

namespace TIDEWATT_NAMESPACE::power {
namespace {

/// Of n units at an output.
double stage_loss_W(const SupplyStage& s, std::int64_t n_unit, double output_W) {
  const double rating_W = static_cast<double>(n_unit) * s.rating_W, x = output_W / rating_W;
  return rating_W * (s.no_load_loss_frac + x * (s.proportional_loss_frac + x * s.quadratic_loss_frac));
}

void check(const std::vector<SupplyStage>& stages, double design_W) {
  std::vector<Finding> findings;
  if (stages.empty()) findings.push_back({{}, "stages", "the chain has no stage"});
  if (!(design_W > 0.0)) findings.push_back({{}, "design_W", "the design load must be above 0"});
  for (const SupplyStage& s : stages) {
    if (!(s.rating_W > 0.0)) findings.push_back({{}, s.name + ".rating_kW", "must be above 0"});
    if (!(s.design_loading_frac > 0.0 && s.design_loading_frac <= 1.0))
      findings.push_back({{}, s.name + ".design_loading_frac", "must be in (0, 1]"});
  }
  if (!findings.empty()) throw InputError(std::move(findings));
}

}  // namespace

void SupplyStage::fields(FieldVisitor& v) {
  v.number("rating_kW", rating_W, {0.1, 1e6}, "output of one unit");
  v.number("design_loading_frac", design_loading_frac, {0.05, 1}, "loading of a unit at the design load");
  v.number("no_load_loss_frac", no_load_loss_frac, {0, 0.1}, "loss of an energised unit without load, of its rating");
  v.number("proportional_loss_frac", proportional_loss_frac, {0, 0.2},
           "loss proportional to the load, as a fraction of the rating");
  v.number("quadratic_loss_frac", quadratic_loss_frac, {0, 0.2},
           "loss proportional to the square of the load, as a fraction of the rating");
  v.number("holdup_J", holdup_J, {0, 1e10}, "energy that one unit gives after its input is lost", Need::optional);
}

double SupplyChainPoint::loss_W() const {
  CompensatedSum sum;
  for (const SupplyStagePoint& s : stages) sum.add(s.loss_W);
  return sum.value();
}

double SupplyChainPoint::closure() const {
  CompensatedSum gap;
  gap.add(connection_W);
  gap.add(-load_W);
  for (const SupplyStagePoint& s : stages) gap.add(-s.loss_W);
  return std::abs(gap.value()) / connection_W;
}

SupplyChain::SupplyChain(const SupplyChainParams& params, double design_W)
    : stages_(params.stages), n_unit_(params.stages.size(), 0) {
  check(stages_, design_W);
  double P_W = design_W;
  for (std::size_t i = stages_.size(); i-- > 0;) {
    const SupplyStage& s = stages_[i];
    n_unit_[i] = static_cast<std::int64_t>(std::ceil(P_W / (s.rating_W * s.design_loading_frac)));
    P_W += stage_loss_W(s, n_unit_[i], P_W);
  }
}

SupplyChainPoint SupplyChain::at(double load_W) const {
  if (!(load_W >= 0.0)) throw InputError(fmt::format("supply chain: a load of {} W", load_W));
  SupplyChainPoint out;
  out.load_W = load_W;
  out.stages.resize(stages_.size());
  double P_W = load_W;
  for (std::size_t i = stages_.size(); i-- > 0;) {
    const SupplyStage& s = stages_[i];
    SupplyStagePoint& p = out.stages[i];
    p.name = s.name, p.n_unit = n_unit_[i], p.output_W = P_W;
    p.loading_frac = P_W / (static_cast<double>(p.n_unit) * s.rating_W);
    if (p.loading_frac > 1.0)
      throw InputError(fmt::format("supply chain: {} is loaded to {:.0f} % of its rating: give a higher design load",
                                   s.name, 100.0 * p.loading_frac));
    p.loss_W = stage_loss_W(s, p.n_unit, P_W);
    p.input_W = P_W + p.loss_W;
    if (P_W > 0.0) p.holdup_s = s.holdup_J * static_cast<double>(p.n_unit) / P_W;
    P_W = p.input_W;
  }
  out.connection_W = P_W;
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::power
