#include "cooling/weather_csv.hpp"

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
      csv("time,drybulb_degF,dewpoint_degF,pressure_hPa", [](int i) { return stamp(i) + ",68,50,1000"; }), "f.csv",
      0.0);
  CHECK(f.at(0).drybulb_K == Approx(293.15));
  CHECK(f.at(0).pressure_Pa == Approx(1e5));
  CHECK(csv_accepted(csv("time,drybulb_degC,wetbulb_degC", [](int i) { return stamp(i) + ",20,15"; })));
  CHECK(csv_accepted("time,drybulb_degC,rh_frac\n2024-02-28T23:45,1,0.5\n2024-02-29T00:00,1,0.5\n"));  // a leap day
  for (const char* names :
       {"time,drybulb,rh_pct", "time,drybulb_K,rh_pct", "when,drybulb_degC,rh_pct", "time,drybulb_degC,drybulb_degC",
        "time,drybulb_degC,humidity", "time,rh_pct,rh_pct", "", ","})
    CHECK_FALSE(csv_accepted(csv(names, row)));
  for (const char* bad :
       {"2024-02-28T05:00,x,50", "2024-02-28T05:00,,50", "2024-02-28T05:00,15", "2024-02-28T05:00,15,50,1",
        "2024-02-28T05:00,150,50", "2024-02-28T05:00,15,101", "2024-02-28T05:30,15,50", "2024-02-28T04:00,15,50",
        "2024-02-30T05:00,15,50", "28.02.2024 05:00,15,50", "2024-02-28T25:00,15,50", "2024-02-28T05:00,nan,50",
        "2024-02-28T05:00,15,-1", "2024-02-28T5:00,15,50", ""})
    CHECK_FALSE(
        csv_accepted(csv("time,drybulb_degC,rh_pct", [&](int i) { return i == 5 ? std::string(bad) : row(i); })));
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

TEST_CASE("a corpus of measured weather: no defect accepted, no good file refused") {
  int n_bad = 0, n_good = 0;
  const auto with = [](int at, std::size_t column, const std::string& wrong) {
    return csv("time,drybulb_degC,rh_pct,pressure_Pa", [&](int i) {
      std::string cells[] = {stamp(i), "15.5", "50", "100000"};
      if (i == at) cells[column] = wrong;
      return fmt::format("{},{},{},{}", cells[0], cells[1], cells[2], cells[3]);
    });
  };
  for (const int at : {0, 11, 23}) {
    for (const std::size_t column : {1u, 2u, 3u})
      for (const char* wrong :
           {"", "x", "nan", "inf", "1e999", "--5", "1 2", "-300", "9e9", "99999999", "0x10", "1.2.3"}) {
        ++n_bad;
        INFO(at << " " << column << " " << wrong);
        CHECK_FALSE(csv_accepted(with(at, column, wrong)));
      }
    for (const char* wrong : {"", "x", "2024-02-28", "2024-02-30T05:00", "2024-02-28T24:30", "2024-02-28T05:61",
                              "28/02/2024 05:00", "1709096400", "2024-02-28T05:30"}) {
      ++n_bad;
      INFO(at << " " << wrong);
      CHECK_FALSE(csv_accepted(with(at, 0, wrong)));
    }
  }
  for (const char* air : {"drybulb_degC", "drybulb_degF"})
    for (const auto& [moisture, value] : {std::pair{"dewpoint_degC", "5"},
                                          {"dewpoint_degF", "41"},
                                          {"wetbulb_degC", "8"},
                                          {"rh_pct", "40"},
                                          {"rh_frac", "0.4"}})
      for (const auto& [pressure, at] : {std::pair{"", ""}, {",pressure_Pa", ",99000"}, {",pressure_hPa", ",990"}}) {
        ++n_good;
        const std::string names = fmt::format("time,{},{}{}", air, moisture, pressure);
        INFO(names);
        CHECK(csv_accepted(csv(names, [&, v = value, p = at](int i) {
          return fmt::format("{},{},{}{}", stamp(i), air[11] == 'C' ? "15" : "59", v, p);
        })));
      }
  WARN("measured weather: " << n_bad << " defective, " << n_good << " good");
  CHECK(n_bad >= 120);
  CHECK(n_good >= 30);
}

namespace {

// From 30 May 2023, 12:00, on: the third of June reaches 40 °C, the month's other days 30 °C; May's 20 °C.
CsvWeather late_spring(int n_hour) {
  std::string text = "time,drybulb_degC,rh_pct\n";
  for (int i = 0; i < n_hour; ++i) {
    const int of_may = 29 * 24 + 12 + i, day = of_may / 24 + 1, hour = of_may % 24;
    const int month = day > 31 ? 6 : 5, date = day > 31 ? day - 31 : day;
    const double most = month == 5 ? 20.0 : date == 3 ? 40.0 : 30.0;
    text += fmt::format("2023-{:02}-{:02}T{:02}:00,{},50\n", month, date, hour, hour == 15 ? most : 10.0);
  }
  return parse_csv_weather(text, "late.csv", 0.0);
}

}  // namespace

TEST_CASE("weather CSV: the file's extreme and typical day by name, of days that it covers whole") {
  const CsvWeather file = late_spring(24 * 8);
  CHECK(date_text(pick_day_min(file, DayKind::extreme)) == "2023-06-03");
  CHECK(date_text(pick_day_min(file, DayKind::typical)).starts_with("2023-06-0"));  // the warmest month
  CHECK(date_text(pick_day_min(file, DayKind::typical)) != "2023-06-03");
  const Weather extreme = csv_weather(file, pick_day_min(file, DayKind::extreme) + 60 * 9);
  CHECK(extreme.at(6 * ns_per_hour).drybulb_K == Approx(273.15 + 40.0));
  CHECK(extreme.local_at_start_ns() == 9 * ns_per_hour);
  // The hottest day is cut: another one is the hottest of the whole days.
  CHECK(date_text(pick_day_min(late_spring(24 * 4 + 6), DayKind::extreme)) != "2023-06-03");
  CHECK_THROWS_WITH(pick_day_min(late_spring(30), DayKind::extreme), Catch::Contains("no whole day"));
}

TEST_CASE("weather CSV: a plant's year begins on 1 January, and a whole year repeats") {
  std::string text = "time,drybulb_degC,rh_pct\n";
  constexpr int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  for (int m = 1; m <= 12; ++m)
    for (int d = 1; d <= days[m - 1]; ++d)
      for (int h = 0; h < 24; ++h) text += fmt::format("2023-{:02}-{:02}T{:02}:00,{}.{},50\n", m, d, h, m, h % 10);
  const CsvWeather file = parse_csv_weather(text, "year.csv", 0.0);
  CHECK(file.whole_year());
  const Weather w = csv_year(file);
  CHECK(w.at(0).drybulb_K == Approx(273.15 + 1.0));
  CHECK(w.at(364 * ns_per_day).drybulb_K == Approx(273.15 + 12.0));
  CHECK(w.at(365 * ns_per_day) == w.at(0));
  CHECK_THROWS_WITH(csv_year(late_spring(200)), Catch::Contains("a year begins on 1 January"));
}
