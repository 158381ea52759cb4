#include "validate/job_walk.hpp"

#include <algorithm>

#include "catch.hpp"
#include "job_driver.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::workload;
using namespace tidewatt::validate;

namespace {

constexpr Tick day = 86400 * s;
constexpr WalkPace pace{length, 2'000'000'001};

FailureRates rates() {
  FailureRates r{{"node", "software"}, {2.0e-8, 1.0e-8}, {"maintenance"}, {1.0e-5}, {60, 600}, {4 * 3600, 0}};
  return r;
}

}  // namespace

TEST_CASE("every nanosecond of a walk is booked once, wherever it is cut", "[workload][job]") {
  JobParams j = job();
  j.jitter.sigma_frac = 0.01, j.spare_nodes = 2, j.evaluation_interval_iterations = 500;
  j.soft_start_s = 30, j.soft_stop_s = 20, j.soft_stages = 4;
  const Jitter jitter(j.jitter, 5, 0, 128);
  const auto failures = draw_failures(rates(), 5, 2048, 0, 10 * day);
  JobLife whole(j, size, failures);
  CHECK(walk(whole, jitter, pace, 0, 10 * day) == 10 * day);
  check_books(whole, 10 * day);
  for (const JobState state : {JobState::ramp_up, JobState::ramp_down, JobState::wait_for_spare, JobState::evaluate,
                               JobState::maintenance, JobState::replace, JobState::detect})
    CHECK(whole.books().in(state) > 0);
  for (Tick end = 1; end < 10 * day; end = end * 7 + 12'345) {
    JobLife part(j, size, failures);
    walk(part, jitter, pace, 0, end);
    check_books(part, end);
  }
}

TEST_CASE("a saved state goes on to the same end", "[workload][job]") {
  JobParams j = job();
  j.jitter.sigma_frac = 0.01, j.spare_nodes = 1, j.checkpoint_async = true, j.total_iterations = 40000;
  const Jitter jitter(j.jitter, 5, 0, 128);
  const auto failures = draw_failures(rates(), 6, 2048, 0, 10 * day);
  JobLife whole(j, size, failures);
  const Tick end = walk(whole, jitter, pace, 0, 10 * day);
  REQUIRE(whole.state().state == JobState::done);
  JobLifeState saved;
  for (const Failure& f : failures) {
    const Tick at = f.tick + 5 * s;  // inside an outage: a cut hold goes on, a cut iteration would not
    if (f.planned || f.tick < 1000 * s || at > end) continue;
    JobLife first(j, size, failures);
    walk(first, jitter, pace, 0, at);
    saved = first.state();
    CHECK(saved.books.total_ns() == at);
    JobLife second(j, size, failures);
    second.restore(saved);
    CHECK(walk(second, jitter, pace, at, 10 * day) == end);
    CHECK(second.state() == whole.state());
  }
  JobLife second(j, size, failures);
  JobLifeState beyond = saved;
  beyond.failure = failures.size() + 1;
  CHECK_THROWS_AS(second.restore(beyond), InputError);
}

TEST_CASE("an asynchronous save waits for the one before to be durable", "[workload][job]") {
  JobParams j = job();
  j.checkpoint_async = true, j.checkpoint_interval_s = 30, j.storage_B_per_s = 50e9;  // 114 s to storage
  JobLife life(j, size, {});
  walk(life, Jitter({}, 1, 0, 1), pace, 0, 10000 * s);
  std::vector<Tick> begun;
  for (const auto& e : life.take_events())
    if (e.kind == "checkpoint") begun.push_back(e.tick);
  REQUIRE(begun.size() > 20);
  for (std::size_t i = 1; i < begun.size(); ++i) CHECK(begun[i] - begun[i - 1] >= 114 * s);
  // What is on its way to storage does not count yet: the books know it as unsaved.
  const Tick on_its_way = begun.back() + 57 * s;
  for (const Tick look : {on_its_way, begun.back() + 115 * s}) {
    JobLife again(j, size, {});
    walk(again, Jitter({}, 1, 0, 1), pace, 0, look);
    CHECK((again.state().draining.durable_at == never) == (look != on_its_way));
    CHECK((again.books().unsaved_ns > 130 * s) == (look == on_its_way));
  }
}

TEST_CASE("a dry pool of spares waits for a repair", "[workload][job]") {
  JobParams j = job();
  j.spare_nodes = 1, j.total_iterations = 2000;
  const Tick repair = 2 * 3600 * s;
  const std::vector<Failure> two = {{2000 * s, 0, 7, false, 10 * s, repair}, {3000 * s, 0, 8, false, 10 * s, repair}};
  JobLife life(j, size, two);
  const Jitter none({}, 1, 0, 1);
  const Tick end = walk(life, none, pace, 0, 10 * day);
  check_books(life, end);
  CHECK(life.books().in(JobState::detect) == 20 * s);
  CHECK(life.books().in(JobState::wait_for_spare) == 2000 * s + repair - 3010 * s);
  CHECK(life.books().in(JobState::replace) == 2 * to_tick(j.replace_s));
  CHECK(life.books().replaced_nodes == 2);
  CHECK(life.state().spare_nodes == 0);
  bool said = false;
  for (const auto& e : life.take_events()) said |= e.kind == "no_spare" && e.tick == 3010 * s;
  CHECK(said);
  j.spare_nodes = 2;
  JobLife rich(j, size, two);
  const Tick sooner = walk(rich, none, pace, 0, 10 * day);
  CHECK(rich.books().in(JobState::wait_for_spare) == 0);
  CHECK(end - sooner == life.books().in(JobState::wait_for_spare));
  // A cause that leaves its node in place needs no spare and no replacement.
  JobLife in_place(j, size, {{2000 * s, 0, 7, false, 10 * s, 0}});
  walk(in_place, none, pace, 0, 10 * day);
  CHECK(in_place.books().in(JobState::replace) == 0);
  CHECK(in_place.books().replaced_nodes == 0);
  // Nothing ever comes back: the job waits to the end.
  JobLife stuck(j, size, {{2000 * s, 0, 1, false}, {2001 * s, 0, 2, false}, {2002 * s, 0, 3, false}});
  CHECK(walk(stuck, none, pace, 0, day) == day);
  check_books(stuck, day);
  CHECK(stuck.state().state == JobState::wait_for_spare);
}

TEST_CASE("a stop at once loses what is not saved, a drained one nothing", "[workload][job]") {
  JobParams j = job();
  j.total_iterations = 600;
  const Jitter none({}, 1, 0, 1);
  const std::vector<Failure> stop = {{1000 * s, 1, -1, true}};
  JobLife drained(j, size, stop);
  walk(drained, none, pace, 0, day);
  j.planned_stop = "at_once";
  JobLife cut(j, size, stop);
  const Tick end = walk(cut, none, pace, 0, day);
  check_books(cut, end);
  CHECK(drained.books().lost_ns == 0);
  CHECK(cut.books().lost_ns > 0);
  CHECK(cut.books().planned == 1);
  CHECK(cut.books().unexpected == 0);
  CHECK(cut.books().in(JobState::maintenance) == 900 * s);
  // The same stop asked for from outside is drained.
  JobLife asked(j, size, {});
  asked.request_stop(1000 * s, 1300 * s);
  walk(asked, none, pace, 0, day);
  CHECK(asked.books().in(JobState::maintenance) > 200 * s);  // what draining and saving leave of it
  CHECK(asked.books().in(JobState::maintenance) < 300 * s);
  CHECK(asked.books().lost_ns == 0);
}

TEST_CASE("stops asked for are a set: each takes place, their order does not matter, overlapping ones are one",
          "[workload][job]") {
  JobParams j = job();
  j.total_iterations = 600;
  const Jitter none({}, 1, 0, 1);
  struct Outcome {
    JobBooks books;
    std::vector<JobEvent> log;
  };
  const auto with = [&](std::vector<StopRequest> stops) {
    JobLife life(j, size, {});
    for (const auto& r : stops) life.request_stop(r.at, r.end);
    const Tick end = walk(life, none, pace, 0, day);
    check_books(life, end);
    return Outcome{life.books(), life.take_events()};
  };
  const auto same = [&](std::vector<StopRequest> stops, const Outcome& as) {
    std::sort(stops.begin(), stops.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
    do CHECK(with(stops).books == as.books);
    while (std::next_permutation(stops.begin(), stops.end(), [](const auto& a, const auto& b) {
      return std::pair(a.at, a.end) < std::pair(b.at, b.end);
    }));
  };
  const StopRequest a{1000 * s, 1300 * s}, b{2000 * s, 2300 * s}, c{3000 * s, 3300 * s};
  const auto one = with({a}), three = with({a, b, c});
  CHECK(one.books.planned == 1);
  CHECK(three.books.planned == 3);
  CHECK(three.books.in(JobState::maintenance) > 2 * one.books.in(JobState::maintenance));
  same({a, b, c}, three);
  same({a, {1100 * s, 1200 * s}}, one);                                           // nested
  same({{1000 * s, 1150 * s}, {1100 * s, 1300 * s}}, one);                        // overlapping
  same({{1000 * s, 1150 * s}, {1150 * s, 1200 * s}, {1200 * s, 1300 * s}}, one);  // touching
  same({a, a}, one);                                                              // twice
  // A stop asked for within a planned one neither shortens nor prolongs it; one that outlasts it does.
  const auto maintained = [&](std::vector<StopRequest> stops) {
    JobLife life(j, size, {{1000 * s, 1, -1, true}});
    for (const auto& r : stops) life.request_stop(r.at, r.end);
    walk(life, none, pace, 0, day);
    CHECK(life.books().planned == 1);
    return life.books().in(JobState::maintenance);
  };
  CHECK(maintained({}) == 900 * s);
  CHECK(maintained({{1100 * s, 1200 * s}}) == 900 * s);
  CHECK(maintained({{1100 * s, 2500 * s}}) > 1400 * s);
  // One that the iteration under way outlasts is said, not lost; at 0 s the job starts behind it.
  const auto brief = with({{1000 * s, 1000 * s + 1}});
  CHECK(brief.books.planned == 0);
  CHECK(std::count_if(brief.log.begin(), brief.log.end(), [](const auto& e) { return e.kind == "stop_lapsed"; }) == 1);
  CHECK(with({{0, 1300 * s}}).books.iterations_run == with({}).books.iterations_run);
  JobLife life(j, size, {});
  CHECK_THROWS_AS(life.request_stop(2 * s, 1 * s), InputError);
}

TEST_CASE("a stop held from outside lasts until it is released, and longer where another lasts", "[workload][job]") {
  JobParams j = job();
  const Jitter none({}, 1, 0, 1);
  const auto held = [&](Tick released, Tick until) {
    JobLife life(j, size, {});
    life.request_stop(1000 * s, until);
    walk(life, none, pace, 0, 1200 * s);
    life.hold_stop(1200 * s);
    CHECK(life.next(1200 * s).until == never);
    life.book_until(released);
    life.release_stop(released);
    return std::pair(life.state().state, life.next(released).until);
  };
  CHECK(held(1250 * s, 1500 * s) == std::pair(JobState::maintenance, 1500 * s));
  CHECK(held(1600 * s, 1500 * s).first != JobState::maintenance);
}

TEST_CASE("soft starts and stops go in equal steps", "[workload][job]") {
  JobParams j = job();
  j.start_s = 0, j.total_iterations = 100, j.soft_start_s = 40, j.soft_stop_s = 20, j.soft_stages = 4;
  const Jitter none({}, 1, 0, 1);
  std::vector<double> up, down;
  JobLife life(j, size, {});
  Tick now = 0;
  while (life.state().state != JobState::done) {
    const JobStep step = life.next(now);
    if (step.state == JobState::ramp_up) up.push_back(step.busy_frac);
    if (step.state == JobState::ramp_down) down.push_back(step.busy_frac);
    if (step.state == JobState::iterate) {
      CHECK(step.busy_frac == 1.0);
      now += step.max_iterations * pace.iteration;
      life.completed(step, step.max_iterations, now);
    } else {
      life.completed(step, 0, now = step.until);
    }
  }
  CHECK(up == std::vector<double>{0.2, 0.4, 0.6, 0.8});
  CHECK(down == std::vector<double>{0.8, 0.6, 0.4, 0.2});
  CHECK(life.books().in(JobState::ramp_up) == 40 * s);
  CHECK(life.books().in(JobState::ramp_down) == 20 * s);
  // By clock the ramp up works, only slower: no time is given away.
  j.soft_style = "clock", j.soft_clock_frac = 0.6, j.soft_stop_s = 0;
  JobLife slow(j, size, {});
  now = 0;
  JobStep step = slow.next(now);
  while (step.state != JobState::iterate) slow.completed(step, 0, now = step.until), step = slow.next(now);
  std::vector<double> clocks;
  for (const Tick begin = now; now < begin + 45 * s; step = slow.next(now)) {
    clocks.push_back(step.clock_frac);
    now = std::min(step.until, now + 10 * s);
    slow.completed(step, 1, now);
  }
  CHECK(clocks.front() == 0.6);
  CHECK(clocks.back() == 1.0);
  CHECK(std::is_sorted(clocks.begin(), clocks.end()));
  j.soft_clock_frac = 0.0;
  CHECK_THROWS_AS(JobLife(j, size, {}), InputError);
}

TEST_CASE("54 days of events walk through all iterations", "[workload][job]") {
  JobParams j = job();
  j.jitter.sigma_frac = 0.01;
  JobLife life(j, size, draw_failures(rates(), 1, 2048, 0, 54 * day));
  walk(life, Jitter(j.jitter, 1, 0, 128), pace, 0, 54 * day);
  CHECK(life.books().iterations_run > 500'000);
  CHECK_THROWS_AS(walk(life, Jitter({}, 1, 0, 1), {0, 0}, 0, day), InputError);
}
