#include "study/fit_clock_table.hpp"

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

namespace {
struct File {
  explicit File(const std::string& text)
      : path((std::filesystem::temp_directory_path() / ("tidewatt_clocks_" + std::to_string(::getpid()) + ".csv"))
                 .string()) {
    std::ofstream(path) << text;
  }
  ~File() { std::filesystem::remove(path); }
  std::string path;
};
}  // namespace

TEST_CASE("a table of points is taken row by row", "[study][fit_clock_table]") {
  const File file(
      "gpu,load,power_W,clock_MHz,temperature_degC,limit_W\n0,work,600,1500,60,700\n0,wait,150,1980,40,700\n1,work,610,"
      "1500,62,\n0,work,,1500,60,700\n");
  const auto tables = read_clock_tables(file.path);
  REQUIRE(tables.size() == 2);
  CHECK(tables[0].gpu == "0");
  REQUIRE(tables[0].points.size() == 2);  // the row without watts is no point
  CHECK(tables[0].loads == std::vector<std::string>{"work", "wait"});
  CHECK(tables[0].points[1].load == 1);
  CHECK(tables[0].points[0].clock_Hz == Approx(1.5e9));
  CHECK(std::isnan(tables[1].points[0].limit_W));
}

TEST_CASE("a record is averaged over 5 s beyond the first 5 s of each stretch", "[study][fit_clock_table]") {
  std::string text = "time_s,gpu,part,experiment,load_frac,power_W,clock_MHz,temperature_degC\n";
  for (int i = 0; i < 400; ++i) {
    const double t = 0.1 * i;
    const bool lock = t >= 20.0;
    text += std::to_string(t) + ",0," + (lock ? "1,clock_at_1200MHz,1," : "0,wave_of_1s,0.5,") +
            std::to_string(lock ? 400 + i : 100) + ",1200,50\n";
  }
  const File file(text);
  const auto tables = read_clock_tables(file.path);
  REQUIRE(tables.size() == 1);
  const auto& t = tables[0];
  CHECK(t.loads == std::vector<std::string>{"work"});  // a wave is faster than its readings
  REQUIRE(t.points.size() == 3);
  CHECK(t.points[0].locked);
  CHECK(t.points[0].time_s == Approx(27.45).margin(0.1));
  CHECK(t.points[0].power_W == Approx(400 + 274.5).margin(1.0));
}

TEST_CASE("without a load column only rows under load count; a missing column is named", "[study][fit_clock_table]") {
  std::string text = "time_s,power_W,clock_MHz,temperature_degC\n";
  for (int i = 0; i < 20; ++i) text += std::to_string(60 * i) + (i % 2 ? ",600" : ",90") + ",1500,60\n";
  const File file(text);
  CHECK(read_clock_tables(file.path)[0].points.size() == 10);
  const File none("time_s,power_W,temperature_degC\n0,600,60\n");
  CHECK_THROWS_AS(read_clock_tables(none.path), InputError);
}
