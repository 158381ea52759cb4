#include "tidewatt/grid/frequency_reserves.hpp"

#include <cmath>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

namespace {

FrequencyParams reheat() { return {60.0, 60e9, 5.0, 1.0, 0.05, 0.2, 0.3, 7.0, 0.3}; }
/// No governor to speak of and no damping: ω falls on a straight line.
FrequencyParams bare() { return {60.0, 60e9, 5.0, 0.0, 1e12, 0.0, 0.0, 0.0, 1.0}; }

struct Played {
  std::vector<double> Hz;
  ReserveState state;
  double at(double t_s) const { return Hz[static_cast<std::size_t>(std::lround(t_s * 1000)) - 1]; }
};

Played play(const FrequencyParams& p, const ReserveParams& r, double step_W, double length_s) {
  const FrequencyReserves f(p, r);
  Played out{std::vector<double>(static_cast<std::size_t>(std::lround(length_s * 1000))), f.start(1e9)};
  f.advance(std::vector<double>(out.Hz.size(), 1e9 + step_W), out.Hz, out.state);
  return out;
}

}  // namespace

TEST_CASE("without deadband, reserve and stages it is the exact model") {
  const auto played = play(reheat(), {}, 2.6e9, 30.0);
  const Frequency exact(reheat());
  auto s = exact.start(1e9);
  FrequencyMeters m;
  std::vector<double> Hz(played.Hz.size());
  exact.advance(std::vector<double>(Hz.size(), 3.6e9), Hz, s, m);
  for (std::size_t i = 0; i < Hz.size(); ++i) REQUIRE(std::abs(Hz[i] - played.Hz[i]) < 1e-9);
}

TEST_CASE("deadband: small steps are carried by the load's damping alone, as an exponential") {
  ReserveParams r;
  r.governor_deadband_Hz = 0.036;
  // D = 1: 0.036 Hz are 36 MW on 60 GVA.
  const auto played = play(reheat(), r, 30e6, 60.0);
  for (const double t : {1.0, 10.0, 60.0})
    CHECK(played.at(t) == Approx(-60.0 * (30e6 / 60e9) * (1.0 - std::exp(-t / 10.0))).epsilon(1e-9));
}

TEST_CASE("deadband: beyond it, frequency settles lower by the part that governors ignore") {
  ReserveParams r;
  r.governor_deadband_Hz = 0.036;
  const double with = play(reheat(), r, 2.6e9, 300.0).at(300.0), without = play(reheat(), {}, 2.6e9, 300.0).at(300.0);
  CHECK(with == Approx(-60.0 * (2.6e9 / 60e9 + 20.0 * 0.036 / 60.0) / 21.0).epsilon(1e-6));  // D = 1, 1/R = 20
  CHECK(with - without == Approx(-0.036 * 20.0 / 21.0).epsilon(1e-5));
}

TEST_CASE("fast reserve: the slope changes its delay behind the crossing, by its power") {
  ReserveParams r;
  r.fast_W = 1e9;
  r.fast_below_Hz = 59.85;
  r.fast_delay_s = 0.25;
  r.fast_hold_s = 2.0;
  // 2 GW too few: 60 · 2/60/10 = 0.2 Hz/s; crossing at 0.75 s, reserve from 1 s on, to 3 s.
  const auto played = play(bare(), r, 2e9, 5.0);
  CHECK(played.state.fast_from_s == Approx(0.75).epsilon(1e-9));
  CHECK(played.at(1.0) == Approx(-0.2).epsilon(1e-9));
  CHECK(played.at(3.0) == Approx(-0.2 - 2.0 * 0.1).epsilon(1e-9));
  CHECK(played.at(5.0) == Approx(-0.4 - 2.0 * 0.2).epsilon(1e-9));
  r.fast_ramp_s = 0.5;  // half of its energy is missing over the ramp
  CHECK(play(bare(), r, 2e9, 3.0).at(1.5) == Approx(-0.2 - 0.5 * 0.2 + 0.5 * 0.5 * 0.1).epsilon(1e-9));
}

TEST_CASE("under-frequency stages open one after the other and stay open") {
  ReserveParams r;
  r.shed_below_Hz = {59.3, 59.0, 58.7};
  r.shed_frac = {0.02, 0.05, 0.1};
  r.shed_delay_s = 0.2;
  r.system_load_W = 40e9;
  // 2 GW too few: 59.3 Hz at 3.5 s, 0.8 GW less at 3.7 s; then 0.12 Hz/s, 59.0 at 3.7 + 0.26/0.12 s, 2 GW less 0.2 s later.
  const auto played = play(bare(), r, 2e9, 8.0);
  const double second_s = 3.7 + 0.26 / 0.12 + 0.2;
  CHECK(played.state.shed_at_s[0] == Approx(3.7).epsilon(1e-6));
  CHECK(played.state.shed_at_s[1] == Approx(second_s).epsilon(1e-6));
  CHECK(played.state.shed_at_s[2] < 0.0);  // 0.8 GW too many from there on
  const double lowest = -1.0 - 0.2 * 0.12;
  CHECK(played.at(8.0) == Approx(lowest + 0.08 * (8.0 - second_s)).epsilon(1e-6));
  CHECK(FrequencyReserves(bare(), r).shed_W(played.state) == Approx(0.07 * 40e9));
}

TEST_CASE("a dip that is shorter than a stage's delay opens nothing") {
  ReserveParams r;
  r.shed_below_Hz = {59.9};
  r.shed_frac = {0.1};
  r.shed_delay_s = 0.5;
  r.system_load_W = 40e9;
  const FrequencyReserves f(bare(), r);
  auto s = f.start(0.0);
  std::vector<double> load_W(2000, 2e9), Hz(2000);
  for (std::size_t i = 600; i < 2000; ++i) load_W[i] = -2e9;  // below from 0.5 s to 0.7 s
  f.advance(load_W, Hz, s);
  CHECK(s.shed_at_s[0] < 0.0);
}

TEST_CASE("cutting the stream changes no bit") {
  ReserveParams r;
  r.governor_deadband_Hz = 0.017;
  r.fast_W = 450e6, r.fast_below_Hz = 59.85, r.fast_delay_s = 0.2503, r.fast_hold_s = 3.0001;
  r.shed_below_Hz = {59.5}, r.shed_frac = {0.01}, r.shed_delay_s = 0.1003, r.system_load_W = 45e9;
  const FrequencyReserves f(reheat(), r);
  auto a = f.start(1e9), b = a;
  std::vector<double> load_W(9000, 7e9), whole(9000), parts(9000);
  f.advance(load_W, whole, a);
  for (std::size_t i = 0; i < 9000; i += 45)
    f.advance(std::span(load_W).subspan(i, 45), std::span(parts).subspan(i, 45), b);
  CHECK(whole == parts);
  CHECK(a.shed_at_s == b.shed_at_s);
  CHECK(a.shed_at_s[0] > 0.0);
}

TEST_CASE("reserves that do not belong together are findings, all at once") {
  ReserveParams r;
  r.shed_below_Hz = {59.0, 59.3};
  r.shed_frac = {0.7};
  r.fast_W = 1e6;
  try {
    FrequencyReserves(reheat(), r);
    FAIL("accepted");
  } catch (const InputError& error) {
    const std::string text = error.what();
    for (const char* key : {"shed_frac", "shed_below_Hz", "system_load_GW", "fast_below_Hz"})
      CHECK(text.find(key) != std::string::npos);
  }
}
