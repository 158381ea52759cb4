#include <cmath>

#include "hydronic_day.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/cooling/psychrometrics.hpp"

using namespace hydronic_day;

// Values of psychrolib 2.5.0 (SI), generated once.
TEST_CASE("moist air matches psychrolib") {
  struct Air {
    double t_degC, rh, p_Pa, humidity, wetbulb_degC, dewpoint_degC, enthalpy;
  };
  for (const Air& a : {Air{-10, 0.8, 101325, 0.001278876, -10.6482, -12.4896, -6885.32},
                       Air{5, 0.5, 101325, 0.002689292, 1.3542, -4.0332, 11780.93},
                       Air{15, 0.9, 101325, 0.009566333, 14.0098, 13.3745, 39282.30},
                       Air{25, 0.5, 101325, 0.009881044, 17.8894, 13.8640, 50321.96},
                       Air{35, 0.3, 101325, 0.01053888, 21.5235, 14.8436, 62253.81},
                       Air{45, 0.15, 101325, 0.008959896, 23.2691, 12.3890, 68428.64},
                       Air{30, 0.4, 85000, 0.01268066, 19.5252, 14.9358, 62601.91},
                       Air{20, 0.6, 70000, 0.01272312, 14.4949, 12.0075, 52413.83},
                       Air{38, 0.5, 97000, 0.02201229, 28.5435, 25.7603, 94836.58}}) {
    INFO(a.t_degC << " degC " << a.rh);
    const double W = humidity_ratio_from_relative_humidity(K(a.t_degC), a.rh, a.p_Pa);
    CHECK(W == Approx(a.humidity).epsilon(2e-4));
    CHECK(wet_bulb_K(K(a.t_degC), W, a.p_Pa) == Approx(K(a.wetbulb_degC)).margin(0.02));
    CHECK(dew_point_K(vapour_pressure_Pa(W, a.p_Pa)) == Approx(K(a.dewpoint_degC)).margin(0.02));
    CHECK(enthalpy_J_per_kg(K(a.t_degC), W) == Approx(a.enthalpy).epsilon(1e-3).margin(20.0));
  }
}
