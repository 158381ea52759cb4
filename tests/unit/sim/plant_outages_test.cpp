#include "sim/plant_outages.hpp"

#include "catch.hpp"
#include "tiny.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

namespace {

const std::vector<std::string> liquid = {"hall.a.gpu=h100_sxm_700W_liquid", "hall.a.server=hgx_h100_liquid",
                                         "hall.a.plant=cdu_dry_cooler", "run.duration_h=0.25"};

std::string event(const std::string& name, const std::string& kind, int at_s, int duration_s, double out_frac) {
  return "\n[[event]]\nname = \"" + name + "\"\nkind = \"" + kind + "\"\nhall = \"a\"\nat_s = " + std::to_string(at_s) +
         "\nduration_s = " + std::to_string(duration_s) + "\nout_frac = " + std::to_string(out_frac) + "\n";
}

}  // namespace

TEST_CASE("outages of the same parts that overlap do not multiply: the larger one holds", "[hall]") {
  const PlantOutages both(tiny(event("more", "cdu_out", 100, 100, 0.8) + event("half", "cdu_out", 50, 100, 0.5) +
                                   event("pumps", "pump_out", 100, 10, 0.25),
                               liquid));
  CHECK(both.capacity(0, to_tick(60)).cdu_frac == 0.5);
  CHECK(both.capacity(0, to_tick(120)).cdu_frac == Approx(0.2));
  CHECK(both.capacity(0, to_tick(180)).cdu_frac == Approx(0.2));
  CHECK(both.capacity(0, to_tick(105)).pump_frac == 0.75);
  CHECK(both.any(0, to_tick(199)));
  CHECK(!both.any(0, to_tick(201)));
}
