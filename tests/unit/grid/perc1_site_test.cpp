#include "grid/perc1_site.hpp"

#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

namespace {
LoadSettings supplies(double W) {
  LoadSettings s;
  s.group.name = "supplies";
  s.group.power_W = W;
  s.group.voltage = {{0.85, 0.0, true, "low"}, {1.1, 0.0, false, "high"}};
  s.group.return_low_pu = 0.9;
  s.group.return_s = 10.0;
  s.group.ramp_s = 15.0;
  s.group.current_ratio = 1.25;
  return s;
}
}  // namespace

TEST_CASE("a record's values are the settings of its part") {
  const LoadSettings parts[] = {supplies(80e6)};
  const auto site = perc1_site(parts);
  REQUIRE(site.records.size() == 1);
  const auto& p = site.records[0].params;
  CHECK(p.Fcease == 1.0);
  CHECK(p.Vcease == 0.85);
  CHECK(p.Tcease == 0.0);
  CHECK(p.Vrecon == 0.9);
  CHECK(p.Trecon == 10.0);
  CHECK(p.Tramp == 15.0);
  CHECK(p.Frecon == 1.0);
  CHECK(p.Ipmax == Approx(0.8 * 1.25));
  CHECK(p.Lfm == 0.8);
  REQUIRE(site.gaps.size() == 1);  // the upper limit
  CHECK(site.gaps[0].what.find("above 1.1 pu") != std::string::npos);
  CHECK(site.gaps[0].power_W == 80e6);
}

TEST_CASE("a spread is cut into records of equal share, at most eight in all, where most power lies within it") {
  auto wide = supplies(60e6), narrow = supplies(40e6);
  wide.low_spread_pu = 0.05;
  const LoadSettings parts[] = {wide, narrow};
  const auto site = perc1_site(parts);
  REQUIRE(site.records.size() == most_perc1_records);
  double mean = 0.0;
  for (std::size_t i = 0; i < 7; ++i) {
    CHECK(site.records[i].power_W == Approx(60e6 / 7));
    mean += site.records[i].params.Vcease / 7;
  }
  CHECK(mean == Approx(0.85));
  CHECK(site.records[0].params.Vcease == Approx(0.85 - 0.05 * 6 / 7));
  CHECK(site.power_W() == Approx(100e6));
  const std::vector<LoadSettings> nine(9, supplies(1e6));
  CHECK_THROWS_AS(perc1_site(nine), InputError);
}

TEST_CASE(
    "drives and motors are the remainder; counters, further limits, recharge and stopped jobs are listed with their "
    "power") {
  auto s = supplies(50e6), drive = supplies(6e6), motor = supplies(2e6);
  drive.kind = LoadKind::drive, motor.kind = LoadKind::motor;
  s.group.voltage.push_back({0.9, 10.0, true, "second"});
  s.group.frequency = {{57.0, 0.1, true, "f"}};
  s.group.count_limit = 3, s.group.count_window_s = 60.0;
  s.recharge_frac = 0.1, s.returns_frac = 0.6;
  const LoadSettings parts[] = {s, drive, motor};
  const auto site = perc1_site(parts);
  CHECK(site.records.size() == 1);
  CHECK(site.remainder_W == 8e6);
  CHECK(site.records[0].params.Vcease == 0.85);  // the limit with the shortest time
  CHECK(site.records[0].params.Frecon == 0.6);
  const auto gap = [&](const char* word) {
    const auto it = std::find_if(site.gaps.begin(), site.gaps.end(),
                                 [&](const auto& g) { return g.what.find(word) != std::string::npos; });
    return it == site.gaps.end() ? -1.0 : it->power_W;
  };
  CHECK(gap("drives go into a composite load") == 6e6);
  CHECK(gap("motors go into a load of their own") == 2e6);
  CHECK(gap("below 0.9 pu for longer than 10 s") == 50e6);
  CHECK(gap("below 57 Hz") == 50e6);
  CHECK(gap("departure 3 within 60 s") == 50e6);
  CHECK(gap("recharge") == Approx(5e6));
  CHECK(gap("stop their job") == Approx(20e6));
}

TEST_CASE("the straight return meets the sum of the units' ramps at one half and at 90 %") {
  for (const auto& [begin, spread, ramp] :
       {std::tuple{10.0, 5.0, 15.0}, {10.0, 5.0, 2.0}, {10.0, 4.0, 0.0}, {10.0, 0.0, 15.0}, {3.0, 1.0, 2.0}}) {
    INFO(spread << " " << ramp);
    const auto line = straight_return(begin, spread, ramp);
    const auto sum = [&](double t) {
      double share = 0.0;
      constexpr int n = 4000;
      for (int i = 0; i < n; ++i) {
        const double at = begin + spread * ((2.0 * i + 1.0) / n - 1.0);
        share += (ramp > 0.0 ? std::clamp((t - at) / ramp, 0.0, 1.0) : t > at ? 1.0 : 0.0) / n;
      }
      return share;
    };
    CHECK(sum(line.begin_s + 0.5 * line.length_s) == Approx(0.5).margin(2e-3));
    CHECK(sum(line.begin_s + 0.9 * line.length_s) == Approx(0.9).margin(2e-3));
  }
}
