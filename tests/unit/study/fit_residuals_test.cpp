#include "study/fit_residuals.hpp"

#include <cmath>

#include "base/random.hpp"
#include "catch.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

TEST_CASE("bands add up to the whole, and a line is found at its period", "[study][fit_residuals]") {
  std::vector<double> t, x;
  for (std::size_t i = 0; i < 1200; ++i) {
    t.push_back(0.5 * static_cast<double>(i));
    x.push_back(0.8 * std::sin(2.0 * M_PI * t.back() / 9.0) + 0.2 * random::normal(1, random::Purpose::jitter, i));
  }
  const auto r = residual_report(t, x, {0.6, 0.0, 1.0});
  CHECK(r.line_s == Approx(9.0).epsilon(0.02));
  CHECK(r.line_amplitude == Approx(0.8).epsilon(0.1));
  double square = 0.0;
  for (const auto& b : r.bands) square += b.rms * b.rms;
  CHECK(std::sqrt(square) == Approx(r.rms).epsilon(0.05));
  CHECK(residual_text(r, "K").find("largest line 0.") != std::string::npos);
  CHECK(residual_report({t.data(), 40}, {x.data(), 40}, {0.6, 0.0, 1.0}).bands.empty());
}
