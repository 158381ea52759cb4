#include "base/calendar.hpp"

#include "catch.hpp"

using namespace tidewatt;

TEST_CASE("the calendar has Gregorian leap years and the weekdays of known days") {
  for (const auto& [year, days] : {std::pair{1900, 28}, {2000, 29}, {2023, 28}, {2024, 29}, {2100, 28}})
    CHECK(calendar::days_in(year, 2) == days);
  int sum = 0;
  for (int m = 1; m <= 12; ++m) sum += calendar::days_in(calendar::common_year, m);
  CHECK(sum == 365);
  CHECK(calendar::days_since_1970(1970, 1, 1) == 0);
  CHECK(calendar::days_since_1970(2000, 3, 1) - calendar::days_since_1970(2000, 2, 28) == 2);
  CHECK(calendar::weekday_of(0) == 3);  // a Thursday
  CHECK(calendar::weekday_of(calendar::days_since_1970(2024, 7, 20)) == 5);
}

TEST_CASE("dates and their numbers are inverse") {
  for (std::int64_t day = -150000; day < 150000; day += 17) {
    const auto d = calendar::date_of(day);
    CHECK(calendar::days_since_1970(static_cast<int>(d.year()), static_cast<int>(static_cast<unsigned>(d.month())),
                                    static_cast<int>(static_cast<unsigned>(d.day()))) == day);
    CHECK(calendar::month_of(day) == static_cast<int>(static_cast<unsigned>(d.month())));
  }
  CHECK(calendar::text_of(calendar::days_since_1970(987, 2, 3)) == "0987-02-03");
  CHECK_FALSE(calendar::date(2023, 2, 29).ok());
}
