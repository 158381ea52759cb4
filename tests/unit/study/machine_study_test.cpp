#include "study/machine_study.hpp"

#include <cmath>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;

namespace {
study::MachineOptions swing(double swing_W) {
  study::MachineOptions o;
  o.swing_W = swing_W;
  o.points = 12;
  return o;
}
}  // namespace

TEST_CASE("a sweep is linear in the swing, and its deadband figure is the swing that reaches the deadband") {
  const auto one = study::sweep_periods(swing(1e7)), two = study::sweep_periods(swing(2e7));
  CHECK(two.worst_Hz == Approx(2.0 * one.worst_Hz).epsilon(1e-9));
  CHECK(two.within_deadband_W == Approx(one.within_deadband_W).epsilon(1e-9));
  CHECK(one.worst_Hz * one.within_deadband_W / 1e7 == Approx(2.0 * one.options.deadband_Hz).epsilon(1e-9));
  CHECK(one.period_s.size() == 12 + one.modes.size());  // the modes' own periods are among them
  CHECK(study::sweep_svg(one).find("10 MW square wave") != std::string::npos);
  CHECK(study::sweep_csv(one).rfind("period_s,peak_to_peak_mHz\n", 0) == 0);
}

TEST_CASE("a network of one's own is swept as the same files in the catalog are") {
  auto o = swing(1e7);
  const auto shipped = study::sweep_periods(o);
  const std::string stem = std::string(TIDEWATT_SOURCE_DIR) + "/catalog/grid_case/kundur_two_area";
  o.raw = stem + ".raw";
  o.dyr = stem + ".dyr";
  o.shaft = "torque";
  const auto impedance = study::sweep_periods(o);
  o.loads = "current";
  const auto current = study::sweep_periods(o);
  CHECK(current.options.grid_case == "kundur_two_area");
  // The entry's loads draw constant active current and constant reactive impedance.
  CHECK(current.worst_Hz == Approx(shipped.worst_Hz).epsilon(0.2));
  CHECK(std::abs(current.worst_Hz - shipped.worst_Hz) < std::abs(impedance.worst_Hz - shipped.worst_Hz));
  o.loads = "inertia";
  CHECK_THROWS_AS(study::sweep_periods(o), InputError);
}

TEST_CASE("all options out of range are refused at once") {
  auto o = swing(0.0);
  o.duty_frac = 1.5;
  try {
    study::sweep_periods(o);
    FAIL("accepted");
  } catch (const InputError& e) {
    CHECK(e.findings().size() == 2);
  }
  o = swing(1e7);
  o.to_s = o.from_s;
  CHECK_THROWS_AS(study::sweep_periods(o), InputError);
  o = swing(1e7);
  o.grid_case = "no_such_case";
  CHECK_THROWS_AS(study::sweep_periods(o), InputError);
  CHECK_THROWS_AS(study::play_waveform("/no/such/file.h5", {}), InputError);
}
