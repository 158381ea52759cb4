#include "study/gpu_capacity.hpp"

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
  const auto c = most_gpus(s, 0.09e6, 0.0, 1);
  CHECK(c.binds == "contract");
  CHECK(c.n_gpu % 8 == 0);
  CHECK(c.connection_W <= 0.09e6);
  CHECK(c.connection_W + 8.0 * c.W_per_gpu * 1.05 > 0.09e6);
  CHECK(c.peak_W > 1.02 * c.connection_W);  // iterations rise above their mean
  const auto strict = most_gpus(s, 0.09e6, 0.0, 1, 0.0, true);
  CHECK(strict.binds == "contract, largest millisecond");
  CHECK(strict.peak_W <= 0.09e6);
  CHECK(strict.peak_W + 8.0 * c.peak_W / static_cast<double>(c.n_gpu) * 1.05 > 0.09e6);
  const auto free = most_gpus(s, 0.0, 0.0, 1);
  CHECK(free.binds.find("one out") != std::string::npos);
}

TEST_CASE("cooling with one unit out is a limit of its own, and a larger unit leaves fewer GPUs") {
  const auto s = tiny("", {"weather.day=extreme", "run.duration_h=0.5"});
  const auto limit = [&](double unit_frac) {
    for (const auto& i : most_gpus(s, 0.0, 0.0, 1, unit_frac).items)
      if (i.name == "cooling, one unit out") return i.n_gpu;
    return std::int64_t{-1};
  };
  CHECK(limit(0.0) == -1);
  CHECK(limit(0.1) > limit(0.5));
  CHECK(limit(0.5) > 0);
}

TEST_CASE("a run of minutes has no design hour, and says so") {
  try {
    most_gpus(tiny("", {"run.duration_h=0.1"}), 0.0, 0.0, 1);
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
    for (const auto& i : most_gpus(s, 0.0, 0.0, 1).items)
      if (i.name.ends_with(".lost")) return i.n_gpu;
    return std::int64_t{-1};
  };
  const auto few = at("0.05"), many = at("0.1");
  CHECK(few >= 32);
  CHECK(few <= 128);
  CHECK(static_cast<double>(many) == Approx(2.0 * static_cast<double>(few)).margin(8.0));
}
