#include "grid/record_check.hpp"

#include <cmath>
#include <numbers>

#include "catch.hpp"

using namespace tidewatt::grid;

namespace {

RuleBook one(RecordFigure figure, double window_s, double limit, double low_Hz = 0.0, double high_Hz = 0.0) {
  RuleBook b;
  b.rules.emplace_back();
  auto& r = b.rules[0];
  r.figure = figure, r.window_s = window_s, r.limit = limit, r.low_Hz = low_Hz, r.high_Hz = high_Hz,
  r.percentile = 75.0;
  return b;
}

std::vector<double> sine(double f_Hz, double peak_to_peak_W, double phase = 0.0, std::size_t n = 60'000) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i)
    x[i] = 200e6 + 0.5 * peak_to_peak_W * std::sin(2 * std::numbers::pi * f_Hz * 1e-3 * static_cast<double>(i) + phase);
  return x;
}

RecordOutcome judge(const RuleBook& b, const std::vector<double>& W, double peak_W = 320e6) {
  return check_record(b, {0.0, 1e-3, W, peak_W, {}})[0];
}

}  // namespace

TEST_CASE("V9: a sine of 1 Hz passes 10 MW in 5 s at 9.9 MW and fails at 10.1 MW, whatever its phase") {
  const auto rule = one(RecordFigure::peak_to_peak, 5.0, 10e6, 0.1, 55.0);
  for (const double phase : {0.0, 0.7, 1.6, 3.0, 4.5}) {
    CHECK(judge(rule, sine(1.0, 9.9e6, phase)).verdict == RecordVerdict::pass);
    CHECK(judge(rule, sine(1.0, 10.1e6, phase)).verdict == RecordVerdict::fail);
  }
}

TEST_CASE("a text without a filter: the verdict is undecided where it hangs on the filter, and only there") {
  auto rule = one(RecordFigure::peak_to_peak, 5.0, 10e6, 0.1, 55.0);
  rule.rules[0].filter_stated = false;
  CHECK(judge(rule, sine(1.0, 8e6)).verdict == RecordVerdict::pass);  // in the middle of the band all filters agree
  CHECK(judge(rule, sine(1.0, 12e6)).verdict == RecordVerdict::fail);
  // At the corner a Butterworth of any order passes 1/√2, and 1/2 in both directions.
  const auto o = judge(rule, sine(0.1, 17e6, 0.0, 200'000));
  CHECK(o.verdict == RecordVerdict::undecided);
  CHECK(o.high == Approx(17e6 / std::numbers::sqrt2).epsilon(0.02));
  CHECK(o.low == Approx(17e6 / 2).epsilon(0.02));
  rule.rules[0].filter_stated = true;
  CHECK(judge(rule, sine(0.1, 17e6, 0.0, 200'000)).verdict == RecordVerdict::fail);
}

TEST_CASE("V10: 25 MW at 23 Hz fail 10 MW in 0.1 to 55 Hz, 3.5 MW in 5 to 55 Hz and 0.5 % of a 320 MW site") {
  const auto x = sine(23.0, 25e6);
  CHECK(judge(one(RecordFigure::peak_to_peak, 5.0, 10e6, 0.1, 55.0), x).verdict == RecordVerdict::fail);
  CHECK(judge(one(RecordFigure::peak_to_peak, 0.2, 3.5e6, 5.0, 55.0), x).verdict == RecordVerdict::fail);
  auto share = one(RecordFigure::peak_to_peak, 10.0, 5e6, 0.1, 55.0);
  share.rules[0].limit_share = 0.005;
  const auto o = judge(share, x);
  CHECK(o.limit == Approx(1.6e6));
  CHECK(o.verdict == RecordVerdict::fail);
  CHECK(judge(one(RecordFigure::peak_to_peak, 10.0, 10e6, 0.1, 5.0), x).value < 0.1 * 25e6);  // outside its band
}

TEST_CASE("V8: 6 MW in 10 s fail 5 MW in any 15 s; 20 MW a minute depends on the window: 18 s pass, 17 s fail") {
  std::vector<double> x(120'000, 30e6);
  for (std::size_t i = 60'000; i < x.size(); ++i)
    x[i] = 30e6 + 6e6 * std::min(1.0, static_cast<double>(i - 60'000) / 10'000.0);
  CHECK(judge(one(RecordFigure::peak_to_peak, 15.0, 5e6), x).verdict == RecordVerdict::fail);
  CHECK(judge(one(RecordFigure::slope_up, 18.0, 20e6 / 60), x).verdict == RecordVerdict::pass);
  CHECK(judge(one(RecordFigure::slope_up, 17.0, 20e6 / 60), x).verdict == RecordVerdict::fail);
  CHECK(judge(one(RecordFigure::slope_down, 17.0, 20e6 / 60), x).value == 0.0);
}

TEST_CASE("a percentile of ramps takes adjacent means") {
  std::vector<double> x;
  for (const double W : {0.0, 1e6, 1e6, 4e6, 4e6}) x.insert(x.end(), 60'000, W);  // ramps 1, 0, 3, 0 MW a minute
  CHECK(judge(one(RecordFigure::ramp_percentile, 60.0, 20e6 / 60), x).value == Approx(1e6 / 60));
}

TEST_CASE("what the grid caused is not counted, and a gap makes no window") {
  std::vector<double> x(100'000, 10e6);
  for (std::size_t i = 50'000; i < 52'000; ++i) x[i] = 0.0;
  const auto rule = one(RecordFigure::peak_to_peak, 5.0, 1e6);
  CHECK(check_record(rule, {100.0, 1e-3, x, 10e6, {}})[0].verdict == RecordVerdict::fail);
  CHECK(check_record(rule, {100.0, 1e-3, x, 10e6, {}})[0].at_s == Approx(145.0).margin(0.01));
  CHECK(check_record(rule, {100.0, 1e-3, x, 10e6, {{149.9, 152.5}}})[0].verdict == RecordVerdict::pass);
  const auto none = check_record(rule, {100.0, 1e-3, x, 10e6, {{103.0, 198.0}}})[0];
  CHECK(none.verdict == RecordVerdict::not_measured);
  CHECK(none.note.find("5 s") != std::string::npos);
}

TEST_CASE("the band-pass takes a constant away and a tone inside through") {
  const auto y = band_pass(sine(2.0, 2e6), 1e-3, 0.1, 55.0, 4);
  double low = 0.0, high = 0.0;
  for (std::size_t i = 30'000; i < y.size(); ++i) low = std::min(low, y[i]), high = std::max(high, y[i]);
  CHECK(high - low == Approx(2e6).epsilon(0.01));
}

TEST_CASE("a record of exactly one window is judged, a shorter one says so") {
  std::vector<double> x(60'000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 30e6 + 1e3 * static_cast<double>(i);  // 60 MW a minute
  const auto o = judge(one(RecordFigure::slope_up, 60.0, 20e6 / 60), x);
  CHECK(o.verdict == RecordVerdict::fail);
  CHECK(o.value == Approx(1e6).epsilon(1e-12));
  x.pop_back();
  const auto none = judge(one(RecordFigure::slope_up, 60.0, 20e6 / 60), x);
  CHECK(none.verdict == RecordVerdict::not_measured);
  CHECK(none.note.find("not judged: record shorter than the window") == 0);
}
