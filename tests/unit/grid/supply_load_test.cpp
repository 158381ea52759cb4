#include "grid/supply_load.hpp"

#include <functional>

#include "supply_case.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/grid/source.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;
using Complex = std::complex<double>;

namespace {

/// State after `length_s` behind a bus whose voltage is `v`, by Euler's rule in tiny steps.
std::vector<double> after(const SupplyLoad& load, std::vector<double> x, const std::function<Complex(double)>& v,
                          double length_s) {
  std::vector<double> rate(x.size());
  const double h = 1e-5;
  for (double t = 0.0; t < length_s; t += h) {
    load.rates(x, v(t), rate);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += h * rate[i];
  }
  return x;
}

std::vector<double> at_rest(SupplyLoad& load, double load_pu) {
  std::vector<double> x(load.states().size());
  load.rest(1.0, -load.drawn_pu(1.0, load_pu), x);
  return x;
}

}  // namespace

TEST_CASE("supplies at rest stay there, and draw what the voltage curve of a source says") {
  SupplyControl c = shipped_supplies();
  c.reactance_pu = 0.0;
  c.current_limit_pu = 5.0;
  const Complex Z = Complex(0.03, 0.3);
  SupplyLoad load(c, Z, 60.0);
  const auto x = at_rest(load, 0.8);
  std::vector<double> rate(x.size());
  load.rates(x, 1.0, rate);
  for (const double r : rate) CHECK(std::abs(r) < 1e-9);
  const Source source(SourceParams{1.0, 1.0 / std::abs(Z), 10.0, 1.0});
  CHECK(x[2] == Approx(*source.voltage_pu(0.8, 0.0)).epsilon(1e-12));
  CHECK(load.most_pu(1.0) == Approx(source.max_power_W(0.0)).epsilon(1e-12));
  CHECK_THROWS_AS(load.drawn_pu(1.0, 1.001 * load.most_pu(1.0)), RefusedError);
  CHECK_NOTHROW(load.drawn_pu(1.0, 0.999 * load.most_pu(1.0)));
}

TEST_CASE("constant power: a lower voltage ends with more current and the same power") {
  SupplyLoad load(shipped_supplies(), Complex(0.005, 0.05), 60.0);
  const auto x = after(load, at_rest(load, 0.8), [](double) { return 0.95; }, 2.0);
  CHECK(x[0] * x[2] == Approx(0.8).epsilon(1e-4));
  CHECK(x[0] / x[2] == Approx(0.8 / (x[2] * x[2])).epsilon(1e-4));
  CHECK(SupplyLoad::link_ratio(x) == Approx(1.0).epsilon(1e-3));
}

TEST_CASE("in the first millisecond the current has not changed: the power falls with the voltage") {
  SupplyLoad load(shipped_supplies(), Complex(0.005, 0.05), 60.0);
  const auto x0 = at_rest(load, 0.8);
  const auto x = after(load, x0, [](double) { return 0.9; }, 5e-4);
  CHECK(x[0] == Approx(x0[0]).epsilon(0.02));
  CHECK(x[6] < 1.0);  // the links give the rest
}

TEST_CASE("current limit: below it power is constant, at it the links run down at the power that is missing") {
  SupplyControl c = shipped_supplies();
  c.current_limit_pu = 1.25;
  c.reactance_pu = 0.0;
  SupplyLoad load(c, Complex(0.0, 1e-6), 60.0);
  const auto x0 = at_rest(load, 1.0);
  const auto shallow = after(load, x0, [](double) { return 0.82; }, 1.0);
  CHECK(shallow[0] == Approx(1.0 / 0.82).epsilon(1e-3));
  CHECK(shallow[6] == Approx(1.0).epsilon(1e-2));
  const auto one = after(
                 load, x0, [](double) { return 0.5; }, 0.04),
             two = after(load, x0, [](double) { return 0.5; }, 0.05);
  CHECK(two[0] == Approx(1.25).epsilon(1e-4));
  CHECK((two[6] - one[6]) * c.link_s == Approx(0.01 * (1.25 * 0.5 - 1.0)).epsilon(1e-3));
}

TEST_CASE("a load with a frequency gain falls with the frequency, outside of the deadband alone") {
  SupplyControl c = shipped_supplies();
  c.frequency_gain_pu = 20.0;
  c.frequency_deadband_Hz = 0.036;
  SupplyLoad load(c, Complex(0.0, 0.05), 60.0);
  const auto turning = [](double Hz) { return [Hz](double t) { return std::polar(1.0, 6.283185307179586 * Hz * t); }; };
  const auto x = after(load, at_rest(load, 0.8), turning(-0.3), 4.0);
  CHECK(x[9] * 60.0 == Approx(-0.3).epsilon(1e-3));
  CHECK(x[0] * x[2] == Approx(0.8 - 20.0 * (0.3 - 0.036) / 60.0).epsilon(1e-3));
  const auto inside = after(load, at_rest(load, 0.8), turning(-0.03), 4.0);
  CHECK(inside[0] * inside[2] == Approx(0.8).epsilon(1e-3));
}
