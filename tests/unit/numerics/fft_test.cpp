#include "numerics/fft.hpp"

#include <cmath>
#include <complex>
#include <unsupported/Eigen/FFT>

#include "base/random.hpp"
#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;

TEST_CASE("unit roots agree with long double to one ulp") {
  double worst = 0.0;
  const std::size_t n = 4096;
  for (std::size_t k = 0; k < n; ++k) {
    const long double angle = 2.0L * 3.14159265358979323846264338328L * static_cast<long double>(k) / n;
    const auto r = numerics::unit_root(k, n);
    worst = std::max(worst, static_cast<double>(std::abs(std::cos(angle) - static_cast<long double>(r.cos))));
    worst = std::max(worst, static_cast<double>(std::abs(std::sin(angle) - static_cast<long double>(r.sin))));
  }
  CHECK(worst < 2.3e-16);
}

TEST_CASE("the transform agrees with an independent library for even and odd powers of two") {
  for (const std::size_t n : {8u, 16u, 32u, 1024u, 2048u, 8192u, 65536u}) {
    std::vector<double> re(n), im(n);
    std::vector<std::complex<double>> x(n), y;
    for (std::size_t i = 0; i < n; ++i) {
      re[i] = random::normal(1, random::Purpose::jitter, i);
      im[i] = random::normal(2, random::Purpose::jitter, i);
      x[i] = {re[i], im[i]};
    }
    Eigen::FFT<double> eigen;
    eigen.fwd(y, x);
    numerics::Fft(n).transform(re, im);
    double worst = 0.0;
    for (std::size_t i = 0; i < n; ++i) worst = std::max(worst, std::abs(y[i] - std::complex<double>(re[i], im[i])));
    CHECK(worst < 1e-14 * std::sqrt(static_cast<double>(n)) * std::log2(static_cast<double>(n)));
  }
  CHECK_THROWS_AS(numerics::Fft(12), InputError);
}
