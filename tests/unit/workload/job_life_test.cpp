#include "workload/job_life.hpp"

#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "job_driver.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::workload;

TEST_CASE("an undisturbed job: books close and all work counts", "[workload][job]") {
  JobParams j = job();
  j.total_iterations = 500, j.evaluation_interval_iterations = 60;
  Driver d{JobLife(j, size, {}), length, 13 * s};
  d.run(never);
  REQUIRE(d.life.state().state == JobState::done);
  check_books(d.life, d.now);
  const JobBooks& b = d.life.books();
  CHECK(b.effective_ns == 500 * length);
  CHECK(b.iterations_run == 500);
  CHECK(b.state_ns[static_cast<std::size_t>(JobState::evaluate)] == 8 * 13 * s);
  CHECK(b.state_ns[static_cast<std::size_t>(JobState::queued)] == 100 * s);
  CHECK(b.checkpoints == static_cast<std::int64_t>(std::floor(500 * 6.456789123 / 600)) + 1);
  CHECK(b.state_ns[static_cast<std::size_t>(JobState::checkpoint)] ==
        b.checkpoints * to_tick(checkpoint_blocking_s(j, size, false)));
}

TEST_CASE("a failure loses exactly the work since the last checkpoint, and it is done again", "[workload][job]") {
  JobParams j = job();
  j.total_iterations = 300;
  const Tick begin = (100 + 20) * s + to_tick(initialise_s(j, size)) + to_tick(load_s(j, size));
  const Tick save = to_tick(checkpoint_blocking_s(j, size, false));
  const Tick first_save = begin + 93 * length;             // the first boundary at or after 600 s
  const Tick fails = first_save + save + 10 * length + 5;  // ten whole iterations and 5 ns later
  Driver d{JobLife(j, size, {{fails, 0, 77, false}}), length, 0};
  d.run(never);
  check_books(d.life, d.now);
  const JobBooks& b = d.life.books();
  CHECK(b.lost_ns == 10 * length + 5);
  CHECK(b.iterations_lost == 10);
  CHECK(b.iterations_run == 310);
  CHECK(b.effective_ns == 300 * length);
  CHECK(b.unexpected == 1);
  CHECK(b.state_ns[static_cast<std::size_t>(JobState::detect)] == 130 * s);
  bool named = false;
  for (const JobEvent& e : d.life.take_events()) named |= e.kind == "failure" && e.entity == 77 && e.tick == fails;
  CHECK(named);
  CHECK(d.life.take_events().empty());
}

TEST_CASE("the first checkpoint of a job may come sooner, the later ones keep their distance: jobs take turns",
          "[workload][job]") {
  JobParams j = job(), turned = job();
  turned.checkpoint_first_s = 300;
  const auto saves = [](const JobParams& p) {
    Driver d{JobLife(p, size, {}), length, 13 * s};
    std::vector<Tick> out;
    while (d.now < 4000 * s) {
      const auto before = d.life.books().checkpoints;
      d.step(4000 * s);
      if (d.life.books().checkpoints > before) out.push_back(d.now);
    }
    return out;
  };
  const auto a = saves(j), b = saves(turned);
  REQUIRE(a.size() > 3);
  REQUIRE(b.size() > 3);
  CHECK(seconds(a[0] - b[0]) == Approx(300).margin(2 * seconds(length)));
  CHECK(seconds((b[1] - b[0]) - (a[1] - a[0])) == Approx(0.0).margin(seconds(length)));
}

TEST_CASE("after a failure others run out, wait and end in stages; detection does not come later for it",
          "[workload][job]") {
  JobParams j = job();
  j.tear_down_s = 6.0;
  Driver d{JobLife(j, size, {}), length, 13 * s};
  d.run(2100 * s);
  REQUIRE(d.life.state().state == JobState::iterate);
  const Tick fell = d.now;
  d.life.interrupted(fell, 0, "", 4 * s);
  const JobStep runs_out = d.life.next(fell);
  CHECK(runs_out.state == JobState::run_out);
  CHECK(runs_out.until == fell + 4 * s);
  d.run(fell + 5 * s);
  const JobStep waits = d.life.next(d.now);
  CHECK(waits.state == JobState::detect);
  CHECK(waits.kind.context);  // it spins
  CHECK(waits.until == fell + 130 * s);
  double share = 1.0;
  for (int stage = 0; stage < 3; ++stage) {
    d.run(fell + (131 + 2 * stage) * s);
    const JobStep ends = d.life.next(d.now);
    CHECK(ends.state == JobState::tear_down);
    CHECK(ends.busy_frac < share);
    CHECK(!ends.rest_waits);
    share = ends.busy_frac;
  }
  d.run(fell + 137 * s);
  CHECK(d.life.state().state == JobState::replace);
  CHECK(!d.life.next(d.now).kind.context);
  d.life.book_until(d.now);
  check_books(d.life, d.now);
  CHECK(d.life.books().in(JobState::run_out) == 4 * s);
  CHECK(d.life.books().in(JobState::detect) == 126 * s);
  CHECK(d.life.books().in(JobState::tear_down) == 6 * s);
}

TEST_CASE("without checkpoints a failure loses everything", "[workload][job]") {
  JobParams j = job();
  j.total_iterations = 200, j.checkpoint_interval_s = 0;
  Driver d{JobLife(j, size, {{1200 * s, 0, 1, false}}), length, 0};
  d.run(never);
  check_books(d.life, d.now);
  CHECK(d.life.books().checkpoints == 0);
  CHECK(d.life.books().effective_ns == 200 * length);
  CHECK(d.life.books().iterations_lost > 100);
}

TEST_CASE("a planned stop saves first and loses nothing", "[workload][job]") {
  JobParams j = job();
  j.total_iterations = 300;
  Driver d{JobLife(j, size, {{900 * s, 3, -1, true}}), length, 0};
  d.run(never);
  check_books(d.life, d.now);
  CHECK(d.life.books().lost_ns == 0);
  CHECK(d.life.books().planned == 1);
  CHECK(d.life.books().iterations_run == 300);
  CHECK(d.life.books().state_ns[static_cast<std::size_t>(JobState::maintenance)] == 900 * s);
}

TEST_CASE("failures while down count but do not stretch the repair", "[workload][job]") {
  JobParams j = job();
  j.total_iterations = 300;
  const std::vector<Failure> one = {{1000 * s, 0, 1, false}};
  const std::vector<Failure> two = {{1000 * s, 0, 1, false}, {1050 * s, 0, 2, false}, {1100 * s, 3, -1, true}};
  Driver a{JobLife(j, size, one), length, 0}, b{JobLife(j, size, two), length, 0};
  a.run(never);
  b.run(never);
  check_books(b.life, b.now);
  CHECK(b.life.books().unexpected == 2);
  CHECK(b.life.books().planned == 1);
  CHECK(b.now - a.now == to_tick(j.planned_stop_s));  // the planned stop joins the outage: one restart
}

TEST_CASE("asynchronous checkpoints block less but are durable later", "[workload][job]") {
  JobParams j = job();
  j.total_iterations = 300, j.storage_B_per_s = 50e9;  // 114 s to storage
  CHECK(checkpoint_blocking_s(j, size, true) < 0.03 * checkpoint_blocking_s(j, size, false));
  JobParams async = j;
  async.checkpoint_async = true;
  Driver plain{JobLife(j, size, {}), length, 0}, quick{JobLife(async, size, {}), length, 0};
  plain.run(never);
  quick.run(never);
  CHECK(quick.now < plain.now);
  // A failure before the copy reached storage falls back to the checkpoint before.
  const Tick begin = (100 + 20) * s + to_tick(initialise_s(j, size)) + to_tick(load_s(j, size));
  const Tick saved = begin + 93 * length + to_tick(checkpoint_blocking_s(j, size, true));
  Driver early{JobLife(async, size, {{saved + 110 * s, 0, 1, false}}), length, 0};
  Driver late{JobLife(async, size, {{saved + 118 * s, 0, 1, false}}), length, 0};
  early.run(never);
  late.run(never);
  check_books(early.life, early.now);
  check_books(late.life, late.now);
  CHECK(early.life.books().iterations_lost == 93 + 17);
  CHECK(late.life.books().iterations_lost == 18);
}

TEST_CASE("54 days of Llama 3 failures: over 90 % effective", "[workload][F2]") {
  JobParams j = job();
  j.replace_s = 120, j.initialise_base_s = 60, j.warm_up_s = 60;
  const FailureRates rates{{"all"}, {419.0 / 54 / 86400 / 2048}, {"maintenance"}, {47.0 / 54 / 86400}};
  j.checkpoint_interval_s =
      optimum_checkpoint_interval_s(checkpoint_blocking_s(j, size, false), mean_time_to_failure_s(rates, 2048));
  Driver d{JobLife(j, size, draw_failures(rates, 1, 2048, 0, 54 * 86400 * s)), 6'430'000'000, 0};
  d.run(54 * 86400 * s);
  const JobBooks& b = d.life.books();
  const double effective = seconds(b.effective_ns + b.unsaved_ns) / seconds(d.now);
  const double loss_min = (1.0 - effective) * seconds(d.now) / 60.0 / static_cast<double>(b.unexpected + b.planned);
  INFO("effective " << effective << ", mean loss " << loss_min << " min, " << b.unexpected << " + " << b.planned);
  CHECK(effective > 0.90);
  CHECK(loss_min <= 16.7);
  CHECK(b.unexpected > 350);
}

TEST_CASE("the engine's mistakes are caught, copies are independent", "[workload][job]") {
  Driver d{JobLife(job(), size, {}), length, 0};
  d.run(1000 * s);
  JobLife copy = d.life;
  const std::int64_t before = d.life.progress_iterations();
  JobStep step = copy.next(d.now);
  REQUIRE(step.state == JobState::iterate);
  copy.completed(step, 3, d.now + 3 * length);
  CHECK(copy.progress_iterations() == before + 3);
  CHECK(d.life.progress_iterations() == before);
  CHECK_THROWS_AS(copy.completed(step, 1, 0), InputError);
  step.state = JobState::load;
  CHECK_THROWS_AS(copy.completed(step, 0, d.now + 9 * length), InputError);
  CHECK_THROWS_AS(JobLife(job(), {0, 1.0}, {}), InputError);
  CHECK_THROWS_AS(JobLife(job(), size, {{200 * s, 0, 1, false}, {150 * s, 0, 1, false}}), InputError);
}

TEST_CASE("nodes that switch themselves off: one interruption, spares until they have been reset, books closed",
          "[workload][job]") {
  for (const bool pool : {false, true}) {
    JobParams j = job();
    j.thermal_reset_s = 500, j.spare_nodes = pool ? 3 : -1;
    Driver d{JobLife(j, size, {}), length, 13 * s};
    d.run(2100 * s);
    REQUIRE(d.life.state().state == JobState::iterate);
    const Tick fell = d.now;
    d.life.switched_off(fell, 5, 17);
    d.life.switched_off(fell, 5, 17);  // nobody runs there any more
    CHECK(d.life.books().unexpected == 1);
    CHECK(d.life.books().thermal == 1);
    CHECK(d.life.state().state == JobState::detect);
    d.run(fell + 3000 * s);
    d.life.book_until(d.now);
    check_books(d.life, d.now);
    CHECK(d.life.books().replaced_nodes == 5);
    const Tick waited = d.life.books().in(JobState::wait_for_spare);
    CHECK(waited == (pool ? 370 * s : 0));  // 500 s less the detection
  }
  JobParams in_place = job();
  Driver d{JobLife(in_place, size, {}), length, 13 * s};
  d.run(2000 * s);
  d.life.hold_start(true);  // nothing to hold
  CHECK(!d.life.state().start_held);
  d.life.switched_off(d.now, 5, 17, true);
  CHECK(d.life.state().state == JobState::detect);
  d.run(d.now + 131 * s);  // processes end once it is detected, also where nothing can begin yet
  const JobStep waits = d.life.next(d.now);
  CHECK(waits.state == JobState::tear_down);
  CHECK(waits.until == never);
  d.life.hold_start(false);
  CHECK(d.life.next(d.now).until < never);
  d.run(d.now + 3000 * s);
  CHECK(d.life.books().replaced_nodes == 0);
  CHECK(d.life.books().in(JobState::replace) == 0);
}

TEST_CASE("a loss of power stops a job until it is back; then detection and a start in place follow") {
  auto j = job();
  j.start_s = 0, j.checkpoint_base_s = 0;
  Driver d{{j, size, {}}, length, 0};
  d.run(1000 * s);
  REQUIRE(d.life.state().state == JobState::iterate);
  d.life.power_lost(d.now);
  const auto lost = d.life.books().iterations_lost;
  CHECK(d.life.books().power == 1);
  CHECK(d.life.books().unexpected == 1);
  CHECK(d.life.state().state == JobState::detect);
  CHECK(d.life.next(d.now).until == never);
  const Tick dark = d.now;
  d.now = dark + 400 * s;
  d.life.book_until(d.now);
  d.life.power_back(d.now);
  CHECK(d.life.next(d.now).until == d.now + to_tick(j.detect_s));
  d.run(dark + 2000 * s);
  CHECK(d.life.books().iterations_lost == lost);
  CHECK(d.life.books().in(JobState::detect) == 400 * s + to_tick(j.detect_s));
  CHECK(d.life.books().in(JobState::replace) == 0);
  d.life.book_until(d.now);
  CHECK(d.life.books().effective_ns + d.life.books().unsaved_ns > 0);
  check_books(d.life, d.now);
}

TEST_CASE("without power a queued job does not start and a stop does not end; both do when it is back") {
  Driver queued{{job(), size, {}}, length, 0};
  queued.life.power_lost(50 * s);
  CHECK(queued.life.next(50 * s).until == never);
  queued.now = 300 * s;
  queued.life.power_back(queued.now);
  CHECK(queued.life.state().state == JobState::initialise);
  CHECK(queued.life.books().in(JobState::queued) == 300 * s);
  CHECK(queued.life.books().unexpected == 0);
  Driver stopped{{job(), size, {Failure{1000 * s, 0, -1, true}}}, length, 0};
  while (stopped.life.state().state != JobState::maintenance) stopped.step(5000 * s);
  stopped.life.power_lost(stopped.now);
  CHECK(stopped.life.next(stopped.now).until == never);
  CHECK(stopped.life.books().power == 0);
  stopped.life.power_back(stopped.now + 10 * s);
  CHECK(stopped.life.state().state == JobState::maintenance);
}

TEST_CASE("a switch tray stops the job until its domain is back, a tray only until its rack's spare is in",
          "[workload][job][racks]") {
  JobParams j = job();
  j.spare_racks = 0, j.total_iterations = 12000;
  const DomainLayout racks{16, 16, 2, 9};
  constexpr Tick at = 4000 * s, repair = 40000 * s;
  const auto life_of = [&](FailedUnit unit) {
    Failure f{at, 0, 32, false};
    f.unit = unit, f.repair = repair;
    Driver d{JobLife(j, {1024, 5.7e12}, {f}, racks), length, 13 * s};
    d.run(never);
    check_books(d.life, d.now);
    CHECK(d.life.books().unexpected == 1);
    const auto events = d.life.take_events();
    const auto fallen = std::find_if(events.begin(), events.end(), [](const auto& e) { return e.kind == "failure"; });
    REQUIRE(fallen != events.end());
    CHECK(fallen->entity == 32);
    CHECK(fallen->text.starts_with(unit == FailedUnit::rack          ? "whole rack: in"
                                   : unit == FailedUnit::switch_tray ? "switch tray of its rack: in"
                                                                     : " in"));
    return d.life.books();
  };
  const auto tray = life_of(FailedUnit::node), of_switch = life_of(FailedUnit::switch_tray),
             rack = life_of(FailedUnit::rack);
  CHECK(tray.in(JobState::wait_for_spare) == 0);
  CHECK(tray.replaced_nodes == 1);
  CHECK(tray.by_node() == 1);
  // Detection runs while the repair does; the rest of it is waited for.
  CHECK(of_switch.in(JobState::wait_for_spare) == repair - of_switch.in(JobState::detect));
  CHECK(of_switch.replaced_nodes == 16);
  CHECK(of_switch.by_switch_tray == 1);
  CHECK(of_switch.by_node() == 0);
  CHECK(rack.by_rack == 1);
  CHECK(rack.total_ns() == of_switch.total_ns());
  CHECK(of_switch.total_ns() - tray.total_ns() == of_switch.in(JobState::wait_for_spare));
}

TEST_CASE("a spare rack ends the wait for a domain; its copy goes on alike", "[workload][job][racks]") {
  JobParams j = job();
  const DomainLayout racks{16, 18, 0, 9};
  Failure first{4000 * s, 0, 32, false}, second{9000 * s, 0, 60, false};
  first.unit = FailedUnit::switch_tray, first.repair = 40000 * s;
  second.repair = 30000 * s;  // a tray of a rack without spare trays takes the rack out as well
  j.total_iterations = 12000;
  const auto waits = [&](std::int64_t spare_racks) {
    j.spare_racks = spare_racks;
    Driver d{JobLife(j, {1152, 5.7e12}, {first, second}, racks), length, 13 * s};
    d.run(8000 * s);
    Driver copy{JobLife(j, {1152, 5.7e12}, {first, second}, racks), length, 13 * s, d.now};
    copy.life.restore(d.life.state());
    d.run(never), copy.run(never);
    check_books(d.life, d.now);
    CHECK(copy.life.state() == d.life.state());
    return d.life.books().in(JobState::wait_for_spare);
  };
  CHECK(waits(2) == 0);
  CHECK(waits(-1) == 0);
  CHECK(waits(1) > 25000 * s);  // the second failure waits for its own repair
  CHECK(waits(1) < 30000 * s);
  CHECK(waits(0) > 39000 * s);
}

TEST_CASE("hosts start and load one after another, each loads as long as the others", "[workload][job]") {
  JobParams j = job();
  j.arrive_s = 40.0;  // longer than the base: communicators wait for the last host
  Driver d{JobLife(j, size, {}), length, 13 * s};
  const double load_all_s = load_s(j, size), spread_s = load_spread_s(j, size);
  CHECK(initialise_s(j, size) == Approx(initialise_s(job(), size) + 10.0));
  CHECK(load_all_s == load_s(job(), size));  // storage is the bottleneck, whoever begins first
  CHECK(spread_s == Approx(0.5 * load_all_s));
  const Tick start = 100 * s, loads_at = start + to_tick(initialise_s(j, size));
  d.life.completed(d.life.next(0), 0, start);
  for (const Tick since : {0 * s, 25 * s, 39 * s, 40 * s, 60 * s}) {
    const JobStep step = d.life.next(start + since);
    REQUIRE(step.state == JobState::initialise);
    CHECK(step.until == loads_at);
    CHECK(step.hosts.length == (since < 40 * s ? 40 * s : 0));
    if (since >= 40 * s) continue;  // all have arrived
    CHECK(step.hosts.since == since);
    CHECK(step.hosts.window == never);
    CHECK(!step.rest_waits);
  }
  d.life.completed(d.life.next(loads_at), 0, loads_at);
  const JobStep step = d.life.next(loads_at + s / 10);
  REQUIRE(step.state == JobState::load);
  CHECK(step.rest_waits);
  CHECK(step.hosts.since == s / 10);
  CHECK(step.hosts.length + step.hosts.window == to_tick(load_all_s));
  // The bytes of every GPU, at the rate of one.
  const double copy_s = size.checkpoint_B / static_cast<double>(size.n_gpu) / j.load_per_gpu_B_per_s;
  CHECK(seconds(step.hosts.window) * step.kind.link_s == Approx(copy_s).epsilon(1e-6));
}

TEST_CASE("where a GPU's own path is the bottleneck, loading ends as much later as the last host begins",
          "[workload][job]") {
  JobParams j = job();
  j.storage_B_per_s = 1e18, j.load_per_gpu_B_per_s = 1e7;
  const double at_once_s = load_s(j, size);
  j.arrive_s = 3.0;
  CHECK(load_s(j, size) == Approx(at_once_s + 3.0));
}

TEST_CASE("without a spread all hosts start in one instant", "[workload][job]") {
  const JobLife life(job(), size, {});
  JobLife begun = life;
  begun.completed(begun.next(0), 0, 100 * s);
  const JobStep step = begun.next(100 * s);
  CHECK(step.state == JobState::initialise);
  CHECK(step.hosts.length == 0);
  CHECK(step.until == 100 * s + to_tick(initialise_s(job(), size)));
}
