#include "tidewatt/grid/machine_case.hpp"

#include "grid_case.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

TEST_CASE("the catalog's cases read, with as many machines and buses as their names say") {
  const auto kundur = grid_case("kundur_two_area"), nine = grid_case("ieee9"), new_england = grid_case("ieee39");
  CHECK(kundur.machine.bus.size() == 4);
  CHECK(nine.bus.number.size() == 9);
  CHECK(new_england.bus.number.size() == 39);
  CHECK(new_england.machine.bus.size() == 10);
  CHECK(new_england.branch.from.size() == 46);
  CHECK(kundur.bus.load_W[kundur.bus_index(9)] == 1767e6);
  CHECK(kundur.bus.shunt_var[kundur.bus_index(9)] == 350e6);
  CHECK_THROWS_AS(kundur.bus_index(12), InputError);
}

TEST_CASE("everything that does not fit is told at once") {
  MachineCase c = one_machine();
  c.bus.load_var.pop_back();
  c.branch.to = {7};
  try {
    c.check();
    FAIL("accepted");
  } catch (const InputError& e) {
    CHECK(e.findings().size() == 2);
  }
  c = one_machine();
  c.machine.d_transient_pu[0] = 0.05;  // below the leakage: no such winding
  CHECK_THROWS_AS(c.check(), InputError);
  c = one_machine();
  c.exciter.kind = "static";  // without a gain
  CHECK_THROWS_AS(c.check(), InputError);
}
