#include "tidewatt/io/export_comtrade.hpp"

#include <cmath>
#include <cstdint>
#include <string>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/text.hpp"
#include "wave.hpp"

using namespace tidewatt;
using namespace tidewatt::io;

namespace {
struct Read {
  double a, b;
};
// a and b of channel k, from the configuration file.
Read scale(const std::string& cfg, std::size_t k) {
  const auto fields = split(split(cfg, '\n')[2 + k], ',');
  return {std::stod(fields[5]), std::stod(fields[6])};
}
std::int64_t little(const std::vector<char>& d, std::size_t at, std::size_t n) {
  std::uint64_t u = 0;
  for (std::size_t i = 0; i < n; ++i) u |= static_cast<std::uint64_t>(static_cast<unsigned char>(d[at + i])) << (8 * i);
  return n == 2 ? static_cast<std::int16_t>(u) : static_cast<std::int32_t>(u);
}
}  // namespace

TEST_CASE("both formats read back within half a step of their scale") {
  const auto p = wave(5000);
  std::vector<double> v(p.size(), 1.0);
  v[10] = NAN;
  const ComtradeChannel channels[] = {{"pcc_P", "W", p}, {"bus_V", "pu", v}};
  const auto binary = comtrade({}, channels, ComtradeFormat::binary);
  const auto s = scale(binary.cfg, 0);
  REQUIRE(binary.dat.size() == p.size() * (8 + 2 * 2));
  for (std::size_t i = 0; i < p.size(); ++i) {
    const std::size_t at = i * 12;
    REQUIRE(little(binary.dat, at, 4) == static_cast<std::int64_t>(i) + 1);
    REQUIRE(little(binary.dat, at + 4, 4) == static_cast<std::int64_t>(i) * 1000);
    REQUIRE(s.a * static_cast<double>(little(binary.dat, at + 8, 2)) + s.b == Approx(p[i]).margin(0.51 * s.a));
  }
  CHECK(little(binary.dat, 10 * 12 + 10, 2) == -32768);
  CHECK(little(binary.dat, 11 * 12 + 10, 2) == 0);
  CHECK(scale(binary.cfg, 1).b == 1.0);

  const auto ascii = comtrade({}, channels, ComtradeFormat::ascii);
  const auto lines = split(std::string(ascii.dat.begin(), ascii.dat.end()), '\n');
  const auto q = scale(ascii.cfg, 0);
  CHECK(q.a < 0.4 * s.a);
  for (std::size_t i = 0; i < p.size(); i += 97)
    REQUIRE(q.a * std::stod(split(lines[i], ',')[2]) + q.b == Approx(p[i]).margin(0.51 * q.a));
}

TEST_CASE("the configuration file has the lines of the 1999 revision") {
  const std::vector<double> x = {0, 1, 2};
  const ComtradeChannel channels[] = {{"pcc_P", "W", x}};
  ComtradeHeader h;
  h.start_unix_us = 951'782'400'000'000 + 1'500'000;  // 29 February 2000
  h.trigger_us = 2000;
  const auto lines = split(comtrade(h, channels, ComtradeFormat::ascii).cfg, '\n');
  CHECK(lines[0] == "tidewatt,pcc,1999\r");
  CHECK(lines[1] == "1,1A,0D\r");
  CHECK(lines[3] == "60\r");
  CHECK(lines[4] == "1\r");
  CHECK(lines[5] == "1000,3\r");
  CHECK(lines[6] == "29/02/2000,00:00:01.500000\r");
  CHECK(lines[7] == "29/02/2000,00:00:01.502000\r");
  CHECK(lines[8] == "ASCII\r");
}

TEST_CASE("what cannot be a record is refused") {
  const std::vector<double> x = {0, 1, 2}, y = {0};
  const ComtradeChannel differ[] = {{"a", "W", x}, {"b", "W", y}}, comma[] = {{"a,b", "W", x}};
  CHECK_THROWS_AS(comtrade({}, differ, ComtradeFormat::ascii), InputError);
  CHECK_THROWS_AS(comtrade({}, comma, ComtradeFormat::ascii), InputError);
  CHECK_THROWS_AS(comtrade({}, {}, ComtradeFormat::ascii), InputError);
  ComtradeHeader slow;
  slow.rate_Hz = 1e-3;
  const ComtradeChannel one[] = {{"a", "W", x}};
  CHECK_THROWS_AS(comtrade(slow, one, ComtradeFormat::binary), InputError);
}
