#include "io/export_comtrade.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "base/text.hpp"
#include "catch.hpp"
#include "sample_record.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::io;

namespace {

template <class T>
T little(const std::string& bytes, std::size_t at) {
  T out{};
  std::memcpy(&out, bytes.data() + at, sizeof out);
  return out;
}

double value(const std::string& cfg, std::size_t channel, double stored) {
  const auto fields = split(split(cfg, '\n')[2 + channel], ',');
  return std::stod(fields[5]) * stored + std::stod(fields[6]);
}

}  // namespace

TEST_CASE(
    "every encoding reads back within half a step, the extremes included, and no value is the mark of a missing one") {
  const auto r = sample_record();
  const auto& p = r.channels[0].values;
  const double range = *std::max_element(p.begin(), p.end()) - *std::min_element(p.begin(), p.end());

  const auto ascii = comtrade_files(r, ComtradeRevision::r1999, ComtradeEncoding::ascii);
  const std::string cfg = ascii[2].text();
  const auto lines = split(ascii[0].text(), '\n');
  REQUIRE(lines.size() == p.size() + 1);
  long lowest = 0, highest = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const auto f = split(lines[i], ',');
    REQUIRE(f[1] == std::to_string(1000 * i));
    const long stored = std::stol(f[2]);
    lowest = std::min(lowest, stored), highest = std::max(highest, stored);
    REQUIRE(value(cfg, 0, static_cast<double>(stored)) == Approx(p[i]).margin(range / (2 * 2 * 99998) * 1.001));
  }
  CHECK(lowest == -99998);
  CHECK(highest == 99998);
  CHECK(value(cfg, 3, 0.0) == 60.0);  // a constant channel is exact

  const auto binary = comtrade_files(r, ComtradeRevision::r1999, ComtradeEncoding::binary);
  const std::string dat = binary[0].text();
  REQUIRE(dat.size() == p.size() * 16);
  REQUIRE(binary[0].bytes() == dat.size());
  for (std::size_t i = 0; i < p.size(); ++i) {
    REQUIRE(little<std::uint32_t>(dat, 16 * i) == i + 1);
    REQUIRE(little<std::uint32_t>(dat, 16 * i + 4) == 1000 * i);
    const auto stored = little<std::int16_t>(dat, 16 * i + 8);
    REQUIRE(stored != -32768);
    REQUIRE(value(binary[2].text(), 0, stored) == Approx(p[i]).margin(range / (2 * 2 * 32767) * 1.001));
    if (i == 50) i = p.size() - 50;
  }

  const auto single = comtrade_files(r, ComtradeRevision::r2013, ComtradeEncoding::float32)[0].text();
  const std::string mark = "--- file type: DAT BINARY: 240000 ---\r\n";
  const auto data = single.find(mark) + mark.size();
  REQUIRE(single.size() == data + 240'000);
  CHECK(little<float>(single, data + 24 * 77 + 8) == static_cast<float>(p[77]));
}

TEST_CASE("the configuration has the lines of its revision, real times and the trigger") {
  const auto r = sample_record(2000);
  const auto lines = split(comtrade_files(r, ComtradeRevision::r1999, ComtradeEncoding::ascii)[2].text(), '\n');
  CHECK(lines[0] == "night run,tidewatt,1999\r");
  CHECK(lines[1] == "4,4A,0D\r");
  CHECK(lines[6] == "60\r");
  CHECK(lines[7] == "1\r");
  CHECK(lines[8] == "1000,2000\r");
  CHECK(lines[9] == "01/03/2024,00:00:20.000000\r");  // 30 s after ten to midnight on 29 February
  CHECK(lines[10] == "01/03/2024,00:00:21.500000\r");
  CHECK(lines[11] == "ASCII\r");
  CHECK(lines[12] == "1\r");
  const auto later = split(comtrade_files(r, ComtradeRevision::r2013, ComtradeEncoding::ascii)[0].text(), '\n');
  CHECK(later[0] == "--- file type: CFG ---\r");
  CHECK(later[1] == "night run,tidewatt,2013\r");
  CHECK(later[14] == "x,x\r");
  CHECK(later[16] == "--- file type: INF ---\r");
}

TEST_CASE("stamps of long records count more than a microsecond, and agree with the rate") {
  auto r = sample_record(10);
  r.step_s = 900.0;  // 9,000 s do not fit into 32 bits of microseconds
  const auto files = comtrade_files(r, ComtradeRevision::r1999, ComtradeEncoding::ascii);
  CHECK(split(files[2].text(), '\n')[12] == "10\r");
  CHECK(split(split(files[0].text(), '\n')[9], ',')[1] == "810000000");
}

TEST_CASE("what cannot be a record is refused with everything that is wrong") {
  auto r = sample_record(100);
  r.station = "a,b";
  r.channels[1].values.pop_back();
  r.channels[2].values[3] = NAN;
  try {
    comtrade_files(r, ComtradeRevision::r1999, ComtradeEncoding::float32);
    FAIL("no error");
  } catch (const InputError& e) {
    CHECK(e.findings().size() == 4);
  }
  CHECK_THROWS_AS(comtrade_files(ExportRecord{}, ComtradeRevision::r1999, ComtradeEncoding::ascii), InputError);
}
