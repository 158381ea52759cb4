#include "cooling/liquid.hpp"

#include <cmath>

#include "hydronic_day.hpp"
#include "tidewatt/base/error.hpp"

using namespace hydronic_day;

// Values of CoolProp 8.0.0 (IAPWS-95 at 101,325 Pa; Melinder's propylene glycol), generated once.
TEST_CASE("water and glycol match CoolProp") {
  struct Water {
    double t_degC, density, cp;
  };
  for (const Water& w :
       {Water{5, 999.96663, 4205.0377}, Water{15, 999.10262, 4188.4606}, Water{25, 997.04764, 4181.3150},
        Water{40, 992.21635, 4179.4148}, Water{60, 983.19582, 4184.9533}, Water{80, 971.79040, 4196.7533}}) {
    CHECK(water_density_kg_per_m3(K(w.t_degC)) == Approx(w.density).epsilon(2e-5));
    CHECK(water_cp_J_per_kg_K(K(w.t_degC)) == Approx(w.cp).epsilon(2e-4));
  }
  struct Glycol {
    double frac, t_degC, density, cp;
  };
  for (const Glycol& g : {Glycol{0.1, 10, 1008.2690, 4066.567}, Glycol{0.2, 20, 1014.7766, 3976.769},
                          Glycol{0.25, 20, 1019.2776, 3920.468}, Glycol{0.3, 40, 1013.4323, 3910.419},
                          Glycol{0.4, 10, 1037.6159, 3674.274}, Glycol{0.5, 40, 1025.3719, 3606.971}}) {
    CHECK(coolant_density_kg_per_m3(K(g.t_degC), g.frac) == Approx(g.density).epsilon(1e-3));
    CHECK(coolant_cp_J_per_kg_K(K(g.t_degC), g.frac) == Approx(g.cp).epsilon(5e-3));
  }
}
