#include "io/checkpoint.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/sha256.hpp"
#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/io/payload_hash.hpp"
#include "tiny.hpp"

using namespace tidewatt;

namespace {

const char* eventful = R"(
[[event]]
name = "host"
kind = "failure"
job = "main"
at_s = 400.3
)";

const std::vector<std::string> hour = {"run.duration_h=0.4", "job.main.life.checkpoint_interval_s=120",
                                       "job.main.life.checkpoint_async=true"};

std::string hash_of(sim::Engine& engine) {
  while (!engine.done()) engine.step();
  return io::payload_sha256(engine.finish());
}

std::string temporary(const char* name) {
  return (std::filesystem::temp_directory_path() / (std::string(name) + std::to_string(::getpid()))).string();
}

}  // namespace

TEST_CASE("a run resumed at any macro step ends with the bits of one that was never stopped") {
  const auto scenario = tiny(eventful, hour);
  sim::Engine whole(scenario, {2, {}});
  std::vector<std::string> saved;
  while (!whole.done()) {
    saved.push_back(whole.save());
    whole.step();
  }
  const std::string expected = io::payload_sha256(whole.finish());
  REQUIRE(saved.size() > 8);
  const std::string path = temporary("tidewatt_checkpoint_");
  for (std::size_t i = 0; i < saved.size(); i += 2) {
    sim::Engine engine(scenario, {1, {}});
    engine.restore(saved[i]);
    io::write_checkpoint(path, engine, scenario.text);
    sim::Engine again(scenario, {2, {}});
    again.restore(io::checkpoint_state(path, scenario.text));
    INFO(i);
    CHECK(hash_of(again) == expected);
  }
  std::filesystem::remove(path);
}

TEST_CASE("limits that a controller has set are in the saved state, with the scenario's brake above them") {
  const auto scenario =
      tiny("\n[[event]]\nname = \"brake\"\nkind = \"power_brake\"\nhall = \"a\"\nat_s = 900\nduration_s = 120\n", hour);
  const double highest_Hz = scenario.halls[0].gpu.vf_clock_Hz.back();
  const auto until = [](sim::Engine& e, double s) {
    while (e.time_s() < s) e.step();
  };
  const auto run = [&](sim::Engine& e) {
    until(e, 400.0);
    e.write("hall.a.cap_W", 550.0);
    until(e, 700.0);
    e.write("hall.a.cap_W", 620.0);
    e.write("hall.a.clock_lock_Hz", 0.8 * highest_Hz);
  };
  sim::Engine whole(scenario, {2, {}}), never(scenario, {2, {}});
  run(whole);
  const std::string set = whole.save();
  until(whole, 960.0);
  const std::string braked = whole.save();
  const std::string expected = hash_of(whole);
  for (const auto& bytes : {set, braked}) {
    sim::Engine again(scenario, {1, {}});
    again.write("hall.a.cap_W", 400.0);  // forgotten
    again.restore(bytes);
    CHECK(hash_of(again) == expected);
  }
  const std::string untouched = never.save();
  const std::string free = hash_of(never);
  CHECK(free != expected);
  sim::Engine again(scenario, {1, {}});
  again.write("hall.a.cap_W", 400.0);
  again.restore(untouched);
  CHECK(hash_of(again) == free);
}

TEST_CASE("a damaged checkpoint, or one of another scenario, is refused") {
  const auto scenario = tiny();
  sim::Engine engine(scenario, {1, {}});
  engine.step();
  const std::string path = temporary("tidewatt_damaged_");
  io::write_checkpoint(path, engine, scenario.text);
  CHECK_THROWS_AS(io::checkpoint_state(path, scenario.text + "#"), InputError);
  CHECK_NOTHROW(engine.restore(io::checkpoint_state(path, scenario.text + "#", true)));
  std::string bytes = read_file(path, std::size_t{1} << 30U);
  for (const std::size_t at : {std::size_t{3}, std::size_t{40}, bytes.size() / 2, bytes.size() - 1}) {
    std::string bad = bytes;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    std::ofstream(path, std::ios::binary) << bad;
    CHECK_THROWS_AS(io::checkpoint_state(path, scenario.text), InputError);
  }
  std::ofstream(path, std::ios::binary) << bytes.substr(0, bytes.size() / 2);
  CHECK_THROWS_AS(io::checkpoint_state(path, scenario.text), InputError);
  std::filesystem::remove(path);
}

TEST_CASE("a checkpoint of another version is refused, although its own hash fits") {
  const auto scenario = tiny();
  sim::Engine engine(scenario, {1, {}});
  const std::string path = temporary("tidewatt_version_");
  io::write_checkpoint(path, engine, scenario.text);
  const std::string bytes = read_file(path, std::size_t{1} << 30U);
  const auto head_end = bytes.find('\n') + 1, hash_end = bytes.find('\n', head_end) + 1;
  std::string body = bytes.substr(hash_end);
  const auto put = [&] {
    std::ofstream(path, std::ios::binary) << bytes.substr(0, head_end) << sha256_hex(body) << "\n" << body;
  };
  put();
  CHECK_NOTHROW(io::checkpoint_state(path, scenario.text));
  body = "0.0.0" + body.substr(body.find('\n'));
  put();
  CHECK_THROWS_WITH(io::checkpoint_state(path, scenario.text), Catch::Contains("version 0.0.0"));
  std::filesystem::remove(path);
}

namespace {

/// The engine's state in what `save` returns: behind the name of its layout, in front of the digest.
std::size_t layout_at(const std::string& saved) {
  const auto at = saved.find("tidewatt state ");
  REQUIRE(at != std::string::npos);
  return at;
}
constexpr std::size_t n_digest = 64;

}  // namespace

TEST_CASE("a state of another layout is refused, in a file and in memory") {
  const auto scenario = tiny();
  sim::Engine engine(scenario, {1, {}});
  std::string saved = engine.save();
  saved[layout_at(saved) + std::string("tidewatt state ").size()] = '0';
  const std::string body = saved.substr(0, saved.size() - n_digest);
  CHECK_THROWS_WITH(engine.restore(body + sha256_hex(body)), Catch::Contains("written by another version of tidewatt"));
  const std::string path = temporary("tidewatt_layout_");
  io::write_checkpoint(path, engine, scenario.text);
  std::string file = read_file(path, std::size_t{1} << 30U);
  file[file.find('\n') - 1] = '1';
  std::ofstream(path, std::ios::binary) << file;
  CHECK_THROWS_WITH(io::checkpoint_state(path, scenario.text),
                    Catch::Contains("written by another version of tidewatt"));
  std::filesystem::remove(path);
}

TEST_CASE("a refused restore leaves the run as it was, inside a step too") {
  const auto scenario = tiny();
  sim::Engine plain(scenario, {1, {}}), engine(scenario, {1, {}}), later(scenario, {1, {}});
  plain.advance_to(60.5);
  engine.advance_to(60.5);
  later.advance_to(90.25);
  const std::string good = later.save(), whole = good.substr(0, good.size() - n_digest);
  const std::size_t at = whole.rfind("tidewatt state ");  // what was played last, behind the beginning of its step
  REQUIRE(at > layout_at(good));
  std::string other_layout = whole;
  other_layout[at + std::string("tidewatt state ").size()] = '0';
  sim::Engine half(tiny("", {"hall.a.n_gpu=64", "job.main.plan.n_gpu=64", "job.main.plan.global_batch_sequences=32"}),
                   {1, {}});
  half.advance_to(90.25);
  CHECK_THROWS_WITH(engine.restore(other_layout + sha256_hex(other_layout)), Catch::Contains("another version"));
  CHECK_THROWS_AS(engine.restore(half.save(), true), InputError);
  for (const std::size_t n : {whole.size() - 1, (at + whole.size()) / 2, at + 40}) {
    const std::string cut = whole.substr(0, n);
    CHECK_THROWS_AS(engine.restore(cut + sha256_hex(cut)), InputError);
  }
  CHECK(engine.time_s() == plain.time_s());
  CHECK(engine.read("pcc_W") == plain.read("pcc_W"));
  plain.advance_to(100.0);
  engine.advance_to(100.0);
  CHECK(engine.read("pcc_W") == plain.read("pcc_W"));
  CHECK(hash_of(engine) == hash_of(plain));
}

TEST_CASE("a state's layout does not change without its number") {
  sim::Engine engine(tiny(), {1, {}});
  const std::string saved = engine.save();
  INFO(
      "Another size is another layout: raise the number in state_layout (src/sim/simulation.hpp), then pin number and "
      "size here");
  CHECK(saved.compare(layout_at(saved), 17, "tidewatt state 19") == 0);
  CHECK(saved.size() - n_digest - layout_at(saved) == 2947857);
}
