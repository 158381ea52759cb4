#include "io/phase_name.hpp"

#include "catch.hpp"

using namespace tidewatt::io;

TEST_CASE("names of the same bus differ in their phase alone") {
  const auto bus = [](const char* name, const char* field = "") { return phase_name(name, field).bus; };
  for (const char* name : {"VA_L1", "VB_L1", "VC_L1", "VAB_L1"}) CHECK(bus(name) == "V*_L1");
  for (const char* name : {"UL1 Bus 2", "UL2 Bus 2", "UL3 Bus 2", "UL31 Bus 2"}) CHECK(bus(name) == "U* Bus 2");
  for (const char* name : {"U R", "U S", "U T"}) CHECK(bus(name) == "U *");
  CHECK(bus("BUS1 A kV") == "BUS1 * kV");
  CHECK(bus("SRC 1  Vag Mag") == bus("SRC 1  Vbg Mag"));
  CHECK(bus("U21") == "U*");
  // The record's own field says which of two words is the phase.
  CHECK(bus("L1 A", "A") == "L1 *");
  CHECK(bus("L1 A", "L1") == "* A");
  CHECK(bus("Line L1 voltage", "A") == "Line L1 voltage");
  CHECK(phase_name("VAN", "").phase == "A");
  CHECK(phase_name("Ua", "1").phase == "A");
  CHECK(phase_name("V1", "A").phase == "A");
  CHECK(phase_name("VDC", "").phase.empty());
}

TEST_CASE("neutrals, voltages and other quantities are told by their words") {
  for (const char* name : {"VN", "3U0", "Vo", "U0", "F8-VN", "SRC 1  V_0 Mag", "neutral voltage"})
    CHECK(phase_name(name, "").neutral);
  CHECK(phase_name("V", "N").neutral);
  CHECK_FALSE(phase_name("U21", "0").neutral);
  for (const char* name : {"VA", "UAN", "V", "U12", "NORTH VA"}) CHECK_FALSE(phase_name(name, "").neutral);
  for (const char* name : {"VA", "U", "bus V", "UL1"}) CHECK(phase_name(name, "").voltage);
  for (const char* name : {"VDC", "Bus", "Valve", "IA"}) CHECK_FALSE(phase_name(name, "").voltage);
  for (const char* name : {"IA", "I", "P", "line f"}) CHECK(phase_name(name, "").other);
}
