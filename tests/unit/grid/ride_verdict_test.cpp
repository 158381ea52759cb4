#include "grid/ride_verdict.hpp"

#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

namespace {

RuleBook texas() {
  RuleBook b;
  b.name = "texas";
  RideRule r;
  const auto band = [&](double low, double high, BandDuty duty, double s, bool holds_low = true,
                        bool holds_high = false) { r.voltage.push_back({low, high, holds_low, holds_high, duty, s}); };
  band(0.0, 0.2, BandDuty::timed, 0.15), band(0.2, 0.5, BandDuty::timed, 0.25), band(0.5, 0.8, BandDuty::timed, 0.5),
      band(0.8, 0.9, BandDuty::timed, 2.0);
  band(0.9, 1.1, BandDuty::continuous, 0.0, true, true), band(1.1, 1.2, BandDuty::timed, 2.0, false, true);
  band(1.2, INFINITY, BandDuty::may_trip, 0.0, false, false);
  r.frequency = {{0.0, 57.0, true, false, BandDuty::may_trip, 0.0},
                 {57.0, 58.8, true, false, BandDuty::timed, 299.0},
                 {58.8, 61.2, true, true, BandDuty::continuous, 0.0},
                 {61.2, 61.8, false, true, BandDuty::timed, 299.0},
                 {61.8, INFINITY, false, false, BandDuty::may_trip, 0.0}};
  r.recovery_frac = 0.9, r.recovery_s = 2.0, r.current_ratio = 1.25, r.counters_allowed = false;
  b.ride = r;
  return b;
}

LoadGroup itic() {
  LoadGroup g;
  g.name = "servers", g.power_W = 100e6;
  g.voltage = {{0.9, 10.0, true, "low_pu"},
               {0.8, 0.5, true, "low_pu"},
               {0.7, 0.02, true, "low_pu"},
               {1.1, 10.0, false, "high_pu"},
               {1.2, 0.5, false, "high_pu"}};
  g.returns = false;
  return g;
}

const RideItem& item(const RideVerdict& v, const std::string& name) {
  return *std::find_if(v.items.begin(), v.items.end(), [&](const auto& i) { return i.name == name; });
}

}  // namespace

TEST_CASE(
    "ITIC-only servers leave below 0.70 pu past 20 ms and stay from 0.71 pu up; current decides apart from that") {
  const auto rule = texas();
  auto g = itic();
  const auto at = [&](double pu, double s) {
    const LoadGroup groups[] = {g};
    return play_point(*rule.ride, groups, 60.0, pu, s, false);
  };
  CHECK(at(0.69, 0.02).left_W == 0.0);
  CHECK(at(0.69, 0.021).left_W == 100e6);
  CHECK(at(0.71, 0.5).left_W == 0.0);
  CHECK(at(0.75, 0.5).current_ratio > 1.25);
  CHECK(at(0.80, 0.5).current_ratio == Approx(1.25));
  g.current_ratio = 1.25;
  CHECK(at(0.71, 0.5).current_ratio == Approx(1.25));
  const LoadGroup groups[] = {g};
  const auto v = judge_ride(rule, groups, 60.0);
  CHECK(v.fails());
  CHECK(item(v, "staying connected").answer == RideAnswer::fail);
  CHECK(item(v, "staying connected").why.find("change low_pu") != std::string::npos);
  CHECK(item(v, "current").answer == RideAnswer::pass);
  CHECK(v.voltage[2].answer == RideAnswer::fail);  // 0.5 to 0.8 pu
  CHECK(v.voltage[3].answer == RideAnswer::pass);
}

TEST_CASE("a supply that transfers in a 60 ms sag fails; one that stays and limits its current passes") {
  LoadGroup g;
  g.name = "ups", g.power_W = 100e6;
  g.voltage = {{0.85, 0.0, true, "site.ups.low_pu (0.85)"}};
  g.return_s = 10.0, g.ramp_s = 15.0;
  g.current_ratio = 1.25;
  const LoadGroup leaves[] = {g};
  const auto v = judge_ride(texas(), leaves, 60.0);
  CHECK(v.text() == "fail");
  CHECK(item(v, "recovery").answer == RideAnswer::fail);
  CHECK(item(v, "staying connected").why.find("site.ups.low_pu (0.85)") != std::string::npos);
  CHECK(play_point(*texas().ride, leaves, 60.0, 0.5, 0.06, false).recovery_s == Approx(10.0 + 0.9 * 15.0).margin(0.01));
  g.voltage.clear();
  const LoadGroup stays[] = {g};
  // Without settings for frequency its bands are counted and not judged.
  const auto open = judge_ride(texas(), stays, 60.0);
  CHECK(open.text() == "passes what could be judged: 7 of 12 bands");
  for (const auto& b : open.frequency) CHECK(b.answer == RideAnswer::not_judged);
  g.frequency = {{50.0, 1.0, true, "low_Hz"}};
  const LoadGroup states[] = {g};
  CHECK(judge_ride(texas(), states, 60.0).text() == "pass");
  g.count_limit = 3, g.count_setting = "counter";
  const LoadGroup counts[] = {g};
  CHECK(item(judge_ride(texas(), counts, 60.0), "counters").answer == RideAnswer::fail);
}

TEST_CASE("a band without a figure never makes a pass") {
  auto rule = texas();
  rule.ride->voltage[1].duty = BandDuty::not_read;
  LoadGroup g;
  g.name = "ups", g.power_W = 1e6, g.current_ratio = 1.25;
  const LoadGroup groups[] = {g};
  CHECK(judge_ride(rule, groups, 60.0).text() == "passes what could be judged: 6 of 12 bands");
  for (auto& b : rule.ride->voltage) b.duty = BandDuty::not_read;
  CHECK(judge_ride(rule, groups, 60.0).text().starts_with("not judged"));
  rule.ride.reset();
  CHECK_THROWS_AS(judge_ride(rule, groups, 60.0), InputError);
}

TEST_CASE(
    "V5 and V6: 0.60 pu is must-stay for 0.49 s and may trip at 0.51 s; recovery is measured from the voltage's "
    "return") {
  LoadGroup g;
  g.name = "site", g.power_W = 100e6;
  g.voltage = {{0.7, 0.5, true, "low"}};
  g.return_s = 1.9;
  const LoadGroup groups[] = {g};
  const auto rule = texas();
  const auto sag = [&](double s) {
    std::vector<double> v(5000, 1.0);
    for (std::size_t i = 1000; i < 1000 + static_cast<std::size_t>(std::lround(s * 1e3)); ++i) v[i] = 0.6;
    return judge_record(*rule.ride, groups, v, 1e-3);
  };
  CHECK(sag(0.49).why == "nothing leaves");
  CHECK(sag(0.51).answer == RideAnswer::pass);
  CHECK(sag(0.51).why.find("allowed by then") != std::string::npos);
  g.voltage[0].after_s = 0.4;
  const LoadGroup early[] = {g};
  std::vector<double> v(5000, 1.0);
  std::fill(v.begin() + 1000, v.begin() + 1450, 0.6);
  CHECK(judge_record(*rule.ride, early, v, 1e-3).answer == RideAnswer::fail);
  CHECK(play_point(*rule.ride, groups, 60.0, 0.6, 0.6, false).recovery_s == Approx(1.9).margin(0.003));
}

TEST_CASE("bands in sags of one and two phases: per phase behind the transformer, judged where the rule counts them",
          "[long]") {
  // Single-phase units that leave below 0.6 pu. One phase at h is h behind wye-wye and sqrt(h^2 + h + 1)/sqrt(3), 0.577
  // at least, behind delta-wye; with two phases at h the third side is h there, too.
  LoadGroup g;
  g.name = "servers", g.power_W = 90e6, g.per_phase = true;
  g.voltage = {{0.6, 0.0, true, "low_pu"}};
  const LoadGroup groups[] = {g};
  auto book = texas();
  const auto bands = [&](Transformer t, std::int64_t n_phase) {
    auto v = judge_ride(book, groups, 60.0, t).unbalanced;
    std::erase_if(v, [&](const BandAnswer& a) { return a.n_phase != n_phase; });
    REQUIRE(v.size() == 5);  // the five that reach below nominal
    return v;
  };
  book.ride->unbalanced = SagCount::lowest_phase;
  for (const auto& a : bands(Transformer::wye_wye, 1)) {
    const bool leaves = a.band.low < 0.6;
    CHECK(a.answer == (leaves ? RideAnswer::fail : RideAnswer::pass));
    CHECK(a.points[a.worst].left_W == Approx(leaves ? 30e6 : 0.0));
  }
  const auto delta = bands(Transformer::delta_wye, 1);
  CHECK(delta[0].points[delta[0].worst].left_W == Approx(60e6));  // 0 pu: two sides at 0.577
  CHECK(delta[1].answer == RideAnswer::pass);                     // 0.2 pu: 0.643
  const auto two = bands(Transformer::delta_wye, 2);
  CHECK(two[0].points[two[0].worst].left_W == Approx(90e6));  // sides at 0.577, 0 and 0.577
  CHECK(two[2].points[two[2].worst].left_W == Approx(30e6));  // 0.5 pu: one side at 0.5, two at 0.764
  const auto judged = judge_ride(book, groups, 60.0, Transformer::wye_wye);
  CHECK(item(judged, "unbalanced sags").answer == RideAnswer::fail);
  CHECK(item(judged, "unbalanced sags").why.find("on 1 of 3 phases") == std::string::npos);  // two phases lose more
  CHECK(judged.n_band == 12 + 10);
  CHECK(judge_ride(book, groups, 60.0).n_band == 12 + 10);  // counted by the rule, but not played
  CHECK(item(judge_ride(book, groups, 60.0), "unbalanced sags").answer == RideAnswer::not_judged);
  // What the rule does not say is played and told, never judged.
  book.ride->unbalanced = SagCount::not_read;
  const auto open = judge_ride(book, groups, 60.0, Transformer::wye_wye);
  for (const auto& a : open.unbalanced) CHECK(a.answer == RideAnswer::not_judged);
  CHECK(item(open, "unbalanced sags").answer == RideAnswer::not_judged);
  CHECK(item(open, "unbalanced sags").why.find("60 MW") != std::string::npos);
  CHECK(open.n_band == 12 + 10);
  CHECK(judge_ride(book, groups, 60.0).n_band == 12);
}

TEST_CASE("a late recovery names the part of the load that comes back last, not the one that left first") {
  LoadGroup servers, motors;
  servers.name = "servers", servers.power_W = 90e6, servers.return_s = 0.5, servers.ramp_s = 0.5;
  servers.voltage = {{0.9, 0.0, true, "servers.low_pu"}};
  motors.name = "motors", motors.power_W = 20e6, motors.return_s = 30.0, motors.ramp_s = 1.0;
  motors.voltage = {{0.8, 0.03, true, "motors.low_pu"}};
  const LoadGroup groups[] = {servers, motors};
  const auto p = play_point(*texas().ride, groups, 60.0, 0.5, 0.1, false);
  CHECK(p.group == "servers");
  CHECK(p.late_group == "motors");
  CHECK(p.late_setting == "motors.low_pu");
  CHECK(item(judge_ride(texas(), groups, 60.0), "recovery").why.find("motors last, left by motors.low_pu") !=
        std::string::npos);
}

TEST_CASE("recovery is not judged by a band that was not read") {
  auto rule = texas();
  rule.ride->voltage = {{0.0, INFINITY, true, false, BandDuty::not_read, 0.0}};
  const LoadGroup groups[] = {itic()};
  CHECK(item(judge_ride(rule, groups, 60.0), "recovery").answer == RideAnswer::not_judged);
  CHECK(judge_ride(rule, groups, 60.0).text().find("not judged") == 0);
  CHECK(item(judge_ride(texas(), groups, 60.0), "recovery").answer == RideAnswer::fail);
}

TEST_CASE(
    "six sags of 50 ms every 16.4 s: a counter of three in a minute takes the load at the third and keeps it away") {
  LoadGroup g;
  g.name = "supplies", g.power_W = 100e6;
  g.voltage = {{0.5, 0.15, true, "low_pu"}};
  g.return_s = 1.0;
  g.count_limit = 3, g.count_window_s = 60.0, g.count_below_pu = 0.7;
  const auto sags = [&](std::int64_t n, double every_s) {
    const LoadGroup groups[] = {g};
    return play_point(*texas().ride, groups, 60.0, 0.3, 0.05, false, {n, every_s});
  };
  CHECK(sags(2, 16.4).left_W == 0.0);
  const auto six = sags(6, 16.4);
  CHECK(six.left_in == 3);
  CHECK(six.left_after_s == Approx(2 * 16.4));
  CHECK(six.away_W == Approx(100e6));
  CHECK(sags(6, 31.0).left_W == 0.0);  // never three in a minute
  CHECK_THROWS_AS(sags(2, 0.05), InputError);
  // Once is as ever.
  CHECK(sags(1, 0.0).left_W == 0.0);
}
