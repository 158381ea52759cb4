#include "study/fit_job_log.hpp"

#include <fstream>

#include "catch.hpp"
#include "shared_data.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

namespace {
std::filesystem::path put(const char* name, const std::string& text) {
  const auto path = std::filesystem::temp_directory_path() / (std::string("tidewatt_job_") + name);
  std::ofstream(path) << text;
  return path;
}
}  // namespace

TEST_CASE("a job's log: work intervals from its events, missing readings left out of the mean",
          "[study][fit_job_log]") {
  const auto power =
      put("power.csv", "time_ms,node1_W,node2_W\n1000000,1000,2000\n1002000,1500,\n1004000,,\n1006000,2000,3000\n");
  const auto events =
      put("events.csv",
          "time_ms,event_type,key,value,metadata\n1000000,I,run_start,,\n1000000,I,block_start,,first_epoch_num=0;"
          "epoch_count=96\n"
          "1005000,I,block_stop,,\n1005000,I,eval_start,,\n1006000,I,eval_stop,,\n1006500,I,run_stop,,\n");
  const auto log = read_job_log(power, events, 1.0 / 8.0);
  REQUIRE(log.time_s.size() == 3);
  CHECK(log.node_W[0] == 1500.0);
  CHECK(log.node_W[1] == 1500.0);
  REQUIRE(log.work.size() == 2);
  CHECK(log.work[0].iterations == 12);
  CHECK(log.work[1].work == NodeWork::evaluate);
  CHECK(log.part(1.0, 6.0).time_s.size() == 1);
  CHECK_THROWS_AS(
      read_job_log(power, put("empty.csv", "time_ms,event_type,key,value,metadata\n0,I,run_start,,\n"), 0.0),
      InputError);
}

TEST_CASE("a time or a count that is none is a finding at its line, not a number", "[study][fit_job_log]") {
  const auto said = [](const std::filesystem::path& power, const std::filesystem::path& events) {
    try {
      read_job_log(power, events, 0.125);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  const std::string head = "time_ms,event_type,key,value,metadata\n";
  const auto power = put("good_power.csv", "time_ms,node1_W\n1000,5\n2000,6\n");
  const auto events = put("good_events.csv", head + "1000,I,block_start,,epoch_count=8\n2000,I,block_stop,,\n");
  REQUIRE(said(power, events) == "accepted");
  CHECK_THAT(said(power, put("no_time.csv", head + "1000,I,block_start,,\nsoon,I,block_stop,,\n")),
             Catch::Contains("no_time.csv:3:1: 'soon' is no time"));
  CHECK_THAT(said(power, put("no_count.csv", head + "1000,I,block_start,,epoch_count=many\n2000,I,block_stop,,\n")),
             Catch::Contains("no_count.csv:2:1: epoch_count is no count"));
  CHECK_THAT(said(put("no_time_power.csv", "time_ms,node1_W\ntorn,x,x,x\n1000,5\n,6\n"), events),
             Catch::Contains("no_time_power.csv:4:1: '' is no time"));
}

TEST_CASE("one run's levels predict the other's mean within 3 %", "[study][fit_job_log][long]") {
  const auto folder = shared_data("mlperf_h100_8node_llama2");
  if (!folder) {
    WARN("skipped: no mlperf_h100_8node_llama2");
    return;
  }
  const auto read = [&](const char* stem) {
    return read_job_log(*folder / (std::string(stem) + "_ac.csv"), *folder / (std::string(stem) + "_events.csv"), 0.0);
  };
  const auto a = read("result_5742-240517053836692164828_3"), b = read("result_5740-240517044141819407406_10");
  const auto fit = fit_node_power(a.part(4.0, a.run_s), a.work, 2.0);
  const auto measured = b.part(4.0, b.run_s);
  const auto shown = log_of(node_wave(fit.levels, b.work), fit.levels, 2.0, measured.time_s);
  double got = 0, want = 0;
  for (std::size_t i = 0; i < shown.size(); ++i) got += shown[i], want += measured.node_W[i];
  CHECK(got == Approx(want).epsilon(0.03));
  // The whole log makes the search creep along the stairs of its meters; it begins again and says what stays open.
  const auto whole = fit_node_power(a.part(0.0, a.run_s), a.work, 2.0).fit;
  CHECK(whole["train_W"] == Approx(fit.levels.train_W).epsilon(0.02));
  CHECK(std::any_of(whole.values.begin(), whole.values.end(), [](const auto& v) { return !v.identified; }));
}
