#include "tidewatt/cooling/psychrometrics.hpp"

#include "catch.hpp"

using namespace tidewatt::cooling;

namespace {
double K(double degC) { return degC + 273.15; }

// Reference figures by PsychroLib 2.5.
struct Reference {
  double t_degC, rh, p_Pa, W, wetbulb_degC, dewpoint_degC, density, enthalpy;
};
constexpr Reference references[] = {
    {20, 0.50, 101325, 0.007261737207462574, 13.783369664318617, 9.272392288187499, 1.1988979666684412,
     38551.741379981504},
    {40, 0.15, 97000, 0.007183210801512301, 20.089085981468948, 8.468171444350315, 1.0744721747539046,
     58739.641098214786},
    {32, 0.60, 101325, 0.018033209303819207, 25.55469788475073, 23.260824276389783, 1.144475603148366,
     78366.39308661515},
    {5, 0.90, 90000, 0.005474148335524487, 4.256934721258892, 3.498472924655364, 1.1235259855446058,
     18771.754566667125},
    {-10, 0.70, 101325, 0.0011187291762396773, -10.975193113471883, -13.95680137967393, 1.3405187356601376,
     -7282.866692902625},
    {35, 0.05, 85000, 0.002065776460361351, 12.913596408723738, -9.102147918461974, 0.9597705686554179,
     40510.988974933265},
    {0.5, 0.40, 101325, 0.001559976892914438, -3.213271371054505, -10.280231796466202, 1.28873828717706,
     4405.952987689419},
    {25, 1.00, 101325, 0.020081122748349608, 25.0, 25.0, 1.1699582228354488, 76306.66020142063},
};
}  // namespace

TEST_CASE("saturation pressure agrees with the reference, over ice and over water") {
  const std::pair<double, double> table[] = {
      {-40, 12.845249304105623}, {-20, 103.26037858050408}, {-5, 401.7641224788012}, {5, 872.4866542640299},
      {20, 2338.8037000739814},  {35, 5627.81944654024},    {60, 19943.760621620728}};
  for (const auto& [t, p] : table) CHECK(saturation_pressure_Pa(K(t)) == Approx(p).epsilon(2e-6));
}

TEST_CASE("moist air agrees with the reference") {
  for (const Reference& r : references) {
    INFO(r.t_degC << " degC, rh " << r.rh);
    const double T = K(r.t_degC);
    const double W = humidity_ratio_from_relative_humidity(T, r.rh, r.p_Pa);
    CHECK(W == Approx(r.W).epsilon(1e-5));
    CHECK(wet_bulb_K(T, W, r.p_Pa) == Approx(K(r.wetbulb_degC)).margin(2e-3));
    CHECK(dew_point_K(vapour_pressure_Pa(W, r.p_Pa)) == Approx(K(r.dewpoint_degC)).margin(2e-3));
    CHECK((1.0 + W) * dry_air_density_kg_per_m3(T, W, r.p_Pa) == Approx(r.density).epsilon(2e-5));
    CHECK(enthalpy_J_per_kg(T, W) == Approx(r.enthalpy).epsilon(1e-5).margin(1.0));
  }
  for (const auto& [t, wb, W] :
       {std::array{30.0, 20.0, 0.010516728279452336}, std::array{40.0, 22.0, 0.00915228168549427},
        std::array{2.0, -3.0, 0.0011551630351371012}, std::array{-5.0, -6.0, 0.0019150284137559002}})
    CHECK(humidity_ratio_from_wet_bulb(K(t), K(wb), 101325) == Approx(W).epsilon(2e-3));
  for (const auto& [z, p] : {std::pair{337.4, 97336.85361699757}, std::pair{1068.0, 89135.68686332484},
                             std::pair{3000.0, 70108.42215940997}})
    CHECK(standard_pressure_Pa(z) == Approx(p).epsilon(1e-9));
}

TEST_CASE("round trips return to where they started") {
  for (double t = -35.0; t <= 48.0; t += 3.7)
    for (double rh = 0.03; rh < 1.0; rh += 0.085)
      for (const double p : {70000.0, 101325.0}) {
        const double W = humidity_ratio_from_relative_humidity(K(t), rh, p);
        CHECK(relative_humidity_frac(K(t), W, p) == Approx(rh).epsilon(1e-12));
        CHECK(humidity_ratio_from_dew_point(dew_point_K(vapour_pressure_Pa(W, p)), p) == Approx(W).epsilon(1e-10));
        const double wb = wet_bulb_K(K(t), W, p);
        CHECK(humidity_ratio_from_wet_bulb(K(t), wb, p) == Approx(W).epsilon(1e-9).margin(1e-13));
        CHECK(wb <= K(t));
        CHECK(wb >= dew_point_K(vapour_pressure_Pa(W, p)) - 0.35);  // ice and water bulb differ a little around 0 degC
      }
}

TEST_CASE("saturated and foggy air: wet bulb, dew point and dry bulb are one") {
  for (const double t : {-20.0, -0.001, 0.0, 0.001, 12.0, 35.0}) {
    const double W = humidity_ratio_from_relative_humidity(K(t), 1.0, 98000);
    CHECK(wet_bulb_K(K(t), W, 98000) == Approx(K(t)).margin(1e-6));
    CHECK(wet_bulb_K(K(t), 1.05 * W, 98000) == K(t));
    CHECK(dew_point_K(vapour_pressure_Pa(W, 98000)) == Approx(K(t)).margin(2e-3));
  }
}

TEST_CASE("adiabatic saturation conserves enthalpy") {
  const double T = K(38), W = 0.008, p = 97000;
  const double Twb = wet_bulb_K(T, W, p), Ws = saturated_humidity_ratio(Twb, p);
  const double in = enthalpy_J_per_kg(T, W) + (Ws - W) * liquid_cp_J_per_kg_K * (Twb - 273.15);
  CHECK(enthalpy_J_per_kg(Twb, Ws) == Approx(in).epsilon(1e-10));
}
