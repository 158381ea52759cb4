#include "cooling/epw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "shared_data.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/cooling/diurnal.hpp"
#include "tidewatt/cooling/psychrometrics.hpp"

using namespace tidewatt;
using namespace tidewatt::cooling;

namespace {

constexpr int month_days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

std::string header(std::string period = "1/ 1,12/31") {
  return "LOCATION,Test,TS,XXX,made,000001,40.0,-75.0,-5.0,100.0\nDESIGN CONDITIONS,0\nTYPICAL/EXTREME PERIODS,0\n"
         "GROUND TEMPERATURES,0\nHOLIDAYS/DAYLIGHT SAVINGS,No,0,0,0\nCOMMENTS 1,a, \"b\"\nCOMMENTS 2\nDATA "
         "PERIODS,1,1,Data,Sunday," +
         period + "\n";
}

std::string row(int year, int m, int d, int h, const std::string& db, const std::string& dp = "10.0",
                const std::string& rh = "50", const std::string& p = "100000") {
  std::string s = fmt::format("{},{},{},{},60,?9?9,{},{},{},{}", year, m, d, h, db, dp, rh, p);
  for (int i = 10; i < 35; ++i) s += ",0";
  return s + "\n";
}

// A year as lines, dry bulb 10 at 1 h … 33 at 24 h; warmer by the month.
std::vector<std::string> year_lines(bool leap = false) {
  std::vector<std::string> lines;
  for (int m = 1; m <= 12; ++m)
    for (int d = 1; d <= month_days[m - 1] + (leap && m == 2 ? 1 : 0); ++d)
      for (int h = 1; h <= 24; ++h) lines.push_back(row(1980 + m, m, d, h, fmt::format("{}.{}", 9 + h, m % 10)));
  return lines;
}

std::string join(const std::vector<std::string>& lines, const std::string& head = header()) {
  std::string text = head;
  for (const auto& l : lines) text += l;
  return text;
}

std::string refusal(const std::string& text) {
  try {
    parse_epw(text, "t.epw");
  } catch (const InputError& e) {
    std::string all;
    for (const auto& f : e.findings()) all += f.text() + "\n";
    return all;
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a good year: hours, calendar, place; CRLF and a byte order mark too") {
  const auto lines = year_lines();
  const EpwYear y = parse_epw(join(lines), "t.epw");
  CHECK(y.hours.size() == 8760);
  CHECK(y.whole_year);
  CHECK(y.notes.empty());
  CHECK(y.utc_offset_s == -5 * 3600.0);
  CHECK(y.hours[0].air.drybulb_K == Approx(283.25));
  CHECK(y.hours[0].air.humidity_ratio == Approx(humidity_ratio_from_dew_point(283.15, 1e5)));
  std::string crlf = "\xEF\xBB\xBF";
  for (const char c : join(lines)) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  CHECK(parse_epw(crlf, "t.epw").hours[8759].air.drybulb_K == y.hours[8759].air.drybulb_K);
}

TEST_CASE("a leap day and a part of a year are read") {
  CHECK(parse_epw(join(year_lines(true)), "t.epw").hours.size() == 8784);
  const auto all = year_lines();
  const std::vector<std::string> july(all.begin() + 181 * 24, all.begin() + 212 * 24);
  const EpwYear y = parse_epw(join(july, header("7/1,7/31")), "t.epw");
  CHECK_FALSE(y.whole_year);
  const Weather w = epw_weather(y, {7, 10}, 0);
  CHECK_NOTHROW(w.at(ns_per_day));
  CHECK_THROWS_AS(w.at(40 * ns_per_day), InputError);
  CHECK_THROWS_AS(epw_weather(y, {8, 1}, 0), InputError);
}

TEST_CASE("an hour's value stands at the end of the hour, local standard time") {
  const EpwYear y = parse_epw(join(year_lines()), "t.epw");
  const Weather w = epw_weather(y, {7, 10}, 6);  // run time 0 = 06:00
  CHECK(w.at(0).drybulb_K == Approx(273.15 + 15.7));
  CHECK(w.at(9 * ns_per_hour).drybulb_K == Approx(273.15 + 24.7));
  CHECK(w.at(ns_per_hour / 2).drybulb_K == Approx(273.15 + 16.2));
  CHECK(w.local_at_start_ns() == 6 * ns_per_hour);
  CHECK(w.at(365 * ns_per_day).drybulb_K == w.at(0).drybulb_K);  // the year repeats
}

TEST_CASE("missing codes are missing: short gaps are filled and noted, long ones refused") {
  auto lines = year_lines();
  for (int h = 0; h < 6; ++h) lines[static_cast<std::size_t>(1000 + h)] = row(1, 2, 11, 17 + h, "99.9");
  lines[5000] = row(1, 7, 28, 9, "18.7", "99.9", "60");
  lines[6000] = row(1, 9, 8, 1, "10.9", "9.0", "50", "999999");
  const EpwYear y = parse_epw(join(lines), "t.epw");
  REQUIRE(y.notes.size() == 3);
  CHECK_THAT(y.notes[0], Catch::Contains("dew point: 1 missing"));
  CHECK_THAT(y.notes[1], Catch::Contains("6 missing hours"));
  const double left = y.hours[999].air.drybulb_K, right = y.hours[1006].air.drybulb_K;
  CHECK(y.hours[1002].air.drybulb_K == Approx(left + (right - left) * 3.0 / 7.0));
  CHECK(relative_humidity_frac(y.hours[5000].air.drybulb_K, y.hours[5000].air.humidity_ratio, 1e5) == Approx(0.6));
  CHECK(y.hours[6000].air.pressure_Pa == Approx(1e5));

  lines[1006] = row(1, 2, 11, 23, "99.9");
  CHECK_THAT(refusal(join(lines)), Catch::Contains("t.epw:1009") && Catch::Contains("missing for 7 hours"));
  lines = year_lines();
  for (int i = 0; i < 8760; ++i) {
    const auto at = lines[static_cast<std::size_t>(i)].find("100000");
    lines[static_cast<std::size_t>(i)].replace(at, 6, "999999");
  }
  CHECK_THAT(refusal(join(lines)), Catch::Contains("missing in every hour"));
}

TEST_CASE("a gap over the turn of the year is filled in a whole year") {
  auto lines = year_lines();
  lines.front() = row(1, 1, 1, 1, "99.9");
  lines.back() = row(1, 12, 31, 24, "99.9");
  const EpwYear y = parse_epw(join(lines), "t.epw");
  const double a = y.hours[8758].air.drybulb_K, b = y.hours[1].air.drybulb_K;
  CHECK(y.hours[8759].air.drybulb_K == Approx(a + (b - a) / 3.0));
  CHECK(y.hours[0].air.drybulb_K == Approx(a + (b - a) * 2.0 / 3.0));
}

TEST_CASE("each defect is an InputError with line and column") {
  const auto good = year_lines();
  const auto with = [&](std::size_t i, std::string line) {
    auto lines = good;
    lines[i] = std::move(line);
    return join(lines);
  };
  CHECK_THAT(refusal(""), Catch::Contains("header line 1"));
  CHECK_THAT(refusal("PK\x03\x04"), Catch::Contains("header line 1"));
  CHECK_THAT(refusal(header()), Catch::Contains("no hours"));
  CHECK_THAT(refusal(join({good.begin(), good.begin() + 4000})), Catch::Contains("truncated"));
  CHECK_THAT(refusal(join(good).substr(0, 500000)), !Catch::Contains("accepted"));
  CHECK_THAT(refusal(with(10, "1981,1,1,11,60,x,20.1\n")),
             Catch::Contains("t.epw:19:1") && Catch::Contains("7 fields"));
  CHECK_THAT(refusal(with(10, row(1, 1, 1, 11, "2O.1"))),
             Catch::Contains("t.epw:19:18") && Catch::Contains("not a number"));
  CHECK_THAT(refusal(with(10, row(1, 1, 1, 11, "nan"))), Catch::Contains("not a number"));
  CHECK_THAT(refusal(with(10, row(1, 1, 1, 11, ""))), Catch::Contains("not a number"));
  CHECK_THAT(refusal(with(10, row(1, 1, 1, 11, "20,1"))), Catch::Contains("36 fields"));
  CHECK_THAT(refusal(with(10, row(1, 1, 1, 11, "320.1"))), Catch::Contains("outside"));
  CHECK_THAT(refusal(with(10, row(1, 1, 1, 11, "20.1", "25.0"))), Catch::Contains("above the dry bulb"));
  CHECK_THAT(refusal(with(10, row(1, 1, 1, 11, "20.1", "9", "50", "1000"))), Catch::Contains("outside"));
  CHECK_THAT(refusal(with(10, row(1, 1, 1, 25, "20.1"))), Catch::Contains("whole number from 1 to 24"));
  CHECK_THAT(refusal(with(10, row(1, 13, 1, 11, "20.1"))), Catch::Contains("whole number from 1 to 12"));
  CHECK_THAT(refusal(with(10, row(1, 1, 1, 12, "20.1"))), Catch::Contains("does not follow"));
  CHECK_THAT(refusal(with(10, "\n")), Catch::Contains("1 fields"));
  std::string flipped = join(good);
  flipped.replace(0, 8, "L0CATION");
  CHECK_THAT(refusal(flipped), Catch::Contains("LOCATION"));
  for (const char* period : {"1/ 1,12/30", "1/ 2,12/31", "1/ 1", "x,12/31"})
    CHECK_THAT(refusal(join(good, header(period))), !Catch::Contains("accepted"));
}

TEST_CASE("every finding at once, twenty at most and a count") {
  auto lines = year_lines();
  for (std::size_t i = 0; i < 50; ++i) lines[100 + i].replace(0, 4, "19x0");
  const std::string all = refusal(join(lines));
  CHECK(std::count(all.begin(), all.end(), '\n') == 21);
  CHECK_THAT(all, Catch::Contains("and "));
}

TEST_CASE("the thirteen typical years load, and their days make sense") {
  const auto folder = shared_data("weather_epw");
  if (!folder) {
    WARN("skipped: no folder weather_epw among the reference data");
    return;
  }
  int n = 0;
  double off_sum = 0.0, off_max = 0.0;
  for (const auto& entry : std::filesystem::directory_iterator(*folder)) {
    if (entry.path().extension() != ".epw") continue;
    const EpwYear y = read_epw(entry.path().string());
    INFO(y.place);
    ++n;
    CHECK(y.hours.size() == 8760);
    CHECK(y.whole_year);
    const auto range = [&](DayKind kind) {
      const Weather w = epw_weather(y, pick_day(y, kind), 0);
      double lo = 1e9, hi = 0.0;
      for (int h = 1; h <= 24; ++h)
        lo = std::min(lo, w.at(h * ns_per_hour).drybulb_K), hi = std::max(hi, w.at(h * ns_per_hour).drybulb_K);
      return std::pair{lo, hi};
    };
    const auto hot = range(DayKind::hot_clear), extreme = range(DayKind::extreme), typical = range(DayKind::typical);
    CHECK(pick_day(y, DayKind::typical).month == 7);
    CHECK(extreme.second >= hot.second);
    CHECK(hot.second > typical.second - 2.0);
    CHECK(hot.second - hot.first > 9.0);
    // Wet bulb is interpolated, not recomputed: how far off between the hours?
    const Weather w = epw_weather(y, {1, 1}, 0);
    for (Tick h = 0; h < 8760; ++h) {
      const auto s = w.at(h * ns_per_hour + ns_per_hour / 2);
      const double off = std::abs(s.wetbulb_K - wet_bulb_K(s.drybulb_K, s.humidity_ratio, s.pressure_Pa));
      off_sum += off;
      off_max = std::max(off_max, off);
    }
  }
  CHECK(n == 13);
  WARN("interpolated wet bulb at half hours: off by " << off_sum / (13 * 8760) << " K on average, " << off_max
                                                      << " K at most");
  CHECK(off_sum / (13 * 8760) < 0.02);
}

TEST_CASE("records finer than an hour stand at the ends of their intervals") {
  std::string head = header("7/ 1, 7/ 2");
  head.replace(head.find("PERIODS,1,1,"), 12, "PERIODS,1,4,");
  std::vector<std::string> lines;
  for (int d = 1; d <= 2; ++d)
    for (int h = 1; h <= 24; ++h)
      for (int m = 15; m <= 60; m += 15) {
        std::string line = row(2024, 7, d, h, fmt::format("{:.2f}", 10.0 + (h - 1) + m / 60.0));
        line.replace(line.find(",60,"), 4, fmt::format(",{},", m));
        lines.push_back(line);
      }
  const EpwYear y = parse_epw(join(lines, head), "t.epw");
  CHECK(y.per_hour == 4);
  CHECK(y.hours.size() == 2 * 96);
  CHECK_FALSE(y.whole_year);
  const Weather w = epw_weather(y, {7, 1}, 6);
  // 10 °C at midnight, a kelvin an hour: the run starts at 6 h.
  CHECK(w.at(0).drybulb_K == Approx(273.15 + 16.0));
  CHECK(w.at(20 * 60 * ns_per_s).drybulb_K == Approx(273.15 + 16.0 + 1.0 / 3.0));
  CHECK(pick_day(y, DayKind::extreme).day == 1);
  auto swapped = lines;
  std::swap(swapped[5], swapped[6]);
  CHECK(refusal(join(swapped, head)).find("does not follow") != std::string::npos);
  auto uneven = lines;
  uneven[7].replace(uneven[7].find(",60,"), 4, ",50,");
  CHECK(refusal(join(uneven, head)).find("not the end of an interval of 15 minutes") != std::string::npos);
  head.replace(head.find("PERIODS,1,4,"), 12, "PERIODS,1,7,");
  CHECK(refusal(join(lines, head)).find("does not divide an hour") != std::string::npos);
}

namespace {

// A year, or a part of it, whose dry bulb is 250 K + the month + a hundredth of the day, and a ten-thousandth of the hour.
EpwYear dated_year(bool leap, int from_month = 1, int to_month = 12) {
  EpwYear y;
  y.whole_year = from_month == 1 && to_month == 12;
  for (int m = from_month; m <= to_month; ++m)
    for (int d = 1; d <= month_days[m - 1] + (leap && m == 2 ? 1 : 0); ++d)
      for (int h = 1; h <= 24; ++h)
        y.hours.push_back({m, d, h, 1, {250.0 + m + 0.01 * d + 1e-4 * h, 1e-4, 249.0, 1e5}});
  return y;
}

double day_K(int month, int day, int hour) { return 250.0 + month + 0.01 * day + 1e-4 * hour; }

}  // namespace

TEST_CASE("a dated run has the air of its month and day, over leap days and the year's end") {
  const Tick h = ns_per_hour, day = ns_per_day;
  for (const bool leap_file : {false, true}) {
    const EpwYear y = dated_year(leap_file);
    const Weather common = epw_weather(y, 2023, {2, 27}, 6), leap = epw_weather(y, 2024, {2, 27}, 6);
    CHECK(common.at(0).drybulb_K == Approx(day_K(2, 27, 6)).epsilon(1e-12));
    CHECK(common.at(2 * day + 6 * h).drybulb_K == Approx(day_K(3, 1, 12)).epsilon(1e-12));
    CHECK(leap.at(2 * day + 6 * h).drybulb_K == Approx(day_K(2, leap_file ? 29 : 28, 12)).epsilon(1e-12));
    CHECK(leap.at(3 * day + 6 * h).drybulb_K == Approx(day_K(3, 1, 12)).epsilon(1e-12));
    CHECK(leap.at(300 * day).drybulb_K == Approx(day_K(12, 23, 6)).epsilon(1e-12));
    const Weather year_end = epw_weather(y, 2023, {12, 31}, 12);
    CHECK(year_end.at(day).drybulb_K == Approx(day_K(1, 1, 12)).epsilon(1e-12));
    CHECK(epw_weather(y, 2024, {2, 29}, 12).at(day).drybulb_K == Approx(day_K(3, 1, 12)).epsilon(1e-12));
    CHECK(epw_weather(y, 2024, {2, 29}, 12).at(365 * day).drybulb_K == Approx(day_K(2, 28, 12)).epsilon(1e-12));
  }
  // From 1 January of a common year on it is the file as it stands.
  const EpwYear y = dated_year(false);
  const Weather dated = epw_weather(y, 2023, {1, 1}, 0), plain = epw_weather(y, {1, 1}, 0);
  for (Tick k = 0; k < 8760; ++k) CHECK(dated.at(k * h + h / 3) == plain.at(k * h + h / 3));
}

TEST_CASE("a file of part of a year serves its own days alone") {
  const EpwYear y = dated_year(false, 2, 3);
  const Weather w = epw_weather(y, 2023, {3, 30}, 0);
  CHECK(w.at(0).drybulb_K == Approx(day_K(3, 29, 24)).epsilon(1e-12));
  CHECK_NOTHROW(w.at(2 * ns_per_day));
  CHECK_THROWS_AS(w.at(2 * ns_per_day + 1), InputError);
  CHECK_THROWS_WITH(epw_weather(y, 2023, {4, 1}, 0),
                    Catch::Contains("no month 4 day 1") && Catch::Contains("month 2 day 1 to month 3 day 31"));
  const Weather first = epw_weather(y, 2023, {2, 1}, 0);  // the midnight before its first record
  CHECK(first.at(0).drybulb_K == first.at(ns_per_hour).drybulb_K);
  CHECK(first.notes().size() == 1);
}

TEST_CASE(
    "a date that is there of several years is that of the run's year, else the first; years do not matter otherwise") {
  EpwYear y = dated_year(false);
  EpwYear next = dated_year(false);
  for (auto& h : y.hours) h.year = 2018;
  for (auto& h : next.hours) h.year = 2019, h.air.drybulb_K += 5.0;
  y.hours.insert(y.hours.end(), next.hours.begin(), next.hours.end());
  y.whole_year = false;
  const auto noon_K = [&](int year) { return epw_weather(y, year, {1, 10}, 12).at(0).drybulb_K; };
  CHECK(noon_K(2018) == Approx(day_K(1, 10, 12)).epsilon(1e-12));
  CHECK(noon_K(2019) == Approx(day_K(1, 10, 12) + 5.0).epsilon(1e-12));
  CHECK(noon_K(2030) == Approx(day_K(1, 10, 12)).epsilon(1e-12));
  // Over the turn of the year into the file's next one.
  CHECK(epw_weather(y, 2018, {12, 31}, 12).at(ns_per_day).drybulb_K == Approx(day_K(1, 1, 12) + 5.0).epsilon(1e-12));
}

TEST_CASE("29 February is the file's own, or a note says that it has the air of the 28th") {
  for (const bool leap_file : {false, true}) {
    const auto notes = epw_weather(dated_year(leap_file), 2024, {2, 27}, 6).notes();
    CHECK(std::count(notes.begin(), notes.end(), "the file has no 29 February: that day has the air of 28 February") ==
          !leap_file);
    CHECK(epw_weather(dated_year(leap_file), 2023, {2, 27}, 6).notes().empty());
    CHECK(has_day(dated_year(leap_file), {2, 29}) == leap_file);
  }
}

TEST_CASE(
    "records without the last fields, a comma behind the period and filling are read; a shorter one among them is "
    "not") {
  auto lines = year_lines(true);
  for (auto& l : lines) l = l.substr(0, l.find(",100000") + 7) + "\n";
  const auto y = parse_epw(join(lines, header("1/ 1,12/31,")), "t.epw");
  CHECK(y.hours.size() == 8784);
  CHECK(y.whole_year);
  CHECK(y.hours[0].air.pressure_Pa == 100000.0);
  lines[10] = lines[10].substr(0, lines[10].rfind(',')) + "\n";
  CHECK_THAT(refusal(join(lines)), Catch::Contains("t.epw:19:1") && Catch::Contains("9 fields"));
  const auto path = (std::filesystem::temp_directory_path() / "tidewatt_filled.weather").string();
  std::ofstream(path, std::ios::binary) << "\xEF\xBB\xBF" << join(year_lines()) << "\x1a\x1a";
  CHECK(is_epw(path));
  CHECK(read_epw(path).hours.size() == 8760);
  std::filesystem::remove(path);
  CHECK_FALSE(is_epw(path));
  CHECK_THAT(refusal("{\"hourly\": {}}"), Catch::Contains("tidewatt import weather FILE"));
}
