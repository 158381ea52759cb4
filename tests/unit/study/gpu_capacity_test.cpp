#include "tidewatt/study/gpu_capacity.hpp"

#include <string>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "tiny.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

TEST_CASE("the most GPUs within a contract are those whose design hour draws it, and less than one server more") {
  const auto s = tiny("", {"weather.day=extreme", "run.duration_h=0.5", "site.feeder.row_rating_MVA=0.05", "site.feeder.row_load_loss_W=300",
                       "site.feeder.hall_rating_MVA=0.08", "site.feeder.hall_load_loss_W=500", "site.feeder.hall_no_load_loss_W=80",
                       "site.feeder.site_rating_MVA=0.1", "site.feeder.site_load_loss_W=500", "site.feeder.site_no_load_loss_W=80"});
  const auto c = most_gpus(s, 0.09e6, 0.0, 1);
  CHECK(c.binds == "contract");
  CHECK(c.n_gpu % 8 == 0);
  CHECK(c.connection_W <= 0.09e6);
  CHECK(c.connection_W + 8.0 * c.W_per_gpu * 1.05 > 0.09e6);
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
