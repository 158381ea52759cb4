#include "study/ride_job.hpp"

#include <cmath>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using study::ride_job;

namespace {

/// 100 MW for 0.6 s, 40 MW for 0.4 s.
sim::JobWatts job() {
  sim::JobWatts j;
  j.job = "main", j.n_gpu = 1000, j.period_s = 1.0;
  j.iteration_W.assign(600, 100e6);
  j.iteration_W.resize(1000, 40e6);
  j.mean_W = 76e6, j.waiting_W = 50e6, j.idle_W = 10e6, j.load_W = 20e6;
  j.detect_s = 30.0, j.replace_s = 20.0, j.initialise_s = 5.0, j.load_s = 10.0, j.warm_up_s = 2.0;
  return j;
}

grid::LoadGroup servers(double share, bool stops) {
  grid::LoadGroup g;
  g.name = "servers", g.power_W = share;
  g.voltage = {{0.7, 0.02, true, "low_pu"}};
  g.stops = stops, g.returns = !stops;
  g.return_s = 1.0;
  return g;
}

const study::JobPhase& phase(const study::RideJob& r, const std::string& what) {
  for (const auto& p : r.phases)
    if (p.what == what) return p;
  FAIL(what);
  return r.phases.front();
}

}  // namespace

TEST_CASE("what a sag takes hangs on the instant of the iteration; behind supplies the job goes on") {
  const sim::JobWatts jobs[] = {job()};
  const std::vector<grid::PhaseLoad> loads = {{{servers(1.0, false)}, 0.5}};
  for (const auto& [instant_s, W] : {std::pair{0.1, 100e6}, std::pair{0.8, 40e6}}) {
    const auto r = ride_job(jobs, 0.0, loads, {0.5, 0.1, {}, instant_s}, 0.9);
    CHECK(r.before_W == Approx(W));
    CHECK(r.lost_W == Approx(W));
    CHECK(r.mean_W == Approx(76e6));
    CHECK(r.stops_after_s < 0.0);
    CHECK(r.dropped_frac == 0.0);
    // Back after a second; a mean over an iteration is at 90 % while 7.6 MJ of its 76 MJ are still missing.
    CHECK(r.recovery_s == Approx(1.0 - 7.6e6 / W).margin(0.003));
  }
  CHECK_THROWS_AS(ride_job(jobs, 0.0, loads, {0.5, 0.1, {}, 1.0}, 0.9), InputError);
}

TEST_CASE("a quarter of the servers drops: the others wait, are idle, start again, and the drop is apart from that") {
  const sim::JobWatts jobs[] = {job()};
  const std::vector<grid::PhaseLoad> loads = {{{servers(0.25, true), servers(0.75, false)}, 0.8}};
  // Nothing leaves at 0.8 pu; at 0.5 pu the quarter drops 20 ms into it, the rest leaves as well and is back after a second.
  CHECK(ride_job(jobs, 0.0, loads, {0.8, 0.1, {}, 0.1}, 0.9).stops_after_s < 0.0);
  std::vector<grid::PhaseLoad> deep = loads;
  deep[0].level_pu = 0.5, deep[0].groups[1].voltage.clear();
  const auto r = ride_job(jobs, 4e6, deep, {0.5, 0.1, {}, 0.1}, 0.9);
  CHECK(r.dropped_frac == Approx(0.25));
  CHECK(r.lost_W == Approx(0.25 * 104e6));
  CHECK(r.stops_after_s == Approx(0.02));
  CHECK(r.back_s == Approx(67.02));
  CHECK(phase(r, "waiting").mean_W == Approx(0.75 * 54e6).epsilon(0.01));  // dropped servers draw nothing
  CHECK(phase(r, "waiting").until_s == Approx(30.02));
  CHECK(phase(r, "idle").mean_W == Approx(14e6).epsilon(1e-3));  // all of them again
  CHECK(phase(r, "load").mean_W == Approx(24e6).epsilon(1e-3));
  CHECK(phase(r, "iterating").highest_W == Approx(104e6));
  CHECK(r.recovery_s == Approx(67.0 - 0.08).margin(1.0));
}
