#include "grid/gencls.hpp"

#include "network_case.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;
using Complex = std::complex<double>;

TEST_CASE("a voltage behind a reactance: power is E V sin δ/X") {
  const auto m = model_of<Gencls>("4 0", Complex(0.0, 0.25), 60.0);
  std::vector<double> x(3), rate(3);
  const RotorRest r = m.rest(1.0, Complex(0.8, 0.1), x);
  CHECK(x[2] * std::sin(x[0]) / 0.25 == Approx(0.8).epsilon(1e-12));
  CHECK(r.mechanical_pu == Approx(0.8).epsilon(1e-12));
  m.rates(x, 1.0, r.mechanical_pu, 0.0, rate);
  CHECK(largest(rate) < 1e-12);
  m.rates(x, 1.0, r.mechanical_pu + 0.1, 0.0, rate);
  CHECK(rate[1] == Approx(0.1 / 8.0).epsilon(1e-9));
}

TEST_CASE("without inertia it is an infinite bus") {
  const auto m = model_of<Gencls>("0 0", Complex(0.0, 0.01), 60.0);
  std::vector<double> x(3), rate(3);
  m.rest(1.0, 0.2, x);
  m.rates(x, 0.5, 3.0, 0.0, rate);
  CHECK(largest(rate) == 0.0);
  CHECK(findings_of<Gencls>("4 0", Complex(0.0), 60.0).size() == 1);
}

TEST_CASE("one machine swings against an infinite bus at the square root of K ω0/2H") {
  auto s = system_of(two_buses(80), "1 'GENCLS' 1 0 0 /\n2 'GENCLS' 1 4 0 /");
  const auto& y = s.rest();
  const double K = y.x[5] * std::cos(y.x[3] - y.x[0]) / 0.550001;
  // A nudge of power: kept small so that the swing stays a sine.
  const auto t = play(s, {{0.5, 0.0}, {0.5, 0.2e6}}, {}, {8.0, 0.002});
  std::vector<double> crossings;
  for (std::size_t r = 1; r < t.time_s.size(); ++r)
    if (t.time_s[r] > 0.6 && t.speed_Hz[2 * r - 1] < 0.0 && t.speed_Hz[2 * r + 1] >= 0.0)
      crossings.push_back(t.time_s[r]);
  REQUIRE(crossings.size() > 5);
  const double period_s = (crossings.back() - crossings.front()) / static_cast<double>(crossings.size() - 1);
  CHECK(1.0 / period_s ==
        Approx(std::sqrt(K * 2.0 * 3.14159265358979 * 60.0 / 8.0) / (2.0 * 3.14159265358979)).epsilon(2e-3));
}
