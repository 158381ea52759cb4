#include "tidewatt/power/converter_chain.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include "catch.hpp"
#include "read_catalog_file.hpp"
#include "tidewatt/base/error.hpp"
#include "wave.hpp"

using namespace tidewatt;
using namespace tidewatt::power;

namespace {
ConverterChainParams params() {
  ConverterChainParams p;
  read_catalog_file("converter_chain/converter_chain_480V.toml", p);
  p.rating_W = 25e6;
  return p;
}
ConverterChainParams one_stage(double f_Hz, double zeta) {  // the other stages far above
  ConverterChainParams p;
  p.rating_W = 1.0;
  for (auto& s : p.stage) s = {900.0, 1.0, 0.0, 0.5};
  p.stage[3] = {f_Hz, zeta, 0.0, 0.5};
  return p;
}
}  // namespace

TEST_CASE("one stage peaks where (sqrt(1 + 8 z^2) - 1)/(4 z^2) says, and is 1 at sqrt 2 of its frequency") {
  const double z = 0.5, x2 = (std::sqrt(1 + 8 * z * z) - 1) / (4 * z * z);
  const ConverterChain chain(one_stage(5.0, z));
  const double natural_Hz = 5.0 / std::sqrt(2 * z * z + std::sqrt(4 * z * z * z * z + 1));
  CHECK(chain.peak(0.1, 50).frequency_Hz == Approx(natural_Hz * std::sqrt(x2)).epsilon(0.01));
  CHECK(chain.response(natural_Hz * std::sqrt(2.0)).magnitude == Approx(1.0).epsilon(0.01));
  CHECK(chain.response(0.01).magnitude == Approx(1.0).epsilon(1e-3));
  CHECK(chain.response(0.01).phase_deg == Approx(0.0).margin(0.5));
}

TEST_CASE("a sine through the stream has the response's magnitude and phase") {
  const auto p = params();
  const ConverterChain chain(p);
  for (const double f : {0.5, 2.0, 5.0, 10.0, 20.0}) {  // whole periods in 2 s
    std::vector<double> load(20'000), drawn(20'000);
    const double w = 2 * std::numbers::pi * f;
    ConverterChainParams q = p;
    q.no_load_loss_frac = q.proportional_loss_frac = q.quadratic_loss_frac = 0.0;
    const ConverterChain lossless(q);
    for (std::size_t i = 0; i < load.size(); ++i)
      load[i] = 15e6 + 2e6 * std::sin(w * (static_cast<double>(i) + 0.5) * 1e-3);
    auto s = lossless.start(15e6);
    ConverterChainMeters m;
    lossless.step(load, drawn, s, m);
    double re = 0, im = 0;
    for (std::size_t i = 18'000; i < 20'000; ++i) {
      const double t = (static_cast<double>(i) + 0.5) * 1e-3;
      re += drawn[i] * std::sin(w * t) / 1000.0;
      im += drawn[i] * std::cos(w * t) / 1000.0;
    }
    const double y = w * 0.5e-3, sinc = std::sin(y) / y;  // holding and averaging over a bin
    const auto H = lossless.response(f);
    CHECK(std::hypot(re, im) / 2e6 == Approx(H.magnitude * sinc * sinc).epsilon(2e-3));
    CHECK(std::atan2(im, re) * 180 / std::numbers::pi == Approx(std::remainder(H.phase_deg, 360.0)).margin(0.5));
  }
}

TEST_CASE("the balance is exact: drawn = load + loss + links, and no loss may be left out") {
  const ConverterChain chain(params());
  const auto load = wave(200'000);
  std::vector<double> drawn(load.size());
  auto s = chain.start(load[0]);
  ConverterChainMeters m;
  chain.step(load, drawn, s, m);
  CHECK(m.closure(chain.stored_J(s)) < 1e-11);
  CHECK(std::abs(chain.stored_J(s)) > 1e-6 * 25e6);  // the links did take part
  auto broken = m;
  broken.loss_J = {};
  CHECK(broken.closure(chain.stored_J(s)) > 1e-3);
  double lo = 1.0;
  for (const double v : m.link_low_pu) lo = std::min(lo, v);
  CHECK(lo < 1.0);
  CHECK(lo > 0.5);
}

TEST_CASE("a steady load stays steady and a step ends at its new level") {
  const ConverterChain chain(params());
  std::vector<double> load(5000, 10e6), drawn(5000);
  auto s = chain.start(10e6);
  ConverterChainMeters m;
  chain.step(load, drawn, s, m);
  for (const double d : drawn) REQUIRE(d == Approx(10e6 + chain.loss_W(10e6)).epsilon(1e-9));
  std::fill(load.begin(), load.end(), 20e6);
  chain.step(load, drawn, s, m);
  CHECK(drawn.back() == Approx(20e6 + chain.loss_W(20e6)).epsilon(1e-9));
  CHECK(*std::max_element(drawn.begin(), drawn.end()) > 1.1 * drawn.back());  // it overshoots
}

TEST_CASE("how the stream is cut changes no bit, and a period repeats its state") {
  const ConverterChain chain(params());
  const auto load = wave(13'000);
  std::vector<double> a(load.size()), b = load;
  auto s = chain.start(load[0]), q = s;
  ConverterChainMeters m, mq;
  chain.step(load, a, s, m);
  for (std::size_t i = 0; i < b.size(); i += 37) {
    const auto piece = std::span(b).subspan(i, std::min<std::size_t>(37, b.size() - i));
    chain.step(piece, piece, q, mq);
  }
  CHECK(a == b);
  CHECK(s == q);
}

TEST_CASE("an unstable loop is refused with its name") {
  auto p = params();
  p.stage[1].damping_ratio = 0.1;
  p.stage[1].current_Hz = 5.0;
  try {
    ConverterChain c(p);
    FAIL("accepted");
  } catch (const InputError& e) {
    CHECK(std::string(e.what()).find("psu_damping_ratio") != std::string::npos);
  }
}
