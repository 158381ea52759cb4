#include "grid/order_metering.hpp"

#include <cmath>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

namespace {

/// 10 MW, an order of 7 MW from 3600 s to 5400 s.
const MeteredOrder order{3600.0, 5400.0, 900.0, 7e6};

/// Two hours of means over 1 s from a function of time.
template <class F>
MeterRecord record(F f) {
  MeterRecord r{0.0, 1.0, {}};
  for (int s = 0; s < 9000; ++s) r.mean_W.push_back(f(static_cast<double>(s) + 0.5));
  return r;
}

bool during(double t) { return t > 3600.0 && t < 5400.0; }

}  // namespace

TEST_CASE("swings above the limit within an interval do not count, their mean does") {
  // 5 or 8.8 MW each half of ten seconds: 6.9 MW in the mean, the largest second far above the order.
  const auto a =
      judge_order(record([](double t) { return during(t) ? (std::fmod(t, 10.0) < 5.0 ? 5e6 : 8.8e6) : 10e6; }), order);
  CHECK(a.baseline_W == Approx(10e6));
  for (const auto& s : a.settlements) {
    CHECK(s.met());
    CHECK(s.worst_W == Approx(6.9e6));
    CHECK(s.given_frac == Approx(3.1 / 3.0));
  }
  CHECK(a.settlements[0].n == 6);
  CHECK(a.settlements[1].n == 2);
  CHECK(a.asked_frac == Approx(0.3));
  CHECK(a.given_frac == Approx(0.31));
  CHECK(a.given_J - a.asked_J == Approx(0.1e6 * 1800.0));
}

TEST_CASE("five minutes too many spoil one short interval, and the long one if the rest does not make up for it") {
  const auto late = [](double slow_W, double rest_W) {
    return record([=](double t) { return !during(t) ? 10e6 : t < 3900.0 ? slow_W : rest_W; });
  };
  const auto a = judge_order(late(10e6, 5e6), order);
  CHECK(a.settlements[0].n_over == 1);
  CHECK(a.settlements[0].over_J == Approx(3e6 * 300.0));
  CHECK(a.settlements[1].met());  // (10 + 5 + 5)/3 = 6.67 MW
  CHECK(a.response_s == 300.0);
  const auto b = judge_order(late(10e6, 6e6), order);
  CHECK(b.settlements[1].n_over == 1);  // 7.33 MW
  CHECK(b.settlements[1].worst_at_s == 3600.0);
}

TEST_CASE("intervals are those of the clock: a run that begins at seven past has none that only touch the order") {
  OrderMetering how;
  how.clock_s = 7.0 * 60.0;
  const auto a = judge_order(record([](double t) { return during(t) ? 6e6 : 10e6; }), order, how);
  CHECK(a.settlements[0].n == 5);  // 68 to 97 minutes past: 70 to 95
  CHECK(a.settlements[1].n == 1);  // 75 to 90
  CHECK(a.settlements[1].worst_at_s == Approx((75.0 - 7.0) * 60.0));
}

TEST_CASE("an order is met by the intervals that it holds, and not judged without one") {
  const auto r = record([](double t) { return during(t) ? (t < 3900.0 ? 10e6 : 5e6) : 10e6; });
  const auto settled = settle_order(r, order);
  CHECK(verdict(settled) == OrderVerdict::not_met);
  CHECK(short_W(settled, order.limit_W) == Approx(3e6));
  CHECK(settled[0].n_over == judge_order(r, order).settlements[0].n_over);
  CHECK(std::isnan(settled[0].given_frac));
  // Ten minutes hold no quarter of an hour: the two intervals of five minutes decide.
  const MeteredOrder brief{3900.0, 4500.0, 300.0, 7e6};
  CHECK(settle_order(r, brief)[1].n == 0);
  CHECK(verdict(settle_order(r, brief)) == OrderVerdict::met);
  CHECK(verdict(settle_order(r, {3900.0, 4100.0, 300.0, 7e6})) == OrderVerdict::not_judged);
  // What the record does not hold is left out.
  CHECK(settle_order(r, {8700.0, 9900.0, 300.0, 7e6})[0].n == 1);
}

TEST_CASE("rebound: what is above the baseline behind the order, its energy, and when it is back") {
  const auto a =
      judge_order(record([](double t) { return during(t)                  ? 6e6
                                               : t > 5400.0 && t < 6300.0 ? 11e6
                                                                          : 10e6; }), order);
  CHECK(a.rebound_W == Approx(1e6));
  CHECK(a.rebound_J == Approx(1e6 * 900.0));
  CHECK(a.back_s == 960.0);
}

TEST_CASE("the baseline is before the notice: a load that falls early is not its own excuse") {
  const auto a = judge_order(record([](double t) { return t < 2700.0 ? 10e6 : 6e6; }), order);
  CHECK(a.baseline_W == Approx(10e6));
  CHECK(a.response_s == 0.0);
}

TEST_CASE("a record that does not hold the order is refused") {
  auto r = record([](double) { return 1e6; });
  CHECK_THROWS_AS(judge_order(r, {8000.0, 9100.0, 0.0, 1e6}), InputError);
  CHECK_THROWS_AS(judge_order(r, {600.0, 1200.0, 600.0, 1e6}), InputError);
  CHECK(std::isnan(r.over_W(8999.0, 9001.0)));
}
