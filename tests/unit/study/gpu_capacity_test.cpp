#include "study/gpu_capacity.hpp"

#include <algorithm>
#include <string>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "tiny.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

TEST_CASE("the most GPUs within a contract are those whose design hour draws it, and less than one server more") {
  const auto s = tiny(
      "", {"weather.day=extreme", "run.duration_h=0.5", "site.feeder.row_rating_MVA=0.05",
           "site.feeder.row_load_loss_W=300", "site.feeder.hall_rating_MVA=0.08", "site.feeder.hall_load_loss_W=500",
           "site.feeder.hall_no_load_loss_W=80", "site.feeder.site_rating_MVA=0.1", "site.feeder.site_load_loss_W=500",
           "site.feeder.site_no_load_loss_W=80"});
  const auto c = most_gpus(s, {.contract_W = 0.09e6, .n_thread = 1});
  CHECK(c.binds == "contract");
  CHECK(c.unit_gpus == 32);  // replicas of tp 8, pp 4
  CHECK(c.n_gpu % 32 == 0);
  CHECK(c.connection_W <= 0.09e6);
  CHECK(c.connection_W + 32.0 * c.W_per_gpu * 1.05 > 0.09e6);
  CHECK(c.peak_W > 1.02 * c.connection_W);  // iterations rise above their mean
  const auto strict = most_gpus(s, {.contract_W = 0.09e6, .by_peak = true, .n_thread = 1});
  CHECK(strict.binds == "contract, largest millisecond");
  CHECK(strict.peak_W <= 0.09e6);
  CHECK(strict.peak_W + 32.0 * c.peak_W / static_cast<double>(c.n_gpu) * 1.05 > 0.09e6);
  const auto free = most_gpus(s, {.n_thread = 1});
  CHECK(free.binds.find("one out") != std::string::npos);
}

TEST_CASE("cooling with one unit out is a limit of its own, and a larger unit leaves fewer GPUs") {
  const auto s = tiny("", {"weather.day=extreme", "run.duration_h=0.5"});
  const auto limit = [&](double unit_frac) {
    for (const auto& i : most_gpus(s, {.cooling_unit_frac = unit_frac, .n_thread = 1}).items)
      if (i.name == "cooling, one unit out") return i.n_gpu;
    return std::int64_t{-1};
  };
  CHECK(limit(0.0) == -1);
  CHECK(limit(0.1) > limit(0.5));
  CHECK(limit(0.5) > 0);
}

TEST_CASE("a run of minutes has no design hour, and says so") {
  try {
    most_gpus(tiny("", {"run.duration_h=0.1"}), {.n_thread = 1});
    FAIL("no error");
  } catch (const InputError& e) {
    CHECK(std::string(e.what()).find("run.duration_h: 6 min are too short") != std::string::npos);
  }
}

TEST_CASE("a limit on lost load leaves as many GPUs as may leave the grid at once") {
  const std::string sag =
      "\n[[event]]\nname = \"dip\"\nkind = \"sag\"\nat_s = 600\nduration_s = 0.3\nvoltage_ratio = 0.4\n";
  const auto at = [&](const char* limit_MW) {
    const auto s =
        tiny(sag, {"run.duration_h=0.3", "site.load_settings=ride_75pct_20ms",
                   "site.rules={title=\"t\",date=\"d\",rule={lost={title=\"l\",figure=\"load_lost\",limit_MW=" +
                       std::string(limit_MW) + "}}}"});
    for (const auto& i : most_gpus(s, {.n_thread = 1}).items)
      if (i.name.ends_with(".lost")) return i.n_gpu;
    return std::int64_t{-1};
  };
  const auto few = at("0.05"), many = at("0.1");
  CHECK(few >= 32);
  CHECK(few <= 128);
  CHECK(static_cast<double>(many) == Approx(2.0 * static_cast<double>(few)).margin(32.0));
}

TEST_CASE("GPUs of racks count in whole scale-up domains") {
  const auto s = tiny("", {"weather.day=extreme", "run.duration_h=0.5", "job.main.network.scale_up_gpus=24"});
  const auto c = most_gpus(s, {.contract_W = 0.1e6, .n_thread = 1});
  CHECK(c.unit_gpus == 96);  // whole domains of 24 and whole replicas of 32
  for (const auto& i : c.items) CHECK(i.n_gpu % 96 == 0);
  const std::int64_t rack_gpus = s.halls.front().server.n_gpu * s.halls.front().hall.servers_per_rack;
  CHECK(c.n_rack == (c.n_gpu + rack_gpus - 1) / rack_gpus);
}

TEST_CASE("a new site holds its contract when it is run with the number found, and would not with a unit more") {
  const auto at = [](std::int64_t n_gpu) {
    return tiny("", {"weather.day=extreme", "run.duration_h=0.5", "hall.a.n_gpu=" + std::to_string(n_gpu),
                     "job.main.plan.n_gpu=" + std::to_string(n_gpu),
                     "job.main.plan.global_batch_sequences=" + std::to_string(n_gpu / 32 * 16)});
  };
  const CapacityOptions built{.contract_W = 2e6, .n_thread = 1};
  auto fresh = built;
  fresh.new_site = true;
  const auto c = most_gpus(at(64), fresh);
  REQUIRE(c.binds == "contract");
  CHECK(c.unit_gpus == 32);
  CHECK(c.connection_W <= 2e6);
  // Run as it is to be built: the same watts, and nothing is scaled.
  const auto whole = most_gpus(at(c.n_gpu), built);
  const double each_W = whole.connection_W / static_cast<double>(whole.n_gpu);
  CHECK(each_W * static_cast<double>(c.n_gpu) <= 2e6);
  CHECK(each_W * static_cast<double>(c.n_gpu + 32) > 2e6);
  // Its own feeder and plant do not limit it; from another size the same number is found.
  for (const auto& i : c.items) CHECK(i.name == "contract");
  CHECK(most_gpus(at(256), fresh).n_gpu == c.n_gpu);
  fresh.contract_W = 0.0;
  CHECK_THROWS_AS(most_gpus(at(64), fresh), InputError);
}
