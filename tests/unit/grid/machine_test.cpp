#include "grid/machine.hpp"

#include <cmath>

#include "grid_case.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;
using Complex = std::complex<double>;

TEST_CASE("at rest nothing changes, and the shaft delivers what the terminals and the armature take") {
  MachineCase c = grid_case("kundur_two_area");
  for (const double saturation : {0.0, 0.015}) {
    c.machine.saturation_pu = saturation;
    const Machine machine(c, 0);
    const Complex v = std::polar(1.03, 0.35), s(0.7 / 0.9, 0.2);
    const MachineRest r = machine.rest(v, s);
    const MachineRates d = machine.rates(r.values, v, r.field_pu, r.mechanical_pu);
    for (const double rate :
         {d.angle, d.speed, d.field, d.damper_d, d.damper_q, d.damper_q2, d.stator_d, d.stator_q, d.gap_d, d.gap_q})
      CHECK(std::abs(rate) < 1e-12);
    const Complex i = machine.current(r.values);
    CHECK(std::abs(v * std::conj(i) - s) < 1e-12);
    CHECK(r.mechanical_pu == Approx(s.real() + 0.0025 * std::norm(i)).epsilon(1e-12));
  }
}

TEST_CASE("without saturation the field voltage is the textbook's: E = V + (R + jX_d) I on the q axis") {
  MachineCase c = one_machine();
  const Machine machine(c, 0);
  const MachineRest r = machine.rest(1.0, 0.8);
  // round rotor, unity power factor: |1 + j 1.5·0.8|
  CHECK(r.field_pu == Approx(std::hypot(1.0, 1.2)).epsilon(1e-12));
  CHECK(r.values.angle_rad == Approx(std::atan2(1.2, 1.0)).epsilon(1e-12));
}

TEST_CASE("saturation asks for more field, the exponential's own amount at no load") {
  MachineCase c = grid_case("kundur_two_area");
  const MachineRest r = Machine(c, 0).rest(1.0, 1e-9);
  CHECK(r.field_pu == Approx(1.0 + 0.015 * std::exp(9.6 * 0.1)).epsilon(1e-6));
}

TEST_CASE("the standard reactances come back: a sudden change of current meets X'' with dampers, X' without") {
  MachineCase c = grid_case("kundur_two_area");
  c.machine.saturation_pu = 0.0;
  for (const bool dampers : {true, false}) {
    if (!dampers) c.machine.d_subtransient_s[0] = 0.0;
    const Machine machine(c, 0);
    MachineValues m = machine.rest(1.0, 1e-9).values;
    const double before = m.gap_d, step = 0.1;
    m.current_d += step;  // fluxes of the windings hold
    const double slope = machine.rates(m, 1.0, 1.0, 0.0).gap_d;
    m.gap_d = 0.0;
    const double at_zero = machine.rates(m, 1.0, 1.0, 0.0).gap_d;
    const double gap = -at_zero / ((slope - at_zero) / before);  // where the residual vanishes
    CHECK((before - gap) / step == Approx((dampers ? 0.25 : 0.3) - 0.2).epsilon(1e-9));
  }
}
