#include "tidewatt/mitigation/gpu_smoothing.hpp"

#include <algorithm>
#include <cmath>

#include "catch.hpp"

using namespace tidewatt;

namespace {
constexpr double tdp = 700, high = 680, wait = 150;

struct Wave {
  std::vector<double> at_s, W;
  double total_s = 0;
};

// What the GPU draws, piece by piece.
Wave play(const std::vector<mitigation::SmoothedPiece>& pieces, const std::vector<double>& natural) {
  Wave w;
  for (const auto& p : pieces) {
    w.at_s.push_back(w.total_s);
    w.W.push_back(std::clamp(natural[p.segment], p.low_W, p.high_W));
    w.total_s += seconds(p.duration);
  }
  return w;
}

/// A timeline that repeats, from the state that its repetitions come to: a slow ramp needs many of them.
std::vector<mitigation::SmoothedPiece> smooth(const mitigation::GpuSmoothingParams& params, const std::vector<Tick>& d,
                                              const std::vector<double>& natural,
                                              mitigation::SmoothingState* state = nullptr) {
  mitigation::SmoothingState s{natural.front(), 0};
  for (int repetition = 0; repetition < 10'000; ++repetition) {
    const mitigation::SmoothingState begin = s;
    auto pieces = mitigation::smooth_from(s, params, tdp, d, natural, wait);
    if (std::abs(s.level_W - begin.level_W) > 1e-9 * tdp || s.missing != begin.missing) continue;
    if (state) *state = s;
    return pieces;
  }
  FAIL("the repetitions come to no common state");
  return {};
}
}  // namespace

TEST_CASE("a floor of 65 % is held through a short gap and the work is not delayed by it") {
  const std::vector<Tick> d = {2 * ns_per_s, ns_per_s / 2};
  const std::vector<double> natural = {high, wait};
  const auto w = play(smooth({0.65, 1e5, 1e5, 1.0}, d, natural), natural);
  CHECK(*std::min_element(w.W.begin(), w.W.end()) == Approx(0.65 * tdp).epsilon(0.02));
  CHECK(w.total_s == Approx(2.5).epsilon(0.002));
}

TEST_CASE("after the hysteresis power ramps down at the programmed rate") {
  const std::vector<Tick> d = {2 * ns_per_s, 10 * ns_per_s};
  const std::vector<double> natural = {high, wait};
  const auto pieces = smooth({0.65, 1e6, 100.0, 3.0}, d, natural);
  const auto w = play(pieces, natural);
  // 455 W is reached after (680 − 455)/100 s, held until 3 s, then 305 W more at 100 W/s.
  const auto level = [&](double t) {
    std::size_t i = 0;
    while (i + 1 < w.at_s.size() && w.at_s[i + 1] <= 2.0 + t) ++i;
    return w.W[i];
  };
  CHECK(level(1.0) == Approx(580).margin(25));
  CHECK(level(2.9) == Approx(455).epsilon(0.001));
  CHECK(level(4.0) == Approx(355).margin(25));
  CHECK(level(9.0) == Approx(wait).epsilon(0.001));
}

TEST_CASE("a slow ramp up costs the work it throttles") {
  const std::vector<Tick> d = {4 * ns_per_s, 10 * ns_per_s};
  const std::vector<double> natural = {high, wait};
  const auto w = play(smooth({0.0, 265.0, 1e6, 0.0}, d, natural), natural);
  // Two seconds of ramp from waiting to full do half their work: one second lost.
  CHECK(w.total_s == Approx(15.0).epsilon(0.01));
}

TEST_CASE("under equal ramps a GPU that works less than half of the time sinks until throttled work fills half of it") {
  // Work h = 0.6 s, wait l = 1 s: rises and falls balance where rising takes as long as waiting, so a repetition lasts 2 l.
  const std::vector<Tick> d = {600 * ns_per_ms, ns_per_s};
  const std::vector<double> natural = {high, wait};
  const auto even = play(smooth({0.2, 40.0, 40.0, 10.0}, d, natural), natural);
  CHECK(even.total_s == Approx(2.0).epsilon(0.005));
  // The floor does not matter as long as power never comes down to it.
  CHECK(play(smooth({0.4, 40.0, 40.0, 10.0}, d, natural), natural).total_s == Approx(even.total_s).epsilon(1e-9));
  // A fall slower than u h/l is made up for in every repetition: what is lost is the triangle of the rise, (d l)²/(2 u (P − P_wait)).
  const auto slow = play(smooth({0.2, 40.0, 20.0, 10.0}, d, natural), natural);
  CHECK(slow.total_s - 1.6 == Approx(20.0 * 20.0 / (2.0 * 40.0 * (high - wait))).epsilon(0.05));
}

TEST_CASE("without floor or ramps nothing changes") {
  const std::vector<Tick> d = {2 * ns_per_s, ns_per_s};
  const std::vector<double> natural = {high, wait};
  const auto w = play(smooth({0.0, 1e6, 1e6, 0.0}, d, natural), natural);
  CHECK(w.total_s == Approx(3.0).epsilon(1e-3));
  CHECK(*std::min_element(w.W.begin(), w.W.end()) == wait);
}

TEST_CASE("a repeating timeline ends where it begins, also when a ramp needs many repetitions") {
  const std::vector<Tick> d = {ns_per_s, ns_per_s};
  const std::vector<double> natural = {wait, high};  // begins with a wait: far below where the repetitions lead
  mitigation::SmoothingState end;
  const mitigation::GpuSmoothingParams p{0.6, 100.0, 50.0, 10.0};
  const auto pieces = smooth(p, d, natural, &end);
  auto begin = end;
  mitigation::smooth_from(begin, p, tdp, d, natural, wait);
  CHECK(begin == end);
  CHECK(end.level_W > 0.6 * tdp);  // not the wait's power, from which it set out
  CHECK(pieces.back().end == end);
}

TEST_CASE("a wait that ballast fills takes exactly its time, though the chip's own ramp keeps its power down") {
  const std::vector<Tick> d = {10 * ns_per_s};
  const std::vector<double> natural = {high};
  const mitigation::GpuSmoothingParams p{0.0, 20.0, 20.0, 0.0};
  const auto length = [&](std::vector<std::uint8_t> waits) {
    mitigation::SmoothingState state{wait, 0};
    Tick out = 0;
    for (const auto& piece : mitigation::smooth_from(state, p, tdp, d, natural, wait, {}, waits)) out += piece.duration;
    return out;
  };
  CHECK(length({1}) == d[0]);
  CHECK(length({0}) > d[0]);  // work does take longer
}
