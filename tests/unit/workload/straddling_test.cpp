#include "workload/straddling.hpp"

#include <string>

#include "cases.hpp"
#include "catch.hpp"

using namespace tidewatt::workload;

TEST_CASE("a group lies across two domains where it is smaller than one and does not divide it") {
  auto rack = cases::roce();
  rack.gpus_per_node = 4;
  rack.scale_up_gpus = 72;
  ParallelPlan p;
  p.n_gpu = 2 * 72;
  p.ep = 8;
  CHECK_FALSE(straddling_group(p, rack, 72));
  p.ep = 16;
  CHECK(straddling_group(p, rack, 72)->ranks == 16);
  CHECK_FALSE(straddling_group(p, rack, 64));  // two trays are spare
  p.ep = 1, p.tp = 16;
  CHECK(straddling_group(p, rack, 72)->what == std::string("tensor"));
  p.tp = 8, p.cp = 2;
  CHECK(straddling_group(p, rack, 72)->what == std::string("tensor and context"));
  // One domain holds the whole job; a server that is a domain holds whole groups by another rule.
  p.n_gpu = 72;
  CHECK_FALSE(straddling_group(p, rack, 72));
  p.n_gpu = 144;
  CHECK_FALSE(straddling_group(p, cases::roce(), 8));
}
