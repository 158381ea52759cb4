#include "sim/site_weather.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "shared_data.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/sim/run.hpp"
#include "tiny.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

namespace {

/// A January as a file, in °C the day of the month; removed at the end.
class January {
 public:
  explicit January(const std::string& name) : path_(std::filesystem::temp_directory_path() / name) {
    std::ofstream out(path_);
    const bool csv = name.ends_with(".csv");
    out << (csv ? "time,drybulb_degC,rh_pct,pressure_hPa\n"
                : "LOCATION,Test,TS,XXX,made,000001,40.0,-75.0,-5.0,100.0\nDESIGN CONDITIONS,0\nTYPICAL/EXTREME "
                  "PERIODS,0\nGROUND TEMPERATURES,0\nHOLIDAYS/DAYLIGHT SAVINGS,No,0,0,0\nCOMMENTS 1\nCOMMENTS 2\nDATA "
                  "PERIODS,1,1,Data,Sunday,1/ 1,1/31\n");
    for (int d = 1; d <= 31; ++d)
      for (int h = 1; h <= 24; ++h)
        if (csv)
          out << fmt::format("2023-01-{:02}T{:02}:00,{},50,1000\n", d, h - 1, d);
        else
          out << fmt::format("1999,1,{},{},60,?9,{},-5,50,100000", d, h, d) << zeros();
  }
  ~January() { std::filesystem::remove(path_); }
  January(const January&) = delete;
  January& operator=(const January&) = delete;
  Scenario read(std::vector<std::string> set = {}) const {
    return load_scenario(std::string(TIDEWATT_SOURCE_DIR) + "/tests/scenarios/tiny.toml",
                         {std::move(set), path_.string(), {}});
  }
  std::string refusal(std::vector<std::string> set) const {
    try {
      read(std::move(set));
    } catch (const InputError& e) {
      return e.what();
    }
    return "accepted";
  }

 private:
  static std::string zeros() {
    std::string out;
    for (int i = 10; i < 35; ++i) out += ",0";
    return out + "\n";
  }
  std::filesystem::path path_;
};

double drybulb_degC(const Scenario& s, Tick at) { return site_weather(s).weather.at(at).drybulb_K - 273.15; }

}  // namespace

TEST_CASE("a weather file gives the air of run.start's date, whatever day the replaced climate had", "[weather]") {
  for (const char* name : {"tidewatt_january.epw", "tidewatt_january.csv"}) {
    const January file(name);
    const bool csv = std::string(name).ends_with(".csv");
    for (const int day : {2, 10, 30}) {
      const auto s = file.read({fmt::format("run.start=2023-01-{:02}T12:00:00", day)});
      CHECK(drybulb_degC(s, 0) == Approx(day));
      CHECK(drybulb_degC(s, 24 * 3600 * ns_per_s) == Approx(day + 1));
      const auto from = site_weather(s).from;
      CHECK(from.file == name);
      CHECK(from.day == fmt::format("{}01-{:02}", csv ? "2023-" : "", day));
      CHECK(from.kind == "dated");
      // The tiny scenario asks for a hot day of its climate: that goes with the climate, which a note says.
      CHECK(std::ranges::any_of(s.notes, [](const auto& n) { return n.find("'hot' is of the weather") != n.npos; }));
    }
    // An extreme day is asked for by name, and says which it is. The CSV file has no midnight behind its last day.
    const auto extreme = file.read({"run.start=2023-01-10T12:00:00", "weather.day=extreme"});
    CHECK(drybulb_degC(extreme, 0) == Approx(csv ? 30 : 31));
    CHECK(site_weather(extreme).from.text() ==
          (csv ? fmt::format("30 January 2023 of {}, an extreme day of that file", name)
               : fmt::format("31 January of {}, an extreme day of that file", name)));
    // Days that it does not have, and the end of the file.
    CHECK(file.refusal({"run.start=2023-07-10T12:00:00"}) != "accepted");
    CHECK_THAT(file.refusal({"run.start=2023-01-31T12:00:00", "run.duration_h=13"}), Catch::Contains("covers"));
    CHECK_THAT(file.refusal({"run.start=2023-01-10T12:00:00", "weather.day=hot_year"}),
               Catch::Contains("'hot_year' is for climates; a file has dated"));
    // The year counts in measured weather alone.
    CHECK((file.refusal({"run.start=2031-01-10T12:00:00"}) == "accepted") == !csv);
  }
}

TEST_CASE("a run begins on a date, and a public shape has that date's air", "[weather]") {
  const January file("tidewatt_january_date.epw");
  const auto s = file.read({"run.start=2023-01-10"});
  CHECK(s.run.start == "2023-01-10T00:00:00");
  CHECK(file.read({"run.start=2023-01-10T12:00"}).run.start == "2023-01-10T12:00:00");
  CHECK_THAT(file.refusal({"run.start=2023-01-32"}), Catch::Contains("'2023-01-32T00:00:00' is not a date YYYY-MM-DD"));
  CHECK_THAT(file.refusal({"run.start=10.1.2023"}), Catch::Contains("is not a date"));
  const auto shape = shared_data("public_cases/epw-start-date/january.epw");
  const auto leap = shared_data("public_cases/epw-leap-year/leap.epw");
  if (!shape || !leap) {
    WARN("no public_cases in the shared data: left out");
    return;
  }
  const auto of = [](const std::filesystem::path& path, const std::string& start) {
    return load_scenario(std::string(TIDEWATT_SOURCE_DIR) + "/tests/scenarios/tiny.toml",
                         {{"run.start=" + start}, path.string(), {}});
  };
  const auto day = of(*shape, "2023-01-10");
  double low = 1e9, high = -1e9;
  for (Tick t = 0; t <= 20 * 3600 * ns_per_s; t += 60 * ns_per_s)
    low = std::min(low, drybulb_degC(day, t)), high = std::max(high, drybulb_degC(day, t));
  CHECK(low == Approx(-3.9).margin(0.1));  // midnight is the end of the cold day before
  CHECK(high == Approx(25.0).margin(0.1));
  CHECK(drybulb_degC(of(*leap, "2024-02-29"), 12 * 3600 * ns_per_s) == Approx(17.5));
  CHECK(site_weather(of(*leap, "2024-02-29")).from.day == "02-29");
}

TEST_CASE("29 February of a file without it is named as the 28th, with a note", "[weather]") {
  const auto path = std::filesystem::temp_directory_path() / "tidewatt_february.epw";
  {
    std::ofstream out(path);
    out << "LOCATION,Test,TS,XXX,made,000001,40.0,-75.0,-5.0,100.0\nDESIGN CONDITIONS,0\nTYPICAL/EXTREME "
           "PERIODS,0\nGROUND TEMPERATURES,0\nHOLIDAYS/DAYLIGHT SAVINGS,No,0,0,0\nCOMMENTS 1\nCOMMENTS 2\nDATA "
           "PERIODS,1,1,Data,Sunday,2/27,3/ 1\n";
    for (const auto& [m, d] : {std::pair{2, 27}, std::pair{2, 28}, std::pair{3, 1}})
      for (int h = 1; h <= 24; ++h) out << fmt::format("1999,{},{},{},60,?9,{},-5,50,100000\n", m, d, h, d);
  }
  const auto s = load_scenario(std::string(TIDEWATT_SOURCE_DIR) + "/tests/scenarios/tiny.toml",
                               {{"run.start=2024-02-29"}, path.string(), {}});
  CHECK(site_weather(s).from.day == "02-28");
  CHECK(drybulb_degC(s, 12 * 3600 * ns_per_s) == Approx(28.0));
  CHECK(std::ranges::any_of(s.notes, [](const auto& n) { return n.find("the air of 28 February") != n.npos; }));
  std::filesystem::remove(path);
}

TEST_CASE("a result says which day of what its air is from", "[weather]") {
  const auto said = [](const Scenario& s) {
    std::string out;
    for (const auto& [key, text] : run(s).provenance)
      if (key.starts_with("weather_") && key != "weather_text") out += text + ";";
    return out;
  };
  CHECK(said(tiny()) == "climate/portland_or;07;hot;");
  CHECK(said(tiny("", {"weather.day=typical_year", "run.start=2024-01-20T00:00:00"})) ==
        "climate/portland_or;01-20;typical_year;");
  const January file("tidewatt_january_run.epw");
  CHECK(said(file.read({"run.start=2023-01-10T12:00:00"})) == "tidewatt_january_run.epw;01-10;dated;");
}

TEST_CASE("a run lies between the first and the last date that 64 bits of nanoseconds hold") {
  const auto refusal = [](const std::string& start, const std::string& hours = "1") -> std::string {
    try {
      tiny("", {"run.start=" + start, "run.duration_h=" + hours});
      return "accepted";
    } catch (const InputError& e) {
      REQUIRE(e.findings().size() == 1);
      CHECK(e.findings().front().key == "run.start");
      return e.findings().front().message;
    }
  };
  for (const char* year : {"0000", "1600", "1677", "2263", "9999"})
    CHECK_THAT(refusal(std::string(year) + "-01-01T00:00:00"), Catch::Contains("outside 1678 to 2262"));
  for (const char* year : {"1678", "1900", "2262"}) CHECK(refusal(std::string(year) + "-01-01T00:00:00") == "accepted");
  CHECK_THAT(refusal("2262-04-10T12:00:00", "13"), Catch::Contains("2262-04-11"));
  // Dates that Python's datetime does not read.
  for (const char* text : {"2024-7-1T0:00:00", "2024- 7-01T00:00:00", "-024-07-01T00:00:00"})
    CHECK_THAT(refusal(text), Catch::Contains("YYYY-MM-DDThh:00:00"));
}
