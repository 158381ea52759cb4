#include "grid/load_settings.hpp"

#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "tidewatt/base/reader.hpp"
#include "tidewatt/catalog/catalog.hpp"
#include "tidewatt/grid/ride_through.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

namespace {
std::vector<LoadSettings> read(const std::string& text, std::vector<Finding>& findings) {
  return read_load_settings(parse_toml(text, "mine.toml"), "mine", findings);
}

std::vector<LoadSettings> shipped(const std::string& name) {
  std::vector<Finding> findings;
  auto out = read_load_settings(catalog::Catalog().values("load_settings", name), name, findings);
  CHECK(findings.empty());
  return out;
}
}  // namespace

TEST_CASE("a spread becomes units at even thresholds and times, which carry the part's power together") {
  LoadSettings s;
  s.group.power_W = 64e6;
  s.group.voltage = {{0.85, 0.0, true, "low"}, {1.1, 0.0, false, "high"}};
  s.group.return_low_pu = 0.85;
  s.group.return_s = 10.0;
  CHECK(units_of(s).size() == 1);
  s.low_spread_pu = 0.05;
  s.return_spread_s = 5.0;
  const auto units = units_of(s);
  REQUIRE(units.size() == 32);
  double W = 0.0, low = 0.0, back = 0.0, both = 0.0;
  for (const auto& u : units) {
    W += u.power_W, low += u.voltage[0].limit / 32.0, back += u.return_s / 32.0;
    both += (u.voltage[0].limit - 0.85) * (u.return_s - 10.0);
    CHECK(u.voltage[1].limit == 1.1);
    CHECK(u.return_low_pu >= u.voltage[0].limit);
  }
  CHECK(W == Approx(64e6));
  CHECK(low == Approx(0.85));
  CHECK(back == Approx(10.0));
  CHECK(std::abs(both) <
        0.3 * 32 * 0.05 * 5.0 / 3.0);  // thresholds say little about times: equal order gives the whole
  CHECK(units.front().voltage[0].limit == Approx(0.85 - 0.05 * 31 / 32));
}

TEST_CASE("units that come back by themselves and those that do not are apart") {
  LoadSettings s;
  s.group.power_W = 10e6;
  s.returns_frac = 0.7;
  const auto units = units_of(s);
  REQUIRE(units.size() == 2);
  CHECK(units[0].power_W == Approx(7e6));
  CHECK(units[0].returns);
  CHECK_FALSE(units[1].returns);
}

TEST_CASE("shipped settings: parts of servers and plant share their powers, what they leave has none") {
  for (const char* name : {"ups_central", "ups_spread", "ups_mixed", "ups_counter"}) {
    INFO(name);
    const auto parts = with_power(shipped(name), 100e6, 20e6);
    double servers = 0.0, plant = 0.0;
    for (const auto& p : parts) (p.of_plant ? plant : servers) += p.group.power_W;
    CHECK(servers == Approx(100e6));
    CHECK(plant == Approx(16e6));
  }
  const auto counter = shipped("ups_counter");
  CHECK(std::count_if(counter.begin(), counter.end(), [](const auto& p) { return p.group.count_limit == 3; }) == 1);
}

TEST_CASE("settings that say what a curve with a return logic says give the same share at every sample") {
  // Sags and swells beyond every limit and time of the curves, far enough apart to come back; then three within a minute.
  std::vector<double> v(1000, 1.0);
  const auto add = [&](double level, double length_s, double after_s) {
    v.insert(v.end(), static_cast<std::size_t>(std::lround(1e3 * length_s)), level);
    v.insert(v.end(), static_cast<std::size_t>(std::lround(1e3 * after_s)), 1.0);
  };
  for (const double level : {0.45, 0.72, 0.78, 0.88, 1.15, 1.3})
    for (const double s : {0.01, 0.05, 0.2, 0.7, 2.0, 11.0}) add(level, s, 75.0);
  for (int k = 0; k < 3; ++k) add(0.3, 0.05, 15.0);
  struct Case {
    const char* settings;
    bool counts;
  };
  for (const Case& c : {Case{"own_supply", true}, Case{"ride_75pct_20ms", false}}) {
    CAPTURE(c.settings);
    std::vector<Finding> findings;
    const auto of_run = played_settings(shipped(c.settings), c.settings, findings);
    REQUIRE(findings.empty());
    const RideThrough site(of_run.curve, of_run.back, 60.0);
    RideThroughState state;
    std::vector<RideThroughEvent> events;
    std::vector<double> share(v.size());
    site.advance(v, {}, share, state, events);
    auto parts = with_power(shipped(c.settings), 100e6, 0.0);
    REQUIRE(parts.size() == 1);
    const LoadGroup groups[] = {parts[0].group};
    const auto played = play(groups, v, {}, 1e-3);
    CHECK(std::count(share.begin(), share.end(), 0.0) > 10'000);
    CHECK(played.groups[0].share_frac == share);
    CHECK(played.groups[0].locked == c.counts);
  }
}

TEST_CASE("what is wrong with a settings file is found all at once, with its key") {
  std::vector<Finding> findings;
  read(
      "[group.a]\nof = \"servers\"\nkind = \"supply\"\nshare_frac = 0.7\nlow_pu = [0.8, 0.7]\nlow_after_s = "
      "[0.1]\nreturn_s = 1\nreturn_spread_s = 2\nlow_spred_pu = 0.1\n[group.b]\nof = \"servers\"\nkind = "
      "\"motor\"\nshare_frac = 0.5\n",
      findings);
  std::string all;
  for (const auto& f : findings) all += f.text() + "\n";
  INFO(all);
  for (const char* word : {"2 limits and 1 times", "more than return_s", "low_spread_pu", "share 1.2 of its power"})
    CHECK(all.find(word) != std::string::npos);
  CHECK(findings.size() == 4);
}

TEST_CASE("a run uses one load part, with a battery; anything else is a finding") {
  const auto said = [](const char* text) {
    std::vector<Finding> findings;
    const auto settings = read(text, findings);
    REQUIRE(findings.empty());
    (void)played_settings(settings, "site.load_settings", findings);
    std::string all;
    for (const auto& f : findings) all += f.key + ": " + f.message + "\n";
    return all;
  };
  const std::string one =
      "[group.a]\nof = \"servers\"\nkind = \"supply\"\nlow_pu = [0.5, 0.9]\nlow_after_s = [0.02, 3]\n";
  CHECK(said((one + "share_frac = 1\n").c_str()).empty());
  CHECK(said((one + "share_frac = 0.5\n").c_str()).find("site.load_settings.group: a run plays one part") == 0);
  CHECK(said((one + "share_frac = 1\nbattery = false\nreturns_frac = 0\n").c_str()).find("group.a.battery") !=
        std::string::npos);
  std::vector<Finding> findings;
  const auto played = played_settings(
      read((one + "share_frac = 1\nlockout_count = 2\nlockout_window_s = 60\n").c_str(), findings), "mine", findings);
  CHECK(played.curve.low_pu == std::vector<double>{0.9, 0.5});  // shallow first
  // Without a voltage for its counter, departures count: the second within a minute keeps the load away.
  const RideThrough site(played.curve, played.back, 60.0);
  RideThroughState state;
  std::vector<RideThroughEvent> events;
  std::vector<double> v(40'000, 1.0), share(v.size());
  for (const std::size_t begin : {1'000u, 20'000u})
    std::fill_n(v.begin() + static_cast<std::ptrdiff_t>(begin), 100, 0.3);
  site.advance(v, {}, share, state, events);
  CHECK(share[19'000] == 1.0);
  CHECK(share.back() == 0.0);
  CHECK(state.now == Connection::latched);
  CHECK(events.back().why == "departures counted");
}
