#include "grid/ring_down.hpp"

#include <cmath>
#include <vector>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

namespace {

std::vector<double> sines(std::initializer_list<std::pair<double, double>> rate_and_Hz, std::size_t n = 200,
                          double step_s = 0.004) {
  std::vector<double> out(n);
  for (std::size_t k = 0; k < n; ++k)
    for (const auto& [rate, Hz] : rate_and_Hz)
      out[k] += std::exp(rate * step_s * static_cast<double>(k)) *
                std::cos(0.3 + 6.283185307179586 * Hz * step_s * static_cast<double>(k));
  return out;
}

}  // namespace

TEST_CASE("of two damped sines the one that lasts is found, whichever is faster") {
  for (const auto& [slow, fast] : {std::pair(3.0, 23.0), std::pair(23.0, 3.0)}) {
    const auto r = ring_down(sines({{-2.0, slow}, {-9.0, fast}}), 0.004);
    CHECK(r.frequency_Hz == Approx(slow).epsilon(1e-6));
    CHECK(r.s.real() == Approx(-2.0).epsilon(1e-5));
    CHECK(r.damping_frac == Approx(2.0 / std::hypot(2.0, 6.283185307179586 * slow)).epsilon(1e-5));
  }
}

TEST_CASE("one that grows has a damping below 0") {
  const auto r = ring_down(sines({{1.5, 23.0}, {-9.0, 4.0}}), 0.004);
  CHECK(r.s.real() == Approx(1.5).epsilon(1e-6));
  CHECK(r.damping_frac < 0.0);
}

TEST_CASE("a record that is short or does not move is refused") {
  CHECK_THROWS_AS(ring_down(std::vector<double>(10, 1.0), 0.004), InputError);
  CHECK_THROWS_AS(ring_down(std::vector<double>(100, 0.0), 0.004), SolverError);
}
