#include "study/fit_noise.hpp"

#include <cmath>

#include "base/random.hpp"
#include "catch.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

namespace {
std::vector<double> seconds(std::size_t n) {
  std::vector<double> t;
  for (std::size_t i = 0; i < n; ++i) t.push_back(static_cast<double>(i) + (i > n / 2 ? 40.0 : 0.0));  // with a gap
  return t;
}

std::vector<double> drawn(const FitNoise& noise, const std::vector<double>& t, std::uint64_t seed) {
  std::vector<double> x;
  double drift = noise.drift * random::normal(seed, random::Purpose::jitter, 0);
  for (std::size_t i = 0; i < t.size(); ++i) {
    const double kept = i ? std::exp(-(t[i] - t[i - 1]) / noise.drift_s) : 1.0;
    drift =
        kept * drift + noise.drift * std::sqrt(1.0 - kept * kept) * random::normal(seed, random::Purpose::jitter, 1, i);
    x.push_back(drift + noise.white * random::normal(seed, random::Purpose::jitter, 2, i));
  }
  return x;
}
}  // namespace

TEST_CASE("whitened noise is independent and of variance 1, also across a gap", "[study][fit_noise]") {
  const FitNoise noise{0.4, 1.1, 25.0};
  const auto t = seconds(4000);
  auto x = drawn(noise, t, 3);
  Whitener(noise, t)(x);
  double square = 0.0, next = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) square += x[i] * x[i], next += i ? x[i] * x[i - 1] : 0.0;
  CHECK(square / 4000.0 == Approx(1.0).margin(0.07));
  CHECK(next / square == Approx(0.0).margin(0.05));
}

TEST_CASE("the noise of a record is found again, and silence stays silence", "[study][fit_noise]") {
  const auto t = seconds(3000);
  const auto found = fit_noise(t, drawn({0.4, 1.1, 25.0}, t, 5), {}, {});
  CHECK(found.white == Approx(0.4).epsilon(0.1));
  CHECK(found.drift == Approx(1.1).epsilon(0.35));
  CHECK(found.drift_s > 10.0);
  CHECK(found.drift_s < 60.0);
  const auto independent = fit_noise(t, drawn({0.7, 0.0, 1.0}, t, 6), {}, {});
  CHECK(independent.white == Approx(0.7).epsilon(0.06));
  CHECK(independent.drift < 0.2);
  CHECK(fit_noise(t, std::vector<double>(t.size(), 0.0), {}, {}).drift == 0.0);
}

TEST_CASE("a thousand readings of one drift are worth few independent ones", "[study][fit_noise]") {
  const auto t = seconds(1000);
  CHECK(effective_samples({1.0, 0.0, 1.0}, t) == Approx(1000.0));
  const double n = effective_samples({0.0, 1.0, 50.0}, t);
  CHECK(n > 5.0);
  CHECK(n < 20.0);  // 1040 s of a drift that is forgotten within 50 s: one reading per 2 τ
}
