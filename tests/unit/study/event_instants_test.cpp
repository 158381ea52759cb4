#include "study/event_instants.hpp"

#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "sim/figure_list.hpp"
#include "study/event_instants_parts.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/sim/look_up.hpp"
#include "tidewatt/sim/run.hpp"

using namespace tidewatt;
using study::detail::EdgeFigures;

namespace {

constexpr double begin_s = 151.16, brake_s = 40.0;
const std::string up = "pcc_ramp_up_max_MW_per_s", down = "pcc_ramp_down_max_MW_per_s";

/// Two minutes of 512 GPUs after their start, 40 s of them with the power brake pulled.
sim::Scenario braked() {
  sim::LoadOptions load;
  load.set = {"run.duration_h=0.07",
              "hall.a.n_gpu=512",
              "job.main.plan.n_gpu=512",
              "job.main.plan.global_batch_sequences=64",
              "event.brake.at_s=151.16",
              "event.brake.duration_s=40",
              "record.window.sample.start_s=100",
              "record.window.sample.duration_s=10"};
  return sim::load_scenario(std::string(TIDEWATT_SOURCE_DIR) + "/scenarios/power_brake.toml", load);
}

sim::Scenario two_jobs() {
  sim::LoadOptions load;
  load.set = {"hall.a.n_gpu=192"};
  return sim::load_scenario(std::string(TIDEWATT_SOURCE_DIR) + "/tests/scenarios/two_jobs.toml", load);
}

sim::Result plain_run(const sim::Scenario& s) { return sim::run(s, study::detail::one_thread()); }

EdgeFigures moved_run(sim::Scenario s, double by_s) {
  s.events.front().at_s = study::detail::whole_ms(s.events.front().at_s + by_s);
  return study::detail::summary_figures(plain_run(s));
}

std::size_t number_of(const std::string& key) {
  const auto keys = study::event_keys();
  return static_cast<std::size_t>(std::find(keys.begin(), keys.end(), key) - keys.begin());
}

/// The stretch of the scenario's only event and what its replays begin from.
struct OnlyStretch {
  explicit OnlyStretch(const sim::Scenario& s)
      : base(plain_run(s)),
        meter(s),
        pass(meter.scenario()),
        iterations_s(study::detail::iterations_s(s, base)),
        stretch(study::detail::event_stretches(s, iterations_s).at(0)),
        state(pass.before(stretch.regular_s)) {}
  EdgeFigures moved(double by_s, double end_s = 0.0) const {
    return meter.measure(state, stretch.from_s, stretch.until_s + by_s, {0, by_s, end_s}).value;
  }
  sim::Result base;
  study::detail::PartMeter meter;
  study::detail::RunPass pass;
  std::vector<double> iterations_s;
  study::detail::Stretch stretch;
  std::string state;
};

}  // namespace

TEST_CASE("the stretch of a brake holds both of its edges and regular iterations around them") {
  const auto s = braked();
  const auto stretches = study::detail::event_stretches(s, {6.6});
  REQUIRE(stretches.size() == 1);
  REQUIRE(stretches[0].edges.size() == 2);
  CHECK(stretches[0].edges[0].at_s == begin_s);
  CHECK(stretches[0].edges[1].at_s == begin_s + brake_s);
  CHECK(stretches[0].regular_s < begin_s - 6.6);
  CHECK(stretches[0].until_s > begin_s + brake_s + 6.6);
  // Of a long one, the end is replayed on its own.
  auto longer = s;
  longer.run.duration_s = 2000.0;
  longer.events.front().duration_s = 900.0;
  REQUIRE(study::detail::event_stretches(longer, {6.6}).size() == 2);
  CHECK(study::detail::event_stretches(longer, {6.6})[1].edges[0].ends);
  // An event after the run, and jobs that do not train: nothing to replay.
  longer.events.front().at_s = 2500.0;
  CHECK(study::detail::event_stretches(longer, {6.6}).empty());
  CHECK(study::detail::event_stretches(s, {0.0}).empty());
}

TEST_CASE("an event at its own instant gives the run's own figures") {
  const OnlyStretch only(braked());
  const auto own = study::detail::summary_figures(only.base), replayed = only.moved(0.0);
  for (const auto* key : {&up, &down}) {
    INFO(*key);
    CHECK(replayed[number_of(*key)] == Approx(own[number_of(*key)]).epsilon(2e-5));
  }
  // With no more instants than its own, the part says nothing.
  const auto instants = study::event_instants(braked(), only.base, 1);
  CHECK(instants.part.logs.empty());
  CHECK(instants.p50.at(up) == Approx(own[number_of(up)]).epsilon(2e-5));
}

TEST_CASE("an event one iteration later gives the same figures, half an iteration later others") {
  OnlyStretch only(braked());
  const double iteration_s =
      study::detail::last_iteration_s(only.pass.engine(), only.meter.scenario(), only.stretch.job, only.iterations_s);
  // Governors see the brake every 20 ms: a whole number of their samples.
  const double by_s = 0.02 * std::round(iteration_s / 0.02);
  const auto own = only.moved(0.0), later = only.moved(by_s), half = only.moved(0.5 * by_s);
  CHECK(later[number_of(down)] == Approx(own[number_of(down)]).epsilon(0.03));
  CHECK(std::abs(std::log(half[number_of(down)] / own[number_of(down)])) > 0.05);
}

TEST_CASE("instants of a brake hold what whole runs with a moved brake give", "[long]") {
  const auto s = braked();
  const auto base = plain_run(s);
  const auto instants = study::event_instants(s, base);
  CHECK(instants.part.name == "instant");
  CHECK(instants.part.n_draw == 20);
  CHECK(instants.part.n_failed == 0);
  CHECK(instants.bound.empty());
  constexpr int n = 40;
  const double iteration_s = study::detail::iterations_s(s, base).at(0);
  std::vector<EdgeFigures> runs;
  for (int i = 0; i < n; ++i) runs.push_back(moved_run(s, iteration_s * i / n));
  for (const auto* key : {&up, &down}) {
    INFO(*key);
    const auto k = number_of(*key);
    const double K = sim::figure(base, *key);
    REQUIRE(instants.part.logs.contains(*key));
    const auto& logs = instants.part.logs.at(*key);
    REQUIRE(logs.size() == 20);
    const auto [low, high] = std::minmax_element(logs.begin(), logs.end());
    CHECK(*high - *low > 0.1);  // nothing moves if the event does not
    const double least = K * std::exp(*low), most = instants.max.at(*key);
    double most_of_runs = 0.0;
    for (int i = 0; i < n; ++i) {
      most_of_runs = std::max(most_of_runs, runs[static_cast<std::size_t>(i)][k]);
      if (i % 5 != 0) continue;  // eight of them
      CHECK(runs[static_cast<std::size_t>(i)][k] > 0.99 * least);
      CHECK(runs[static_cast<std::size_t>(i)][k] < 1.01 * most);
    }
    CHECK(most >= 0.98 * most_of_runs);
    CHECK(most < 1.25 * most_of_runs);
    CHECK(instants.p50.at(*key) < most);
  }
}

TEST_CASE("a run without events has no instants, and says why") {
  auto s = braked();
  s.events.clear();
  const auto instants = study::event_instants(s, plain_run(s));
  CHECK(instants.part.n_draw == 0);
  CHECK(instants.part.logs.empty());
  CHECK(instants.max.empty());
  CHECK(instants.part.note.find("no event") != std::string::npos);
}

TEST_CASE("an order that caps meet has the same figures at any instant, and is not replayed") {
  sim::LoadOptions load;
  load.set = {"run.duration_h=0.07",
              "hall.a.n_gpu=512",
              "job.main.plan.n_gpu=512",
              "job.main.plan.global_batch_sequences=64",
              "event.order.at_s=150.5",
              "event.order.notice_s=0",
              "event.order.duration_s=40",
              "event.order.limit_MW=0.5",
              "record.window.sample.start_s=100",
              "record.window.sample.duration_s=10"};
  const auto s = sim::load_scenario(std::string(TIDEWATT_SOURCE_DIR) + "/scenarios/curtailment_cap.toml", load);
  const auto base = plain_run(s);
  const auto own = study::detail::summary_figures(base);
  for (const double by_s : {1.0, 2.5, 4.0}) {
    const auto moved = moved_run(s, by_s);
    for (std::size_t k = 0; k < own.size(); ++k) CHECK(moved[k] == Approx(own[k]).epsilon(1e-3));
  }
  const auto instants = study::event_instants(s, base);
  CHECK(instants.part.n_draw == 0);
  CHECK(instants.part.note.find("caps wait") != std::string::npos);
}

TEST_CASE("instants have the same bits whatever the run's threads") {
  const auto s = braked();
  sim::RunOptions two;
  two.n_thread = 2;
  const auto a = study::event_instants(s, plain_run(s), 2), b = study::event_instants(s, sim::run(s, two), 2);
  CHECK(a.part.logs == b.part.logs);
  CHECK(a.max == b.max);
}

TEST_CASE("jobs beside one another draw the phases of their starts, up to edges that all meet") {
  const auto s = two_jobs();
  const auto base = plain_run(s);
  const auto instants = study::event_instants(s, base, 8);
  CHECK(instants.part.n_draw == 8);
  for (const char* key : study::event_keys()) {
    INFO(key);
    CHECK(instants.bound.at(key) >= instants.max.at(key));
    CHECK(instants.max.at(key) >= instants.p50.at(key));
  }
  // Alone, each job has edges of its own: more than any one of them, less than all figures of the run added.
  CHECK(instants.bound.at(up) < 2.0 * instants.max.at(up));
}

TEST_CASE("jobs in step keep the phase of their start through the run, others do not") {
  auto s = two_jobs();
  s.run.duration_s = 400.0;
  const auto base = plain_run(s);
  const auto own = study::detail::summary_figures(base);
  auto lengths_s = study::detail::iterations_s(s, base);
  lengths_s[1] = lengths_s[0];
  const auto in_step = study::detail::job_phases(s, base, lengths_s, own, 6);
  lengths_s[1] = 1.3 * lengths_s[0];
  const auto drifting = study::detail::job_phases(s, base, lengths_s, own, 6);
  REQUIRE(in_step.draws.size() == 6);
  const auto k = number_of("pcc_step_1s_max_MW");
  const auto spread = [&](const auto& phases) {
    const auto [low, high] = std::minmax_element(phases.draws.begin(), phases.draws.end(),
                                                 [&](const auto& a, const auto& b) { return a[k] < b[k]; });
    return (*high)[k] - (*low)[k];
  };
  CHECK(spread(drifting) <= spread(in_step));
}

TEST_CASE("instants refuse a count of none and a result of other jobs") {
  const auto s = braked();
  const auto base = plain_run(s);
  CHECK_THROWS_AS(study::event_instants(s, base, 0), InputError);
  CHECK_THROWS_AS(study::event_instants(two_jobs(), base), InputError);
}

TEST_CASE("the list of figures says which ones events can set") {
  std::vector<std::string> listed;
  for (const auto* f : sim::headline_figures())
    if (f->traits.of_instants) listed.emplace_back(f->key);
  const auto keys = study::event_keys();
  CHECK(listed == std::vector<std::string>(keys.begin(), keys.end()));
}
