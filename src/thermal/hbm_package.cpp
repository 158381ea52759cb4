#include "tidewatt/thermal/hbm_package.hpp"

namespace TIDEWATT_NAMESPACE::thermal {
namespace {

void join(StoreNetwork<4>& w, std::size_t i, std::size_t j, double W_per_K) {
  w.joint_W_per_K[i][j] = w.joint_W_per_K[j][i] = W_per_K;
}

}  // namespace

void HbmBranchParams::fields(FieldVisitor& v) {
  v.number("hbm_J_per_K", hbm_J_per_K, {0.1, 1000}, "heat capacity of all memory stacks");
  v.number("hbm_base_K_per_W", hbm_base_K_per_W, {1e-3, 10}, "resistance from the stacks to lid and sink base");
  v.number("die_hbm_W_per_K", die_hbm_W_per_K, {0, 100}, "conductance from die to stacks through the interposer");
}

double sink_air_K_per_W(const PackageParams& p, double flow_ratio) {
  return p.sink_air_K_per_W * math::pow(flow_ratio, -p.convection_exponent_ratio);
}

StoreNetwork<4> hbm_network(const PackageParams& p, const HbmBranchParams& hbm, double coolant_K_per_W) {
  StoreNetwork<4> w;
  w.store_J_per_K = {p.die_J_per_K, p.base_J_per_K, p.sink_J_per_K, hbm.hbm_J_per_K};
  join(w, die_store, base_store, 1.0 / p.die_base_K_per_W);
  join(w, base_store, sink_store, 1.0 / p.base_sink_K_per_W);
  join(w, hbm_store, base_store, 1.0 / hbm.hbm_base_K_per_W);
  join(w, die_store, hbm_store, hbm.die_hbm_W_per_K);
  w.coolant_W_per_K[sink_store] = 1.0 / coolant_K_per_W;
  return w;
}

MemoryLead memory_lead(const PackageParams& p, const HbmBranchParams& hbm) {
  const double G_db = 1.0 / p.die_base_K_per_W, G_mb = 1.0 / hbm.hbm_base_K_per_W, G_dm = hbm.die_hbm_W_per_K;
  const double det = (G_db + G_dm) * (G_mb + G_dm) - G_dm * G_dm;
  return {G_dm / det - 1.0 / G_db, (G_db + G_dm) / det - 1.0 / G_db};
}

}  // namespace TIDEWATT_NAMESPACE::thermal
