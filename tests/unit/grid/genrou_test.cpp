#include "grid/genrou.hpp"

#include "network_case.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;
using Complex = std::complex<double>;

namespace {

const std::string plain = "8 0.03 0.4 0.05 6.5 0 1.8 1.7 0.3 0.55 0.25 0.2 0 0";
const std::string saturated = "8 0.03 0.4 0.05 6.5 0 1.8 1.7 0.3 0.55 0.25 0.2 0.04 0.22";

}  // namespace

TEST_CASE("at rest the machine delivers its power and nothing moves, saturated or not") {
  for (const auto& values : {plain, saturated}) {
    const auto m = model_of<Genrou>(values, 0.0025, 60.0);
    const Complex v = std::polar(1.03, 0.35), s(0.78, 0.2);
    std::vector<double> x(6), rate(6);
    const RotorRest r = m.rest(v, s, x);
    const Complex i = m.current(x, v);
    CHECK(std::abs(v * std::conj(i) - s) < 1e-12);
    CHECK(r.mechanical_pu == Approx(0.78 + 0.0025 * std::norm(i)).epsilon(1e-12));
    CHECK(m.field_current_pu(x, v) == Approx(r.field_pu).epsilon(1e-12));
    m.rates(x, v, r.mechanical_pu, r.field_pu, rate);
    CHECK(largest(rate) < 1e-11);
  }
}

TEST_CASE("field voltage is the textbook's: |V + (R + jX_q) I| along q without saturation, 1 + S(1.0) at no load") {
  std::vector<double> x(6);
  // Unity power factor at full load, X_d = X_q: |1 + j 1.7|.
  const auto round = model_of<Genrou>("8 0.03 0.4 0.05 6.5 0 1.7 1.7 0.3 0.55 0.25 0.2 0 0", 0.0, 60.0);
  CHECK(round.rest(1.0, 1.0, x).field_pu == Approx(std::hypot(1.0, 1.7)).epsilon(1e-12));
  CHECK(x[0] == Approx(std::atan(1.7)).epsilon(1e-12));
  const auto m = model_of<Genrou>(saturated, 0.0, 60.0);
  CHECK(m.rest(1.0, 1e-12, x).field_pu == Approx(1.04).epsilon(1e-9));
  CHECK(m.rest(1.2, 1e-12, x).field_pu == Approx(1.2 * 1.22).epsilon(1e-9));
}

TEST_CASE("a sudden change of voltage meets X'', a slow one X_d") {
  const auto m = model_of<Genrou>(plain, 0.0, 60.0);
  std::vector<double> x(6);
  const RotorRest r = m.rest(1.0, 1e-12, x);
  CHECK(std::abs(m.current(x, 0.9)) == Approx(0.1 / 0.25).epsilon(1e-6));
  auto held = [&](double, const std::vector<double>& y, std::vector<double>& rate) {
    m.rates(y, 0.9, r.mechanical_pu, r.field_pu, rate);
    rate[0] = rate[1] = 0.0;
  };
  auto transient = x;
  integrate(transient, 0.15, 1e-3, held);  // the damper's share is gone, the field's decays with T'_d0 X'_d/X_d
  CHECK(std::abs(m.current(transient, 0.9)) ==
        Approx(0.1 * (1.0 / 1.8 + (1.0 / 0.3 - 1.0 / 1.8) * std::exp(-0.15 * 1.8 / (8.0 * 0.3)))).epsilon(0.02));
  integrate(x, 60.0, 5e-3, held);
  CHECK(std::abs(m.current(x, 0.9)) == Approx(0.1 / 1.8).epsilon(1e-3));
}

TEST_CASE("torque above power speeds the rotor up by T/2H") {
  const auto m = model_of<Genrou>(plain, 0.0, 50.0);
  std::vector<double> x(6), rate(6);
  const RotorRest r = m.rest(1.0, 0.5, x);
  m.rates(x, 1.0, r.mechanical_pu + 0.13, r.field_pu, rate);
  CHECK(rate[1] == Approx(0.13 / 13.0).epsilon(1e-9));
  x[1] = 0.01;
  m.rates(x, 1.0, r.mechanical_pu, r.field_pu, rate);
  CHECK(rate[0] == Approx(0.01 * 100.0 * 3.14159265358979).epsilon(1e-9));
}

TEST_CASE("reactances out of order are a finding") {
  CHECK(findings_of<Genrou>("8 0.03 0.4 0.05 6.5 0 1.8 1.7 0.3 0.55 0.35 0.2 0 0", 0.0, 60.0).size() == 1);
  CHECK(findings_of<Genrou>("8 1e-4 0.4 0.05 6.5 0 1.8 1.7 0.3 0.55 0.25 0.2 0 0", 0.0, 60.0).size() == 1);
  CHECK(findings_of<Genrou>("8 0 0.4 0.05 6.5 0 1.8 1.7 0.3 0.55 0.25 0.2 0.04 0.22", 0.0, 60.0).size() == 1);
}

TEST_CASE("a winding whose time is 0 is absent: nothing moves at rest, and a sudden change meets what is left") {
  // Both dampers, then also the transient winding of q, then the damper of q behind no transient winding.
  for (const std::string times : {"8 0 0.4 0", "8 0 0 0", "8 0.03 0 0.05"}) {
    CAPTURE(times);
    const bool dampers = times.back() != '0';
    const auto m = model_of<Genrou>(times + " 6.5 0 1.8 1.7 0.3 0.55 0.25 0.2 0 0", 0.0, 60.0);
    std::vector<double> x(6), rate(6);
    const Complex v = std::polar(1.03, 0.35), s(0.78, 0.2);
    const RotorRest r = m.rest(v, s, x);
    CHECK(std::abs(v * std::conj(m.current(x, v)) - s) < 1e-12);
    CHECK(r.mechanical_pu == Approx(0.78).epsilon(1e-12));
    CHECK(r.field_pu == Approx(std::abs(v + Complex(0.0, 1.7) * std::conj(s / v)) +
                               0.1 * std::abs((std::conj(s / v) * std::polar(1.0, 1.5707963267948966 - x[0])).real()))
                            .epsilon(1e-12));
    m.rates(x, v, r.mechanical_pu, r.field_pu, rate);
    CHECK(largest(rate) < 1e-11);
    // At no load the voltage lies on q, and its fall drives current through d alone.
    m.rest(1.0, 1e-12, x);
    CHECK(std::abs(m.current(x, 0.9)) == Approx(0.1 / (dampers ? 0.25 : 0.3)).epsilon(1e-6));
  }
}
