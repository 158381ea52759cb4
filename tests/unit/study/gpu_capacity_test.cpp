#include "tidewatt/study/gpu_capacity.hpp"

#include "catch.hpp"
#include "tiny.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

TEST_CASE("the most GPUs within a contract are those whose design hour draws it, and less than one server more") {
  const auto s = tiny("", {"weather.day=extreme", "run.duration_h=0.5"});
  const auto c = most_gpus(s, 0.09e6, 0.0, 1);
  CHECK(c.binds == "contract");
  CHECK(c.n_gpu % 8 == 0);
  CHECK(c.connection_W <= 0.09e6);
  CHECK(c.connection_W + 8.0 * c.W_per_gpu * 1.05 > 0.09e6);
  const auto free = most_gpus(s, 0.0, 0.0, 1);
  CHECK(free.binds.find("one out") != std::string::npos);
}
