#include "tidewatt/cooling/weather_csv.hpp"

#include <fmt/format.h>

#include <functional>
#include <string>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/cooling/diurnal.hpp"

using namespace tidewatt;
using namespace tidewatt::cooling;

namespace {

bool csv_accepted(const std::string& text) {
  try {
    parse_weather_csv(text, "c.csv", 100.0);
    return true;
  } catch (const InputError& e) {
    CHECK_FALSE(e.findings().empty());
    return false;
  }
}

std::string csv(const std::string& names, const std::function<std::string(int)>& row, int n = 24) {
  std::string text = names + "\n";
  for (int i = 0; i < n; ++i) text += row(i) + "\n";
  return text;
}

std::string stamp(int i) { return fmt::format("2024-02-28T{:02}:00", i); }

}  // namespace

TEST_CASE("weather CSV: units, instants and defects") {
  const auto row = [](int i) { return fmt::format("{},{}.5,50", stamp(i), 10 + i); };
  const Weather w = parse_weather_csv(csv("time,drybulb_degC,rh_pct", row), "c.csv", 0.0);
  CHECK(w.at(3 * ns_per_hour).drybulb_K == Approx(273.15 + 13.5));
  CHECK(w.at(ns_per_hour / 2).drybulb_K == Approx(273.15 + 11.0));
  CHECK(w.notes().size() == 1);
  const Weather f = parse_weather_csv(
      csv("time,drybulb_degF,dewpoint_degF,pressure_hPa", [](int i) { return stamp(i) + ",68,50,1000"; }), "f.csv", 0.0);
  CHECK(f.at(0).drybulb_K == Approx(293.15));
  CHECK(f.at(0).pressure_Pa == Approx(1e5));
  CHECK(csv_accepted(csv("time,drybulb_degC,wetbulb_degC", [](int i) { return stamp(i) + ",20,15"; })));
  CHECK(csv_accepted("time,drybulb_degC,rh_frac\n2024-02-28T23:45,1,0.5\n2024-02-29T00:00,1,0.5\n"));  // a leap day
  for (const char* names : {"time,drybulb,rh_pct", "time,drybulb_K,rh_pct", "when,drybulb_degC,rh_pct",
                            "time,drybulb_degC,drybulb_degC", "time,drybulb_degC,humidity", "time,rh_pct,rh_pct", "", ","})
    CHECK_FALSE(csv_accepted(csv(names, row)));
  for (const char* bad : {"2024-02-28T05:00,x,50", "2024-02-28T05:00,,50", "2024-02-28T05:00,15", "2024-02-28T05:00,15,50,1",
                          "2024-02-28T05:00,150,50", "2024-02-28T05:00,15,101", "2024-02-28T05:30,15,50",
                          "2024-02-28T04:00,15,50", "2024-02-30T05:00,15,50", "28.02.2024 05:00,15,50", "2024-02-28T25:00,15,50",
                          "2024-02-28T05:00,nan,50", "2024-02-28T05:00,15,-1", "2024-02-28T5:00,15,50", ""})
    CHECK_FALSE(csv_accepted(csv("time,drybulb_degC,rh_pct", [&](int i) { return i == 5 ? std::string(bad) : row(i); })));
  CHECK_FALSE(csv_accepted("time,drybulb_degC,rh_pct\n2023-02-29T00:00,1,50\n2023-02-29T01:00,1,50\n"));
  CHECK_FALSE(csv_accepted(csv("time,drybulb_degC,dewpoint_degC", [](int i) { return stamp(i) + ",15,18"; })));
}

TEST_CASE("weather CSV: a run begins at its own time within the file, or is told what the file reaches over") {
  const auto row = [](int i) { return fmt::format("{},{}.5,50", stamp(i), 10 + i); };
  const std::string text = csv("time,drybulb_degC,rh_pct", row);
  const Weather w = parse_weather_csv(text, "c.csv", 0.0, "2024-02-28T06:00:00");
  CHECK(w.at(0).drybulb_K == Approx(273.15 + 16.5));
  CHECK(w.local_at_start_ns() == 6 * ns_per_hour);
  CHECK(w.at(17 * ns_per_hour).drybulb_K == Approx(273.15 + 33.5));
  CHECK_THROWS_AS(w.at(18 * ns_per_hour), InputError);
  CHECK(w.at(-6 * ns_per_hour).drybulb_K == Approx(273.15 + 10.5));
  CHECK_THROWS_WITH(parse_weather_csv(text, "c.csv", 0.0, "2024-03-01T06:00:00"),
                    Catch::Contains("the file reaches from 2024-02-28T00:00 to 2024-02-28T23:00"));
}
