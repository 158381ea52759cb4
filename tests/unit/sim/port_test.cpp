// An engine that a controller outside drives: what it reads, what it moves, and what looking does not change.
#include "tidewatt/sim/port.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <thread>

#include "catch.hpp"
#include "tidewatt/io/payload_hash.hpp"
#include "tiny.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

namespace {

double number(Engine& e, std::string_view port) { return std::get<double>(e.read(port)); }

std::string hash(Engine& e) { return io::payload_sha256(e.finish()); }

struct Answer {
  double die_max_K, pcc_W;
};

/// A cap that moves at 5,406 s, and what stands at 6,300 s.
Answer moved(std::vector<std::string> set, const std::string& file, double from_W, double to_W) {
  set.insert(set.end(), {"run.duration_h=1.75", "hall.a.n_gpu=1024", "job.main.plan.n_gpu=1024",
                         "job.main.plan.global_batch_sequences=128"});
  LoadOptions options;
  options.set = std::move(set);
  Engine e(load_scenario(std::string(TIDEWATT_SOURCE_DIR) + "/scenarios/" + file, options));
  e.write("hall.a.cap_W", from_W);
  e.advance_to(5406.0);
  e.write("hall.a.cap_W", to_W);
  e.advance_to(6300.0);
  return {number(e, "hall.a.die_max_K"), number(e, "pcc_W")};
}

/// Moves to `t_s` and to 0.1 s behind it, where a clock lock written at `t_s` holds.
double clock_after_lock_Hz(Engine& e, double t_s) {
  e.advance_to(t_s);
  e.write("hall.a.clock_lock_Hz", 1.2e9);
  e.advance_to(t_s + 0.1);
  const auto all = e.clock_Hz();
  return *std::max_element(all.begin(), all.end());
}

/// The tiny case and a second job on the rest of its GPUs.
Scenario two_jobs(std::vector<std::string> set) {
  LoadOptions options;
  options.set = std::move(set);
  options.set.insert(options.set.end(), {"hall.a.n_gpu=192"});
  return load_scenario(std::string(TIDEWATT_SOURCE_DIR) + "/tests/scenarios/two_jobs.toml", options);
}

const std::vector<std::string> hour = {"run.duration_h=1", "run.macro_step_s=60"};

}  // namespace

TEST_CASE("a cap that a controller moves gives the same answer with default and with 10 s steps", "[ports][long]") {
  // Fans on a line: those in steps take them at macro steps.
  for (const auto& [file, server] :
       {std::pair{"llama3_405b_day.toml", "dgx_h100"}, {"llama3_405b_liquid.toml", "hgx_h100_liquid"}})
    for (const auto& [from_W, to_W] : {std::pair{700.0, 450.0}, {450.0, 700.0}}) {
      const auto with = std::string("hall.a.server=") + server;
      const auto usual = moved({with}, file, from_W, to_W);
      const auto fine = moved({with, "run.macro_step_s=10", "run.macro_step_max_s=10"}, file, from_W, to_W);
      INFO(file << " " << from_W << " to " << to_W << ": " << usual.die_max_K << " " << fine.die_max_K << ", "
                << usual.pcc_W << " " << fine.pcc_W);
      CHECK(std::abs(usual.die_max_K - fine.die_max_K) < 0.05);
      CHECK(std::abs(usual.pcc_W / fine.pcc_W - 1.0) < 5e-4);
    }
}

TEST_CASE("whoever asks changes nothing: the same bits with questions at any time", "[ports]") {
  const auto s = tiny("", hour);
  Engine never(s), asked(s);
  const std::string expected = hash(never);
  std::mt19937_64 random(7);
  for (double t_s = 0.0; t_s < 3500.0;) {
    t_s += 1e-3 * static_cast<double>(random() % 120'000);
    asked.advance_to(std::min(3600.0, t_s));
    for (const auto& p : asked.ports()) (void)asked.read(p.name);
    asked.write("hall.a.cap_W", 700.0);  // as it is: repeats the value
  }
  CHECK(hash(asked) == expected);
}

TEST_CASE("an engine that is asked every second from its start on takes its own steps", "[ports]") {
  // The first iterations' length is not known before they run: a step that reaches beyond the time asked for is taken back.
  const auto s = tiny("", {"run.duration_h=0.1"});
  Engine never(s), asked(s);
  for (int t_s = 1; t_s <= 360; ++t_s) asked.advance_to(t_s);
  CHECK(hash(asked) == hash(never));
}

TEST_CASE("means times their time add up to the energies of the result, with questions and writes at any time",
          "[ports][long]") {
  Engine e(two_jobs(hour));
  std::mt19937_64 random(11);
  double pcc_J = 0.0, it_J = 0.0, jobs_J = 0.0, tokens = 0.0;
  for (double t_s = 0.0, last_s = 0.0; t_s < 3600.0; last_s = t_s) {
    t_s = std::min(3600.0, std::round((t_s + 1e-3 * static_cast<double>(1 + random() % 60'000)) * 1e3) / 1e3);
    e.advance_to(t_s);
    const double s = t_s - last_s;
    pcc_J += number(e, "pcc_W") * s;
    it_J += number(e, "it_W") * s;
    jobs_J += (number(e, "job.main.it_W") + number(e, "job.other.it_W")) * s;
    tokens += (number(e, "job.main.tokens_per_s") + number(e, "job.other.tokens_per_s")) * s;
    if (random() % 5 == 0) e.write("hall.a.cap_W", 400.0 + static_cast<double>(random() % 300));
  }
  CHECK(jobs_J == Approx(it_J).epsilon(1e-11));  // every server works for one of them
  CHECK(tokens == Approx(number(e, "job.main.tokens") + number(e, "job.other.tokens")).epsilon(1e-11));
  const auto r = e.finish();
  CHECK(pcc_J == Approx(figure(r, "pcc_mean_MW") * 3600e6).epsilon(1e-11));
  CHECK(it_J ==
        Approx(figure(r, "it_mean_MW") * 3600e6).epsilon(1e-6));  // that holds iterations that reach beyond the end
}

TEST_CASE("a write acts at once, also where an iteration reaches beyond the macro step", "[ports]") {
  for (const char* longest : {"run.macro_step_max_s=60", "run.macro_step_max_s=900"}) {
    const std::vector<std::string> set = {"run.duration_h=0.25", "run.macro_step_s=60", longest};
    for (const double t_s : {240.0, 300.0, 333.333}) {
      Engine alone(tiny("", set)), pair(two_jobs(set));
      INFO(longest << ", " << t_s << " s");
      CHECK(clock_after_lock_Hz(alone, t_s) <= 1.2e9 * (1.0 + 1e-12));
      CHECK(clock_after_lock_Hz(pair, t_s) <= 1.2e9 * (1.0 + 1e-12));
    }
  }
}

TEST_CASE("the lowest cap that can be written is the lowest that a scenario may ask for", "[ports]") {
  const auto s = tiny();
  Engine e(s);
  const auto ports = e.ports();
  const auto cap = std::find_if(ports.begin(), ports.end(), [](const Port& p) { return p.name == "hall.a.cap_W"; });
  REQUIRE(cap != ports.end());
  const auto at = [](double W) { return std::vector<std::string>{fmt::format("hall.a.cap_W={}", W)}; };
  CHECK(refusal(at(cap->low * (1.0 + 1e-9))) == "accepted");
  CHECK(refusal(at(cap->low * (1.0 - 1e-3))) != "accepted");
  CHECK_THROWS_WITH(e.write("hall.a.cap_W", cap->low * (1.0 - 1e-3)), Catch::Contains("within"));
}

TEST_CASE("saved inside a step, another engine goes on to the same bits", "[ports][long]") {
  const auto s = tiny("", hour);
  // Every value follows from the last bits of what was read: engines that differ at all part here.
  const auto drive = [](Engine& e, int from, int to) {
    for (int i = from; i <= to; ++i) {
      e.advance_to(std::round(37.001 * i * 1e3) * 1e-3);
      if (i % 3 == 0) e.write("hall.a.cap_W", 500.0 + std::fmod(number(e, "hall.a.die_max_K") * 1e6, 100.0));
    }
  };
  Engine whole(s), first(s), second(s);
  drive(whole, 1, 90);
  drive(first, 1, 41);
  second.restore(first.save());
  CHECK(second.time_s() == first.time_s());
  CHECK(number(second, "pcc_W") == number(first, "pcc_W"));
  CHECK(number(second, "hall.a.memory_max_K") == number(first, "hall.a.memory_max_K"));
  drive(second, 42, 90);
  CHECK(hash(second) == hash(whole));
}

TEST_CASE("a step that no write ends begins where it would without the writes before it", "[ports][long]") {
  const auto s = tiny("", hour);
  // Where every step ends with a write, the beginning of the next one is not copied. Saving has it copied.
  const auto drive = [&](bool saves) {
    Engine e(s);
    std::string saved;
    for (int t_s = 301; t_s <= 820; ++t_s) {
      e.advance_to(t_s);
      if (saves) saved = e.save();
      if (t_s % 90 < 80 || t_s % 90 == 85)
        e.write("hall.a.cap_W", 500.0 + std::fmod(number(e, "hall.a.die_max_K") * 1e6, 100.0));
      if (t_s % 30 == 0) e.write("hall.a.clock_lock_Hz", 1.5e9 + 1e6 * (t_s % 7));
      if (t_s % 400 == 0) e.release("hall.a.clock_lock_Hz");
    }
    saved = e.save();
    return std::pair(saved, hash(e));
  };
  const auto with = drive(true), without = drive(false);
  CHECK(with.second == without.second);
  Engine other(s);
  other.restore(without.first);
  CHECK(hash(other) == without.second);
}

TEST_CASE("a write that cannot be is refused and changes nothing", "[ports]") {
  const auto s = tiny("", hour);
  Engine e(s), never(s);
  e.advance_to(100.0);
  CHECK_THROWS_WITH(e.write("hall.a.cap_W", 5000.0), Catch::Contains("within") && Catch::Contains("700 W"));
  CHECK_THROWS_WITH(e.write("hall.a.caps_W", 500.0), Catch::Contains("nearest is \"hall.a.cap_W\""));
  CHECK_THROWS_WITH(e.write("pcc_W", 500.0), Catch::Contains("read only"));
  CHECK_THROWS_WITH(e.write("hall.a.cap_W", std::nan("")), Catch::Contains("within"));
  CHECK_THROWS_WITH(e.advance_to(99.0), Catch::Contains("past"));
  CHECK_THROWS_WITH(e.advance_to(100.0005), Catch::Contains("milliseconds"));
  CHECK_THROWS_WITH(e.advance_to(1e6), Catch::Contains("end"));
  CHECK_THROWS_AS(e.advance_to(std::nan("")), InputError);
  CHECK_THROWS_AS(e.advance_to(std::numeric_limits<double>::infinity()), InputError);
  CHECK_THROWS_AS(e.restore("no state"), InputError);
  CHECK(e.time_s() == 100.0);
  CHECK_THROWS_WITH(e.read("job.main.token"), Catch::Contains("job.main.tokens"));
  CHECK(hash(e) == hash(never));
}

TEST_CASE("two engines in one process know nothing of each other, in threads neither", "[ports]") {
  const auto s = tiny("", hour);
  const auto drive = [&](Engine& e, double cap_W) {
    for (int i = 1; i <= 30; ++i) {
      e.advance_to(100.0 * i);
      e.write("hall.a.cap_W", i % 2 ? cap_W : 600.0);
    }
    return hash(e);
  };
  Engine alone(s), other(s);
  const std::string expected = drive(alone, 500.0), expected_other = drive(other, 650.0);
  REQUIRE(expected != expected_other);
  RunOptions options;
  options.n_thread = 2;
  Engine a(s, options), b(s, options);
  std::string hash_a, hash_b;
  std::thread beside([&] { hash_a = drive(a, 500.0); });
  hash_b = drive(b, 650.0);
  beside.join();
  CHECK(hash_a == expected);
  CHECK(hash_b == expected_other);
}
