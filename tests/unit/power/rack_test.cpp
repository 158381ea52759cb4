#include "tidewatt/power/rack.hpp"

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::power;

namespace {

/// Two trays of four GPUs and a switch tray, round numbers.
RackParams small_rack() {
  RackParams r;
  r.n_cabinet = 1, r.n_compute_tray = 2, r.gpus_per_tray = 4, r.cpus_per_tray = 2, r.n_switch_tray = 1;
  r.gpu_W = 1000, r.cpu_W = 300, r.tray_other_W = 200, r.switch_tray_W = 1500, r.management_W = 100, r.fans_W = 400;
  r.gpu_idle_W = 150, r.cpu_idle_W = 100, r.shelf_efficiency_frac = 0.8;
  return r;
}

}  // namespace

TEST_CASE("a rack's input is the sum of its parts over the shelves' efficiency") {
  const RackPower p = rack_rated_power(small_rack());
  CHECK(p.gpus_W == Approx(8000));
  CHECK(p.cpus_W == Approx(1200));
  CHECK(p.busbar_W() == Approx(8000 + 1200 + 400 + 1500 + 100 + 400));
  CHECK(p.shelf_loss_W == Approx(p.busbar_W() / 4.0));
  CHECK(p.input_W() == Approx(p.busbar_W() / 0.8));
}

TEST_CASE("every part of a rack counts: without it the input falls by that part over the efficiency") {
  const double whole_W = rack_rated_power(small_rack()).input_W();
  const auto lost_W = [&](double RackParams::* part) {
    RackParams r = small_rack();
    r.*part = 0.0;
    return (whole_W - rack_rated_power(r).input_W()) * 0.8;
  };
  CHECK(lost_W(&RackParams::gpu_W) == Approx(8000));
  CHECK(lost_W(&RackParams::cpu_W) == Approx(1200));
  CHECK(lost_W(&RackParams::tray_other_W) == Approx(400));
  CHECK(lost_W(&RackParams::switch_tray_W) == Approx(1500));
  CHECK(lost_W(&RackParams::management_W) == Approx(100));
  CHECK(lost_W(&RackParams::fans_W) == Approx(400));
  RackParams ideal = small_rack();
  ideal.shelf_efficiency_frac = 1.0;
  CHECK(rack_rated_power(ideal).shelf_loss_W == 0.0);
}

TEST_CASE("idle watts are a reading of their own, not a share of the limit") {
  RackParams r = small_rack();
  CHECK(rack_idle_power(r).busbar_W() == Approx(8 * 150 + 4 * 100 + 400 + 1500 + 100 + 400));
  r.gpu_W = 2000;  // another limit, the same idle
  CHECK(rack_idle_power(r).busbar_W() == Approx(4000));
  r.gpu_idle_W = 0.0;
  CHECK_THROWS_AS(rack_idle_power(r), InputError);
}

TEST_CASE("a rack refuses negative powers and an efficiency outside (0, 1]") {
  RackParams r = small_rack();
  CHECK_THROWS_AS(rack_power(r, -1.0, 0.0), InputError);
  r.shelf_efficiency_frac = 0.0;
  CHECK_THROWS_AS(rack_rated_power(r), InputError);
}
