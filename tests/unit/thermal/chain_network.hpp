#pragma once
#include "tidewatt/thermal/hbm_package.hpp"

/// The chain die, base, sink and coolant of package.hpp as a network of three stores: hbm_network without its branch.
inline tidewatt::thermal::StoreNetwork<3> chain_network(const tidewatt::thermal::PackageParams& p,
                                                        double coolant_K_per_W) {
  tidewatt::thermal::StoreNetwork<3> w;
  w.store_J_per_K = {p.die_J_per_K, p.base_J_per_K, p.sink_J_per_K};
  w.joint_W_per_K[0][1] = w.joint_W_per_K[1][0] = 1.0 / p.die_base_K_per_W;
  w.joint_W_per_K[1][2] = w.joint_W_per_K[2][1] = 1.0 / p.base_sink_K_per_W;
  w.coolant_W_per_K[2] = 1.0 / coolant_K_per_W;
  return w;
}
