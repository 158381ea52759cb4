#include "study/explain_swing_fleets.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "catch.hpp"
#include "sim/run_as_is.hpp"
#include "study/fleet_expectation.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/sim/look_up.hpp"
#include "tiny.hpp"

using namespace tidewatt;

namespace {

constexpr std::size_t n_fleet = 3;

/// Two hours of a warming morning.
sim::Scenario warm_hours() {
  return tiny("", {"run.start=2024-07-20T08:00:00", "run.duration_h=2", "run.macro_step_s=900",
                   "hall.a.gpu.compute.host_gap_s=0.12"});
}

const study::SwingCause& cause(const study::SwingReport& r, const std::string& name) {
  for (const auto& c : r.causes)
    if (c.name == name) return c;
  throw std::runtime_error("no cause " + name);
}

/// The scenario's run and its three fleets' report, done once.
struct Explained {
  sim::Scenario scenario = warm_hours();
  sim::Result base = sim::run(scenario);
  std::vector<std::string> names;
  study::SwingReport report =
      study::explain_swing(scenario, base, {1, n_fleet}, [this](const std::string& name) { names.push_back(name); });
};
const Explained& explained() {
  static const Explained e;
  return e;
}

/// Of the run's own fleet alone, done once.
const study::SwingReport& of_one_fleet() {
  static const auto r = study::explain_swing(explained().scenario, explained().base, {1, 1});
  return r;
}

/// The fleets' figures by runs of their own: what is rated and recorded is left in.
std::vector<double> runs(const char* key, void (*change)(sim::Scenario&) = nullptr) {
  std::vector<double> out;
  for (std::size_t k = 0; k < n_fleet; ++k) {
    auto s = explained().scenario;
    if (k > 0) s.run.seed = static_cast<std::int64_t>(study::other_fleet_seed(1, k - 1));
    if (change) change(s);
    out.push_back(sim::figure(sim::run_as_is(s), key));
  }
  return out;
}

std::vector<double> minus(std::vector<double> a, const std::vector<double>& b) {
  for (std::size_t k = 0; k < a.size(); ++k) a[k] -= b[k];
  return a;
}

void check_same(const study::FleetMean& got, const std::vector<double>& x) {
  const auto wanted = study::detail::over_fleets(x);
  CHECK(got.mean == Approx(wanted.mean).epsilon(1e-9).margin(1e-12));
  CHECK(got.se == Approx(wanted.se).epsilon(1e-9).margin(1e-12));
}

}  // namespace

TEST_CASE("a mean over fleets has the standard error of independent draws", "[explain]") {
  const double x[] = {1.0, 2.0, 6.0};
  const auto three = study::detail::over_fleets(x);
  CHECK(three.mean == Approx(3.0));
  CHECK(three.se == Approx(std::sqrt((4.0 + 1.0 + 9.0) / 2.0 / 3.0)));
  const auto one = study::detail::over_fleets(std::span(x).first(1));
  CHECK(one.mean == 1.0);
  CHECK(std::isnan(one.se));
}

TEST_CASE("what a link adds is the mean of pairs of runs of one fleet", "[explain]") {
  const auto& r = explained().report;
  CHECK(r.n_fleet == n_fleet);
  const auto swing = runs("throughput_swing_percent"), MW = runs("pcc_mean_MW"),
             fall = runs("pcc_ramp_down_max_MW_per_s");
  CHECK(r.swing_percent == swing[0]);
  check_same(r.swing_over_fleets, swing);
  check_same(r.MW_over_fleets, MW);
  check_same(r.fall_over_fleets, fall);

  const auto thin = [](sim::Scenario& s) { s.run.air_density = false; };
  const auto& c = cause(r, "air density");
  check_same(c.without_percent, runs("throughput_swing_percent", thin));
  check_same(c.adds_points, minus(swing, runs("throughput_swing_percent", thin)));
  check_same(c.without_MW, runs("pcc_mean_MW", thin));
  check_same(c.adds_MW, minus(MW, runs("pcc_mean_MW", thin)));
  check_same(c.adds_ramp_MW_per_s, minus(fall, runs("pcc_ramp_down_max_MW_per_s", thin)));

  const auto capped = [](sim::Scenario& s) { s.halls[0].hall.cap_W = 0.9 * sim::gpu_limit_W(s.halls[0]); };
  const auto tokens = runs("tokens_per_s_mean"), tokens_capped = runs("tokens_per_s_mean", capped),
             MW_capped = runs("pcc_mean_MW", capped);
  std::vector<double> more_tokens, more_energy;
  for (std::size_t k = 0; k < n_fleet; ++k) {
    more_tokens.push_back(100.0 * (tokens_capped[k] / tokens[k] - 1.0));
    more_energy.push_back(100.0 * (MW_capped[k] / tokens_capped[k] / (MW[k] / tokens[k]) - 1.0));
  }
  const auto lever = std::find_if(r.levers.begin(), r.levers.end(), [](const auto& l) { return l.name == "cap 90 %"; });
  REQUIRE(lever != r.levers.end());
  check_same(lever->tokens_percent, more_tokens);
  check_same(lever->energy_per_token_percent, more_energy);
  check_same(lever->swing_percent, runs("throughput_swing_percent", capped));
}

TEST_CASE("pairs of one fleet know better what a link adds than runs of different fleets", "[explain]") {
  const auto& r = explained().report;
  for (const char* name : {"air density", "gated share", "saturating pads"}) {
    const auto& c = cause(r, name);
    INFO(name);
    CHECK(c.adds_points.se < 0.5 * std::hypot(r.swing_over_fleets.se, c.without_percent.se));
    CHECK(c.adds_MW.se < 0.5 * std::hypot(r.MW_over_fleets.se, c.without_MW.se));
  }
}

TEST_CASE("coolant and fans are held at the means of each fleet's own run", "[explain]") {
  const auto& e = explained();
  auto other = e.scenario;
  other.run.seed = static_cast<std::int64_t>(study::other_fleet_seed(1, 0));
  const auto own = study::explain_swing(other, sim::run(other), {1, 1});
  const auto two = study::explain_swing(e.scenario, e.base, {1, 2});
  const auto& one = of_one_fleet();
  for (const char* name : {"coolant", "fans"})
    CHECK(cause(two, name).adds_points.mean ==
          Approx(0.5 * (cause(one, name).adds_points.mean + cause(own, name).adds_points.mean)).margin(1e-12));
}

TEST_CASE("one fleet is this run's own, without standard errors", "[explain]") {
  const auto& e = explained();
  const auto& r = of_one_fleet();
  CHECK(r.n_fleet == 1);
  CHECK(r.swing_over_fleets.mean == r.swing_percent);
  CHECK(r.hottest[0].node == e.report.hottest[0].node);  // named are this run's, however many fleets there are
  CHECK(r.slowest[0].node == e.report.slowest[0].node);
  for (const auto& c : r.causes) {
    CHECK(c.adds_points.mean == r.swing_percent - c.without_percent.mean);
    CHECK(std::isnan(c.adds_points.se));
  }
  for (const auto& text : {study::swing_json(r), study::power_json(r)}) {
    CHECK(text.find("\"n_fleet\":1,") != std::string::npos);
    CHECK(text.find("_se\"") == std::string::npos);
  }
  for (const auto& text : {study::swing_text(r), study::power_text(r)}) CHECK(text.find("±") == std::string::npos);
  for (const auto& text : {study::swing_json(e.report), study::power_json(e.report)})
    CHECK(text.find("_se\"") != std::string::npos);
  for (const auto& text : {study::swing_text(e.report), study::power_text(e.report)})
    CHECK(text.find("over 3 drawn fleets") != std::string::npos);
}

TEST_CASE("an explained swing has the same bits on one and two threads", "[explain]") {
  const auto& e = explained();
  const auto two = study::explain_swing(e.scenario, e.base, {2, n_fleet});
  CHECK(study::swing_json(two) == study::swing_json(e.report));
  CHECK(study::power_json(two) == study::power_json(e.report));
}

TEST_CASE("a run in which no draw acts is done once for all fleets", "[explain]") {
  const auto& e = explained();
  CHECK(std::count(e.names.begin(), e.names.end(), "without spread") == 1);
  for (const auto& name : e.names) CHECK(name.find("without spread, fleet") == std::string::npos);
  CHECK(std::count(e.names.begin(), e.names.end(), "without gating, fleet 3 of 3") == 1);
  CHECK(cause(e.report, "spread").without_percent.se == 0.0);
  auto alike = e.scenario;
  alike.run.spread = false;
  auto other = alike;
  other.run.seed = 77;
  CHECK(sim::figure(sim::run(alike), "throughput_swing_percent") ==
        sim::figure(sim::run(other), "throughput_swing_percent"));
  CHECK(study::explain_swing(alike, sim::run(alike), {1, n_fleet}).n_fleet == 1);
}

TEST_CASE("identical chips alone do not make seeds alike", "[explain]") {
  auto s = warm_hours();
  CHECK_FALSE(study::detail::drawn_alike(s));
  s.run.spread = false;
  CHECK(study::detail::drawn_alike(s));
  const auto drawn = [&](void (*change)(sim::Scenario&)) {
    auto x = s;
    change(x);
    return !study::detail::drawn_alike(x);
  };
  CHECK(drawn([](auto& x) { x.jobs[0].failures.emplace(); }));
  CHECK(drawn([](auto& x) { x.jobs[0].life.jitter.sigma_frac = 0.001; }));
  CHECK(drawn([](auto& x) { x.weather.day = sim::WeatherDay::hot_year; }));
  CHECK(drawn([](auto& x) { x.neighbours.emplace_back(); }));
  CHECK(drawn([](auto& x) {
    x.jobs[0].life.jitter.slow_host_frac = 0.01, x.jobs[0].life.jitter.slow_host_slowdown_frac = 0.02;
  }));
}

TEST_CASE("no fleet is drawn twice, and their number has a range", "[explain]") {
  const auto& e = explained();
  auto second = e.scenario;
  second.run.seed = static_cast<std::int64_t>(study::other_fleet_seed(1, 0));
  const auto r = study::explain_swing(second, sim::run(second), {1, 2});
  CHECK(r.swing_over_fleets.se > 0.0);
  CHECK_THROWS_AS(study::explain_swing(e.scenario, e.base, {1, 0}), InputError);
  CHECK_THROWS_AS(study::explain_swing(e.scenario, e.base, {1, 65}), InputError);
}
