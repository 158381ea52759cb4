// An engine that a controller outside drives: what it reads, what it moves, and what looking does not change.
#include "tidewatt/sim/port.hpp"

#include <algorithm>
#include <random>

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
  set.insert(set.end(), {"run.duration_h=1.75", "hall.a.n_gpu=1024", "job.main.plan.n_gpu=1024", "job.main.plan.global_batch_sequences=128"});
  LoadOptions options;
  options.set = std::move(set);
  Engine e(load_scenario(std::string(TIDEWATT_SOURCE_DIR) + "/scenarios/" + file, options));
  e.write("hall.a.cap_W", from_W);
  e.advance_to(5406.0);
  e.write("hall.a.cap_W", to_W);
  e.advance_to(6300.0);
  return {number(e, "hall.a.die_max_K"), number(e, "pcc_W")};
}

const std::vector<std::string> hour = {"run.duration_h=1", "run.macro_step_s=60"};

}  // namespace

TEST_CASE("a cap that a controller moves gives the same answer with default and with 10 s steps", "[ports]") {
  for (const char* file : {"llama3_405b_day.toml", "llama3_405b_liquid.toml"})
    for (const auto& [from_W, to_W] : {std::pair{700.0, 450.0}, {450.0, 700.0}}) {
      const auto usual = moved({}, file, from_W, to_W);
      const auto fine = moved({"run.macro_step_s=10", "run.macro_step_max_s=10"}, file, from_W, to_W);
      INFO(file << " " << from_W << " to " << to_W << ": " << usual.die_max_K << " " << fine.die_max_K << ", " << usual.pcc_W << " " << fine.pcc_W);
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

TEST_CASE("means times their time add up to the connection's energy", "[ports]") {
  Engine e(tiny("", hour));
  double J = 0.0;
  for (int i = 1; i <= 60; ++i) {
    e.advance_to(60.0 * i);
    J += number(e, "pcc_W") * 60.0;
  }
  CHECK(J == Approx(figure(e.finish(), "pcc_mean_MW") * 3600e6).epsilon(1e-12));
}

TEST_CASE("saved inside a step, another engine goes on to the same bits", "[ports]") {
  const auto s = tiny("", hour);
  const auto drive = [](Engine& e, double from_s) {
    for (double t_s = from_s; t_s <= 3000.0; t_s += 37.001) {
      e.advance_to(t_s);
      if (t_s > 1000.0) e.write("hall.a.cap_W", number(e, "hall.a.die_max_K") > 330.0 ? 500.0 : 650.0);
    }
  };
  Engine whole(s);
  drive(whole, 37.001);
  std::string half;
  {
    Engine first(s);
    for (int i = 1; i <= 40; ++i) {
      const double t_s = 37.001 * i;
      first.advance_to(t_s);
      if (t_s > 1000.0) first.write("hall.a.cap_W", number(first, "hall.a.die_max_K") > 330.0 ? 500.0 : 650.0);
    }
    half = first.save();
  }
  Engine second(s);
  second.restore(half);
  CHECK(second.time_s() == Approx(37.001 * 40).epsilon(1e-15));
  drive(second, 37.001 * 41);
  CHECK(hash(second) == hash(whole));
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
  CHECK_THROWS_WITH(e.read("job.main.token"), Catch::Contains("job.main.tokens"));
  CHECK(hash(e) == hash(never));
}

TEST_CASE("two engines in one process know nothing of each other", "[ports]") {
  const auto s = tiny("", hour);
  Engine a(s), b(s), alone(s);
  for (int i = 1; i <= 30; ++i) {
    a.advance_to(100.0 * i);
    b.advance_to(100.0 * i);
    b.write("hall.a.cap_W", i % 2 ? 500.0 : 600.0);
  }
  CHECK(hash(a) == hash(alone));
}
