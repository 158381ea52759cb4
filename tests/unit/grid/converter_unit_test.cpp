#include "grid/converter_unit.hpp"

#include "network_case.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;
using Complex = std::complex<double>;

namespace {

const std::string converter = "0 0.02 10 0.9 0.4 1.22 1.2 0.9 0.5 -1.3 0.02 0 99 -99 0.7";
const std::string electrical =
    "0 0 0 0 0 -99 99 0.02 0 0 0 1.1 -1.1 0 0.05 0.44 -0.44 1.05 0.9 0 0.5 2 5 0.02 99 -99 1 0 1.11 0.02";

}  // namespace

TEST_CASE("with electrical control the unit holds its power when the voltage moves, without it its current") {
  for (const bool with : {true, false}) {
    std::optional<Reecb1> control;
    if (with) control = model_of<Reecb1>(electrical);
    ConverterUnit u(model_of<Regca1>(converter), control, std::nullopt);
    std::vector<double> x(u.states().size()), rate(x.size());
    const Complex s(0.6, 0.1);
    u.rest(1.0, s, x);
    u.rates(x, 1.0, rate);
    CHECK(largest(rate) < 1e-12);
    integrate(x, 2.0, 1e-3, [&](double, const std::vector<double>& y, std::vector<double>& r) { u.rates(y, 0.95, r); });
    CHECK((0.95 * std::conj(u.current(x, 0.95))).real() == Approx(with ? 0.6 : 0.57).epsilon(1e-6));
    CHECK(u.inertia_s() == 0.0);
    CHECK(u.readout(x, 0.95).mechanical_pu == Approx(with ? 0.6 : 0.57).epsilon(1e-6));
  }
}
