#include "sim/fan_report.hpp"

#include <algorithm>

#include "catch.hpp"
#include "sim/build_fleet.hpp"
#include "tiny.hpp"

using namespace tidewatt;

namespace {

/// Warm hours of the shipped day's inlet on eight servers.
sim::Scenario warm_hours() {
  return tiny("", {"run.start=2024-07-20T10:00:00", "run.duration_h=3", "run.macro_step_s=300",
                   "hall.a.plant=prescribed_llama3_day"});
}

const std::vector<double>& column(const sim::Result& r, const std::string& path) {
  for (const auto& a : r.arrays)
    if (a.path == path) return std::get<std::vector<double>>(a.values);
  throw std::runtime_error("no " + path);
}

double mean_fan(const sim::Result& r) {
  const auto &t = column(r, "/day/time"), &f = column(r, "/day/server_fan_frac");
  double sum = 0.0, s = 0.0;
  for (std::size_t i = 0; i + 1 < t.size(); ++i) sum += f[i] * (t[i + 1] - t[i]), s += t[i + 1] - t[i];
  return sum / s;
}

}  // namespace

TEST_CASE("a run carries fans in steps as the reference does, which follows every cycle", "[long]") {
  const auto s = warm_hours();
  const auto fast = sim::run(s), slow = sim::run(sim::reference_of(s));
  CHECK(figure(fast, "tokens_per_s_mean") == Approx(figure(slow, "tokens_per_s_mean")).epsilon(2e-4));
  CHECK(figure(fast, "it_mean_MW") == Approx(figure(slow, "it_mean_MW")).epsilon(1e-3));
  CHECK(figure(fast, "die_mean_degC") == Approx(figure(slow, "die_mean_degC")).margin(0.1));
}

TEST_CASE("servers whose fans cycle are counted in the run's picture") {
  const auto s = warm_hours();
  const auto r = sim::run(s);
  const auto fleet = sim::build_fleet(s);
  const auto report = sim::fan_report(fleet, r.arrays);
  REQUIRE(report.has_value());
  CHECK(figure(r, "fan_cycling_nodes") == static_cast<double>(report->n_cycling));
  for (std::size_t n = 0; n < fleet.n_node(); ++n) {
    const auto c = sim::node_fan_cycle(fleet, r.arrays, n);
    REQUIRE(c.has_value());
    CHECK(c->low_frac >= 0.5);  // the GPUs' table begins there
  }
}

TEST_CASE("without the controller's steps fans follow the line of the server's air") {
  auto s = warm_hours();
  const double steps = mean_fan(sim::run(s));
  for (auto& h : s.halls) h.fans.reset();
  const auto line = sim::run(s);
  CHECK(std::isnan(figure(line, "fan_cycling_nodes")));
  CHECK(std::abs(mean_fan(line) - steps) > 0.01);
  CHECK_FALSE(sim::fan_report(sim::build_fleet(s), line.arrays).has_value());
}
