#include "tidewatt/grid/ride_through.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/grid/frequency.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

namespace {
RideThroughCurve itic() { return {{0.9, 0.8, 0.7}, {10, 0.5, 0.02}, {1.1}, {1.0}, {59.0}, {2.0}, {61.0}, {0.0}}; }
ReturnParams three_in_a_minute() { return {0.7, 3, 60.0, 0.9, 1.1, 1.0, 2.0}; }

struct Ran {
  std::vector<double> share;
  std::vector<RideThroughEvent> events;
  RideThroughState state;
};

Ran run(const RideThrough& r, const std::vector<double>& v, const std::vector<double>& Hz = {}) {
  Ran out;
  out.share.resize(v.size());
  r.advance(v, Hz, out.share, out.state, out.events);
  return out;
}

std::vector<double> with_sag(std::size_t n, std::size_t at, std::size_t length, double depth_pu) {
  std::vector<double> v(n, 1.0);
  for (std::size_t i = at; i < at + length; ++i) v[i] = depth_pu;
  return v;
}
}  // namespace

TEST_CASE("a limit is ridden for exactly its time and left one bin later") {
  ReturnParams never = three_in_a_minute();
  never.count_limit = 0;
  const RideThrough r(itic(), never, 60.0);
  CHECK(run(r, with_sag(2000, 500, 20, 0.0)).events.empty());  // 20 ms at nothing
  const Ran out = run(r, with_sag(2000, 500, 21, 0.0));
  REQUIRE(!out.events.empty());
  CHECK(out.events[0].bin == 520);
  CHECK(out.events[0].to == Connection::away);
  CHECK(out.events[0].why == "voltage low");
  CHECK(out.share[519] == 1.0);
  CHECK(out.share[520] == 0.0);
  CHECK(run(r, with_sag(2000, 500, 500, 0.75)).events.empty());
  CHECK(run(r, with_sag(2000, 500, 501, 0.75)).events.size() == 1);  // 1 s healthy has not passed
}

TEST_CASE("it returns after the healthy time along its ramp; frequency limits count, too") {
  ReturnParams p = three_in_a_minute();
  const RideThrough r(itic(), p, 60.0);
  const Ran out = run(r, with_sag(6000, 100, 100, 0.0));
  REQUIRE(out.events.size() == 3);
  CHECK(out.events[0].bin == 120);
  CHECK(out.events[1].bin == 200 + 1000);  // healthy for more than 1 s
  CHECK(out.events[1].to == Connection::returning);
  CHECK(out.events[2].to == Connection::connected);
  CHECK(out.events[2].bin == 1200 + 1999);
  CHECK(out.share[2199] == Approx(0.5).epsilon(1e-9));
  const std::vector<double> level(200, 1.0);
  std::vector<double> Hz(200, 0.0);
  Hz[100] = 1.01;
  const Ran high = run(r, level, Hz);
  REQUIRE(!high.events.empty());
  CHECK(high.events[0].bin == 100);
  CHECK(high.events[0].why == "frequency high");
}

TEST_CASE("six sags of 42 to 66 ms in 82 s: the first two are ridden, the third transfers, it stays away") {
  RideThroughCurve deep{{0.2}, {0.5}, {}, {}, {}, {}, {}, {}};  // own supplies carry sags of this length
  const RideThrough r(deep, three_in_a_minute(), 60.0);
  std::vector<double> v(600'000, 1.0);
  const std::size_t begin[] = {1000, 15'000, 30'000, 48'000, 66'000, 82'000}, length[] = {42, 50, 66, 45, 60, 55};
  for (int k = 0; k < 6; ++k)
    for (std::size_t i = 0; i < length[k]; ++i) v[begin[k] + i] = 0.3;
  Ran out = run(r, v);
  REQUIRE(out.events.size() == 1);
  CHECK(out.events[0].bin == 30'000);
  CHECK(out.events[0].to == Connection::latched);
  CHECK(out.share[29'999] == 1.0);
  CHECK(out.share.back() == 0.0);
  r.manual_return(out.state, out.events);
  CHECK(out.state.now == Connection::returning);

  // spread over more than a minute each three: nobody transfers
  std::vector<double> slow(400'000, 1.0);
  for (std::size_t k = 0; k < 6; ++k)
    for (std::size_t i = 0; i < 50; ++i) slow[1000 + 31'000 * k + i] = 0.3;
  CHECK(run(r, slow).events.empty());
}

TEST_CASE("sags take 1,500 MW from a large system, which rises, settles by its droop and comes back with the load") {
  const RideThroughCurve deep{{0.2}, {0.5}, {}, {}, {}, {}, {}, {}};
  const RideThrough r(deep, three_in_a_minute(), 60.0);
  std::vector<double> v(150'000, 1.0);
  for (const std::size_t begin : {1000u, 17'000u, 34'000u, 50'000u, 67'000u, 82'950u})
    for (std::size_t i = 0; i < 50; ++i) v[begin + i] = 0.3;
  Ran out = run(r, v);
  r.manual_return(out.state, out.events);
  const std::vector<double> healthy(60'000, 1.0);
  std::vector<double> back(healthy.size());
  r.advance(healthy, {}, back, out.state, out.events);
  out.share.insert(out.share.end(), back.begin(), back.end());
  std::vector<double> load_W(out.share.size()), deviation_Hz(out.share.size());
  for (std::size_t i = 0; i < load_W.size(); ++i) load_W[i] = 1500e6 * out.share[i];
  const Frequency system({60.0, 500e9, 4.0, 1.0, 0.3, 0.2, 0.3, 7.0, 0.3});
  auto state = system.start(1500e6);
  FrequencyMeters m;
  system.advance(load_W, deviation_Hz, state, m);
  CHECK(deviation_Hz[33'999] == Approx(0.0).margin(1e-12));  // two sags ridden: the grid noticed nothing
  CHECK(m.highest_Hz == Approx(system.first_turn(-1500e6).deviation_Hz).epsilon(1e-5));
  CHECK(m.highest_Hz > 0.03);
  CHECK(m.highest_Hz < 0.07);  // 60.047 Hz was reported
  CHECK(deviation_Hz[149'999] ==
        Approx(60.0 * (1500e6 / 500e9) / (1.0 + 1.0 / 0.3)).epsilon(1e-3));  // f0 ΔP/S/(D + 1/R)
  CHECK(std::abs(deviation_Hz.back()) < 1e-4);
}

TEST_CASE("the same whatever the chunks, and from a copied state") {
  const RideThrough r(itic(), three_in_a_minute(), 60.0);
  const auto v = with_sag(5000, 100, 100, 0.5);
  const Ran whole = run(r, v);
  RideThroughState state;
  std::vector<double> share(v.size());
  std::vector<RideThroughEvent> events;
  for (std::size_t at = 0; at < v.size(); at += 37) {
    const std::size_t n = std::min<std::size_t>(37, v.size() - at);
    RideThroughState copy = state;
    r.advance(std::span(v).subspan(at, n), {}, std::span(share).subspan(at, n), copy, events);
    state = copy;
  }
  CHECK(share == whole.share);
  CHECK(state == whole.state);
}

TEST_CASE("a counter of twenty latches at the twentieth sag") {
  ReturnParams p = three_in_a_minute();
  p.count_limit = 20;
  std::vector<double> v(30'000, 1.0);
  for (std::size_t k = 0; k < 21; ++k) v[1000 + 1000 * k] = 0.5;
  const Ran out = run(RideThrough({}, p, 60.0), v);
  REQUIRE(out.events.size() == 1);
  CHECK(out.events[0].to == Connection::latched);
  CHECK(out.events[0].bin == 20'000);
}

TEST_CASE("curves that do not fit are refused") {
  RideThroughCurve c = itic();
  c.low_s.pop_back();
  CHECK_THROWS_AS(RideThrough(c, three_in_a_minute(), 60.0), InputError);
  c = itic();
  std::swap(c.low_pu[0], c.low_pu[2]);
  CHECK_THROWS_AS(RideThrough(c, three_in_a_minute(), 60.0), InputError);
}
