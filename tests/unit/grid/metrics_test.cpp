#include "tidewatt/grid/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "catch.hpp"
#include "iteration_wave.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

namespace {
std::vector<double> wave(std::size_t n, std::uint64_t seed) {
  std::vector<double> x(n);
  double level_W = 10e6;
  for (std::size_t i = 0; i < n; ++i) {
    if (random::uniform(seed, random::Purpose::jitter, i) < 0.004)
      level_W = 20e6 * random::uniform(seed, random::Purpose::repair, i);
    x[i] = level_W + 1e5 * random::normal(seed, random::Purpose::weather, i);
  }
  return x;
}

Ramp brute(std::span<const double> x, std::size_t w, std::int64_t first_bin) {
  Ramp r;
  for (std::size_t t = w; t + w <= x.size(); ++t) {
    double after = 0.0, before = 0.0;
    for (std::size_t k = 0; k < w; ++k) after += x[t + k], before += x[t - 1 - k];
    const double ramp = (after - before) / static_cast<double>(w) / (static_cast<double>(w) * 1e-3);
    if (ramp > r.up_W_per_s) r.up_W_per_s = ramp, r.up_bin = first_bin + static_cast<std::int64_t>(t);
    if (-ramp > r.down_W_per_s) r.down_W_per_s = -ramp, r.down_bin = first_bin + static_cast<std::int64_t>(t);
  }
  return r;
}
}  // namespace

TEST_CASE("ramps equal brute force on random waveforms, in two intervals with a gap") {
  const std::vector<std::int64_t> windows{1, 100, 1000, 3000};
  const auto a = wave(20'000, 1), b = wave(9'000, 2);
  RampMeter m(windows);
  const auto feed = [&](const std::vector<double>& x, std::int64_t first) {
    m.begin(first);
    for (std::size_t i = 0; i < x.size(); i += 777)
      m.push(std::span(x).subspan(i, std::min<std::size_t>(777, x.size() - i)));
  };
  feed(a, 5000);
  feed(b, 100'000);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const auto w = static_cast<std::size_t>(windows[i]);
    const Ramp x = brute(a, w, 5000), y = brute(b, w, 100'000);
    const Ramp& up = x.up_W_per_s > y.up_W_per_s ? x : y;
    const Ramp& down = x.down_W_per_s > y.down_W_per_s ? x : y;
    CHECK(m.ramps()[i].up_W_per_s == Approx(up.up_W_per_s).epsilon(1e-8));
    CHECK(m.ramps()[i].up_bin == up.up_bin);
    CHECK(m.ramps()[i].down_W_per_s == Approx(down.down_W_per_s).epsilon(1e-8));
    CHECK(m.ramps()[i].down_bin == down.down_bin);
  }
}

TEST_CASE("a step of A is a ramp of A/w at the step, a straight ramp keeps its slope, a gap is no ramp") {
  RampMeter m({100, 1000});
  std::vector<double> x(5000, 4e6);
  std::fill(x.begin() + 2500, x.end(), 10e6);
  m.begin(0);
  m.push(x);
  CHECK(m.ramps()[0].up_W_per_s == Approx(6e6 / 0.1).epsilon(1e-12));
  CHECK(m.ramps()[1].up_W_per_s == Approx(6e6).epsilon(1e-12));
  CHECK(m.ramps()[1].up_bin == 2500);
  CHECK(m.ramps()[0].down_W_per_s == 0.0);

  RampMeter slope({100, 1000});
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 20e6 - 2e3 * static_cast<double>(i);
  slope.begin(0);
  slope.push(x);
  for (const auto& r : slope.ramps()) CHECK(r.down_W_per_s == Approx(2e6).epsilon(1e-9));

  RampMeter gap({100});
  gap.begin(0);
  gap.push(std::vector<double>(1000, 1e6));
  gap.begin(1000);
  gap.push(std::vector<double>(1000, 9e6));
  CHECK(gap.ramps()[0].up_W_per_s == 0.0);
}

TEST_CASE("the running sums do not drift: the same wave a thousand times over gives the same ramp") {
  const auto x = wave(3000, 4);
  RampMeter once({300}), often({300});
  std::vector<double> twice = x;
  twice.insert(twice.end(), x.begin(), x.end());
  once.begin(0);
  once.push(twice);
  often.begin(0);
  for (int i = 0; i < 1000; ++i) often.push(x);
  CHECK(once.ramps()[0].up_W_per_s == often.ramps()[0].up_W_per_s);
  CHECK(once.ramps()[0].down_W_per_s == often.ramps()[0].down_W_per_s);
}

TEST_CASE("loads that are not numbers and windows out of range are refused") {
  RampMeter m({100});
  CHECK_THROWS_AS(m.push(std::vector<double>{1.0, NAN}), SolverError);
  CHECK_THROWS_AS(m.push(std::vector<double>{2e12}), SolverError);
  CHECK_THROWS_AS(RampMeter({0}), InputError);
  CHECK_THROWS_AS(StepMeter(0), InputError);
}

TEST_CASE("steps over one second equal brute force, with their moments") {
  const auto x = wave(30'000, 3);
  StepMeter m(1000);
  m.begin(7000);
  for (std::size_t i = 0; i < x.size(); i += 1301)
    m.push(std::span(x).subspan(i, std::min<std::size_t>(1301, x.size() - i)));
  double rise = 0.0, fall = 0.0;
  std::int64_t rise_bin = -1, fall_bin = -1;
  for (std::size_t i = 1000; i < x.size(); ++i) {
    const double d = x[i] - x[i - 1000];
    if (d > rise) rise = d, rise_bin = 7000 + static_cast<std::int64_t>(i) - 1000;
    if (-d > fall) fall = -d, fall_bin = 7000 + static_cast<std::int64_t>(i) - 1000;
  }
  CHECK(m.rise() == rise);
  CHECK(m.fall() == fall);
  CHECK(m.rise_bin() == rise_bin);
  CHECK(m.fall_bin() == fall_bin);
  m.begin(50'000);  // a short interval far away, at another level: nothing to compare with
  m.push(std::vector<double>(1000, 1e9));
  CHECK(m.largest() == std::max(rise, fall));
}

TEST_CASE("extremes keep their moment, their energy and what the edges know") {
  const auto x = wave(10'001, 5);
  ExtremesMeter m;
  m.begin(300);
  m.push(x);
  const auto lo = std::min_element(x.begin(), x.end()), hi = std::max_element(x.begin(), x.end());
  CHECK(m.min_W() == *lo);
  CHECK(m.max_W() == *hi);
  CHECK(m.max_bin() == 300 + (hi - x.begin()));
  long double sum = 0.0;
  for (const double v : x) sum += static_cast<long double>(v);
  CHECK(m.energy_J() == Approx(static_cast<double>(sum) * 1e-3).epsilon(1e-14));
  CHECK(m.mean_W() == Approx(static_cast<double>(sum) / 10'001).epsilon(1e-14));
  m.widen(-1.0, 1e9);
  CHECK(m.range_W() == 1e9 + 1.0);
  CHECK(m.max_bin() == 300 + (hi - x.begin()));
}

TEST_CASE("ramps, steps and extremes: booked repetitions equal pushed ones, and the waveform goes on after them") {
  using namespace iteration_wave;
  const auto x = iteration(80e6, 30e6), after = iteration(85e6, 20e6);
  RampMeter ramp_a({100, 1000, 5000}), ramp_b = ramp_a;
  StepMeter step_a(1000), step_b = step_a;
  ExtremesMeter extremes_a, extremes_b;
  push(ramp_a, x, 6), push(step_a, x, 2), push(extremes_a, x);  // twice the longest window, one window, nothing
  ramp_a.skip(494 * period), step_a.skip(498 * period);
  extremes_a.repeat_bins(499 * extremes_a.energy_J(), 499 * period);
  push(ramp_b, x, 500), push(step_b, x, 500), push(extremes_b, x, 500);
  push(ramp_a, after), push(ramp_b, after), push(step_a, after), push(step_b, after);
  push(extremes_a, after), push(extremes_b, after);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(ramp_a.ramps()[i].up_W_per_s == ramp_b.ramps()[i].up_W_per_s);
    CHECK(ramp_a.ramps()[i].up_bin == ramp_b.ramps()[i].up_bin);
    CHECK(ramp_a.ramps()[i].down_bin == ramp_b.ramps()[i].down_bin);
  }
  CHECK(step_a.largest() == step_b.largest());
  CHECK(step_a.fall_bin() == step_b.fall_bin());
  CHECK(extremes_a.energy_J() == Approx(extremes_b.energy_J()).epsilon(1e-14));
  CHECK(extremes_a.n_bin() == extremes_b.n_bin());
  CHECK(extremes_a.max_bin() == extremes_b.max_bin());
}

TEST_CASE("ramps and steps forget the bins that come again where booked bins fall short of whole repetitions") {
  using namespace iteration_wave;
  const auto x = iteration(80e6, 30e6);
  RampMeter ramp_a({100, 1000}), ramp_b = ramp_a;
  StepMeter step_a(1000), step_b = step_a;
  push(ramp_a, x, 4), push(step_a, x, 4), push(ramp_b, x, 8), push(step_b, x, 8);
  constexpr std::size_t n_again = 3;
  ramp_a.skip(2 * period - n_again, n_again), step_a.skip(2 * period - n_again, n_again);
  const std::vector<double> again(x.end() - n_again, x.end());
  ramp_a.push(again), step_a.push(again);
  push(ramp_a, x, 2), push(step_a, x, 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(ramp_a.ramps()[i].up_W_per_s == ramp_b.ramps()[i].up_W_per_s);
    CHECK(ramp_a.ramps()[i].down_W_per_s == ramp_b.ramps()[i].down_W_per_s);
  }
  CHECK(step_a.largest() == step_b.largest());
  StepMeter short_one(2);
  short_one.begin(0), short_one.push(std::vector<double>{1.0}), short_one.skip(10, 5);  // no more than there are
  short_one.push(std::vector<double>{7.0, 8.0, 9.0});
  CHECK(short_one.rise() == 2.0);
}

TEST_CASE("a ramp through a window that does not fit twice into what was seen is no number, not 0") {
  RampMeter m({100, 300});
  m.begin(0);
  m.push(std::vector<double>(599, 1e6));
  CHECK(m.ramps()[0].up_W_per_s == 0.0);
  CHECK(std::isnan(m.ramps()[1].up_W_per_s));
  CHECK(std::isnan(m.ramps()[1].down_W_per_s));
  m.push(std::vector<double>{1e6});
  CHECK(m.ramps()[1].down_W_per_s == 0.0);
}
