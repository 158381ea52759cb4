#include "io/result_origin.hpp"

#include "base/sha256.hpp"
#include "catch.hpp"
#include "sample_result.hpp"
#include "scratch_folder.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/io/hdf5_sink.hpp"
#include "tidewatt/io/payload_hash.hpp"

using namespace tidewatt;

TEST_CASE("a result says where it came from: program, start, scenario with its hash, payload, events in order") {
  const ScratchFolder scratch;
  auto r = sample_result(2000);
  std::erase_if(r.arrays, [](const auto& a) { return a.path.starts_with("/events"); });
  r.arrays.push_back({"/events/time", {"event"}, {2}, std::vector<double>{9.0, 4.5}, "s", "when"});
  r.arrays.push_back({"/events/kind", {"event"}, {2}, std::vector<std::string>{"failure", "sag"}, "1", "what"});
  r.provenance.emplace_back("version", "0.9");
  io::Hdf5Sink(scratch.file("run 7.h5")).write(r);
  const auto o = io::read_result_origin(scratch.file("run 7.h5"));
  CHECK(o.name == "run 7");
  CHECK(o.version == "0.9");
  CHECK(o.start_time == "2023-07-20 00:00:00");
  CHECK(o.scenario == r.provenance[2].second);
  CHECK(o.scenario_sha256 == sha256_hex(o.scenario));
  CHECK(o.payload_sha256 == io::payload_sha256(r));
  CHECK(o.events == std::vector<std::pair<double, std::string>>{{4.5, "sag"}, {9.0, "failure"}});
}

TEST_CASE("a file that is no result is refused") {
  const ScratchFolder scratch;
  std::ofstream(scratch.file("text.h5")) << "no";
  CHECK_THROWS_AS(io::read_result_origin(scratch.file("text.h5")), InputError);
  CHECK_THROWS_AS(io::read_result_origin(scratch.file("absent.h5")), InputError);
}
