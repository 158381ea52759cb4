#include "study/fit_node_power.hpp"

#include "base/random.hpp"
#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

namespace {
const NodeLevels truth{0, 7100, 6350, 5300, -0.7, 2.1, 5600, 0.3, 1.4, 0.8};

std::vector<WorkInterval> job(int blocks, double iteration_s) {
  std::vector<WorkInterval> w;
  double at = 0.0;
  for (int b = 0; b < blocks; ++b) {
    w.push_back({at, at + 12 * iteration_s, NodeWork::train, 12});
    at += 12 * iteration_s;
    w.push_back({at, at + 13.0, NodeWork::evaluate, 0});
    at += 13.0;
  }
  return w;
}

NodePowerLog shown(const std::vector<WorkInterval>& w, double noise_W) {
  NodePowerLog log;
  for (double t = 10.0; t < w.back().end_s; t += 2.01) log.time_s.push_back(t);
  log.node_W = log_of(node_wave(truth, w), truth, 2.0, log.time_s);
  for (std::size_t i = 0; i < log.node_W.size(); ++i)
    log.node_W[i] += noise_W * random::normal(4, random::Purpose::jitter, i);
  return log;
}
}  // namespace

TEST_CASE("levels, dip and notch come back through meters that alias with the iteration", "[study][fit_node_power]") {
  const auto w = job(4, 10.76);
  const auto f = fit_node_power(shown(w, 20.0), w, 2.0).levels;
  CHECK(f.train_W == Approx(7100).epsilon(0.003));
  CHECK(f.evaluate_W == Approx(6350).epsilon(0.005));
  // Depth and width of a dip trade off behind a 2 s meter; its energy does not.
  CHECK((f.train_W - f.dip_W) * f.dip_s == Approx(1800 * 2.1).epsilon(0.05));
  CHECK((f.evaluate_W - f.notch_W) * f.notch_s == Approx(750 * 1.4).epsilon(0.25));
}

TEST_CASE("fitted on one job it predicts another of the same kind", "[study][fit_node_power]") {
  const auto w = job(4, 10.76), other = job(3, 9.3);
  const auto f = fit_node_power(shown(w, 20.0), w, 2.0).levels;
  const auto log = shown(other, 0.0);
  const auto predicted = log_of(node_wave(f, other), f, 2.0, log.time_s);
  double got = 0, want = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) got += predicted[i], want += log.node_W[i];
  CHECK(got == Approx(want).epsilon(0.003));
}

TEST_CASE("the wave covers every interval and idles in between", "[study][fit_node_power]") {
  const std::vector<WorkInterval> w = {{0, 10, NodeWork::train, 0}, {20, 30, NodeWork::evaluate, 0}};
  NodeLevels n{100, 200, 150, 0, 0, 0, 120, 0, 1, 0};
  const auto wave = node_wave(n, w);
  CHECK(power::WaveMeter(wave).energy_J(0, 30) == Approx(200 * 10 + 100 * 10 + 120 + 150 * 9));
  CHECK_THROWS_AS(node_wave(n, {}), InputError);
}

TEST_CASE("no interval has a width of zero, and a dip that no log resolves is said", "[study][fit_node_power]") {
  auto w = job(4, 10.76);
  for (const auto& v : fit_node_power(shown(w, 20.0), w, 2.0).fit.values) CHECK(v.high > v.low);
  // A job of level power: notch and dip have nothing to show.
  NodePowerLog flat;
  for (double t = 10.0; t < w.back().end_s; t += 2.01) {
    flat.time_s.push_back(t);
    flat.node_W.push_back(7000.0 + 20.0 * random::normal(5, random::Purpose::jitter, flat.time_s.size()));
  }
  const auto fit = fit_node_power(flat, w, 2.0).fit;
  int open = 0;
  for (const auto& v : fit.values) {
    CHECK(v.high > v.low);
    if (v.key == "notch_start_s" || v.key == "dip_start_s")
      open += !v.identified && v.low == v.prior_low && v.high == v.prior_high;
  }
  CHECK(open == 2);
}
