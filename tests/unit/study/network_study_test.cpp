#include "study/network_study.hpp"

#include <algorithm>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

namespace {

NetworkOptions kundur() {
  NetworkOptions o;
  o.raw = std::string(TIDEWATT_SOURCE_DIR) + "/scenarios/networks/kundur_two_area.raw";
  o.dyr = std::string(TIDEWATT_SOURCE_DIR) + "/scenarios/networks/kundur_two_area.dyr";
  o.length_s = 10.0;
  return o;
}

}  // namespace

TEST_CASE("load lost at the bus with the largest load: figures, text, object and table") {
  auto o = kundur();
  o.step_W = -200e6;
  const auto run = play_network(o);
  CHECK(run.bus == 9);
  CHECK(run.answer.rocof_Hz_per_s == Approx(run.answer.expected_rocof_Hz_per_s).epsilon(0.01));
  CHECK(network_text(run).find("200 MW of load lost at bus 9 of kundur_two_area.raw at 1 s") == 0);
  CHECK(network_json(run).find("\"settled_mHz\"") != std::string::npos);
  const std::string csv = network_csv(run);
  CHECK(csv.substr(0, 45) == "time_s,mean_Hz,unit_1-1_Hz,unit_1-1_MW,unit_2");
  CHECK(std::count(csv.begin(), csv.end(), '\n') == static_cast<long>(run.trace.time_s.size()) + 1);
}

TEST_CASE("a unit that is switched off, and a ramp") {
  auto o = kundur();
  o.trip = "1-1";
  const auto lost = play_network(o);
  CHECK(lost.answer.extremum_Hz < -0.4);
  CHECK(lost.answer.power_step_W > 400e6);  // what the others take over at once
  CHECK(lost.answer.rocof_Hz_per_s == Approx(lost.answer.expected_rocof_Hz_per_s).epsilon(0.02));
  o.trip.clear();
  o.step_W = 50e6;
  o.ramp_s = 5.0;
  auto ramped = play_network(o);
  CHECK(network_text(ramped).find("within 5 s from 1 s on") != std::string::npos);
  grid::GridMode swing;
  swing.frequency_Hz = 0.7;
  swing.parts.resize(2);
  for (const double damping_frac : {-0.001, 0.001}) {
    swing.damping_frac = damping_frac;
    ramped.modes = {swing};
    CHECK((network_text(ramped).find("it grows") != std::string::npos) == (damping_frac < 0.0));
  }
}

TEST_CASE("everything wrong with the options is said at once") {
  auto o = kundur();
  o.step_W = 1e6;
  o.trip = "4-1";
  o.loads = "water";
  o.time_step_s = 1.0;
  try {
    play_network(o);
    FAIL("was played");
  } catch (const InputError& e) {
    CHECK(e.findings().size() == 3);
  }
  o = kundur();
  o.trip = "four";
  CHECK_THROWS_AS(play_network(o), InputError);
  o.trip = "9-1";
  CHECK_THROWS_AS(play_network(o), InputError);
}
