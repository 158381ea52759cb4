#include "tidewatt/thermal/hbm_package.hpp"

#include "catch.hpp"

using namespace tidewatt;
using namespace tidewatt::thermal;

namespace {
const PackageParams package{1.5, 50, 900, 0.012, 0.018, 0.022, 0.8};
const HbmBranchParams hbm{12.0, 0.12, 0.3};
}  // namespace

TEST_CASE("the memory branch: steady temperatures by resistances in series", "[thermal][hbm]") {
  const HbmBranchParams apart{12.0, 0.12, 0.0};  // no interposer: a plain tree
  const auto m = store_modes(hbm_network(package, apart, 0.028));
  const double die_W = 560, hbm_W = 80, base_K = (die_W + hbm_W) * (0.028 + 0.018);
  const auto rise = [&](std::size_t s) {
    return steady_K_per_W(m, s, die_store) * die_W + steady_K_per_W(m, s, hbm_store) * hbm_W;
  };
  CHECK(rise(base_store) == Approx(base_K).epsilon(1e-11));
  CHECK(rise(die_store) == Approx(base_K + die_W * 0.012).epsilon(1e-11));
  CHECK(rise(hbm_store) == Approx(base_K + hbm_W * 0.12).epsilon(1e-11));
}

TEST_CASE("memory heat that leaves the die's path cools the die", "[thermal][hbm]") {
  const auto m = store_modes(hbm_network(package, hbm, 0.028));
  const double all_in_die = steady_K_per_W(m, die_store, die_store) * 640;
  const double split = steady_K_per_W(m, die_store, die_store) * 560 + steady_K_per_W(m, die_store, hbm_store) * 80;
  CHECK(split < all_in_die - 0.5);
}

TEST_CASE("the two measured poles stand out", "[thermal][hbm]") {
  // Step of die power: the share of the rise that each mode carries. A thermometer with 1 K steps sees what is large.
  const auto m = store_modes(hbm_network(package, hbm, sink_air_K_per_W(package, 0.6)));
  double fast_K_per_W = 0.0, slow_K_per_W = 0.0, hidden_K_per_W = 0.0;
  for (std::size_t k = 0; k < 4; ++k) {
    const double tau = 1.0 / m.rate_per_s[k], R = m.shape[die_store][k] * m.gain_K_per_J[k][die_store] * tau;
    if (tau > 17 && tau < 66)
      slow_K_per_W += R;
    else if (tau > 0.5 && tau < 2.4)
      fast_K_per_W += R;
    else
      hidden_K_per_W += R;
  }
  CHECK(slow_K_per_W > 0.019);
  CHECK(slow_K_per_W < 0.063);
  CHECK(fast_K_per_W + hidden_K_per_W >
        0.018);  // the die's own 20 ms cannot be told from the fast pole at 1 s readings
  CHECK(fast_K_per_W + hidden_K_per_W < 0.040);
}
