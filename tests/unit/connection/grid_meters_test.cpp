#include "connection/grid_meters.hpp"

#include <cmath>

#include "catch.hpp"
#include "connection/site_stream.hpp"
#include "square.hpp"

using namespace tidewatt;
using namespace tidewatt::connection;

namespace {

SiteStream::Params site() {
  SiteStream::Params p;
  for (auto& level : p.feeder.level) {
    level.n_branch = 1;
    level.rating_VA = 40e6;
    level.load_loss_W = 200e3;
    level.reactance_pu = 0.08;
  }
  p.source = {138e3, 2e9, 15, 1.02};
  p.frequency = {60, 60e9, 5, 1, 0.08, 0.2, 0.3, 7, 0.3};
  return p;
}

}  // namespace

TEST_CASE("repetitions booked in closed form measure what every bin measures") {
  auto booked = site(), seen = site();
  seen.closed_form = false;
  SiteStream a(booked, 10e6, 0), b(seen, 10e6, 0);
  const auto load = square(8e6, 17e6, 3'234'567'891, 2'100'000'000);  // no whole number of milliseconds
  const std::int64_t n = 700;                                         // 38 minutes: three windows of flicker
  for (auto* s : {&a, &b}) {
    for (std::int64_t done = 0; done < n; done += 100) {
      s->append(0, load, 100, true);
      s->flush(load.period * (done + 100) / ns_per_ms * ns_per_ms, 0);
    }
    s->finish();
  }
  REQUIRE(a.repeated_bins() > 1'000'000);
  CHECK(b.repeated_bins() == 0);
  for (std::size_t lamp = 0; lamp < 2; ++lamp) {
    REQUIRE(a.meters().bus().flicker(lamp).windows().size() == 3);
    for (std::size_t w = 1; w < 3; ++w)
      CHECK(a.meters().bus().flicker(lamp).windows()[w].P_st ==
            Approx(b.meters().bus().flicker(lamp).windows()[w].P_st).epsilon(0.01));
  }
  const auto x = a.meters().load().bands(), y = b.meters().load().bands();
  for (std::size_t k = 0; k < x.size(); ++k) CHECK(x[k].rms_W == Approx(y[k].rms_W).epsilon(0.005));
  const auto r = a.meters().load().ramps(), s = b.meters().load().ramps();
  REQUIRE(r.size() == 6);
  for (std::size_t k = 0; k < r.size(); ++k)
    CHECK(r[k].up_W_per_s == Approx(s[k].up_W_per_s).epsilon(0.02).margin(100));
  double cycles_a = 0, cycles_b = 0;
  for (const auto& c : a.meters().load().cycles()) cycles_a += c.count;
  for (const auto& c : b.meters().load().cycles()) cycles_b += c.count;
  CHECK(cycles_a == Approx(cycles_b).epsilon(0.01));
  CHECK(cycles_b == Approx(static_cast<double>(n)).margin(2));
}

TEST_CASE("pauses, rests and moving cooling power between known repetitions measure what every bin measures") {
  auto booked = site(), seen = site();
  seen.closed_form = false;
  SiteStream a(booked, 10e6, 0.5e6), b(seen, 10e6, 0.5e6);
  const auto load = square(8e6, 17e6, 3'234'567'891, 2'100'000'000);
  for (auto* s : {&a, &b}) {
    Tick until = 0;
    const auto add = [&](const LoadTemplate& l, std::int64_t n, bool iterating) {
      s->append(0, l, n, iterating);
      until += l.period * n;
    };
    for (int round = 0; round < 4; ++round) {
      for (int pause = 0; pause < 5; ++pause) {
        add(load, 60, true);
        add(square(6e6, 6e6, 3 * ns_per_s, ns_per_s), 1, false);
        s->flush(until / ns_per_ms * ns_per_ms, 0.5e6);
      }
      for (const double W : {3e6, 5e6, 4e6}) add(square(W, W, ns_per_s, ns_per_s / 2), 60, false);
      s->flush(until / ns_per_ms * ns_per_ms, 0.3e6);  // moves evenly to there, and back
      add(load, 20, true);
      s->flush(until / ns_per_ms * ns_per_ms, 0.5e6);
    }
    s->finish();
  }
  CHECK(b.repeated_bins() == 0);
  CHECK(a.repeated_bins() > 3'800'000);  // of 4.93 million
  CHECK(a.feeder_meters().load_J.value() == Approx(b.feeder_meters().load_J.value()).epsilon(1e-13));
  CHECK(a.connection_J() == Approx(b.connection_J()).epsilon(1e-6));
  CHECK(a.max_W() == Approx(b.max_W()).epsilon(1e-12));
  CHECK(a.min_W() == Approx(b.min_W()).epsilon(1e-12));
  CHECK(a.step_1s_W() == Approx(b.step_1s_W()).epsilon(1e-3));
  CHECK(a.grid().frequency_deviation_Hz() == Approx(b.grid().frequency_deviation_Hz()).epsilon(1e-3));
  const auto r = a.meters().load().ramps(), q = b.meters().load().ramps();
  for (std::size_t k = 0; k < r.size(); ++k) {
    INFO(r[k].window_s);
    CHECK(r[k].up_W_per_s == Approx(q[k].up_W_per_s).epsilon(1e-3));
    CHECK(r[k].down_W_per_s == Approx(q[k].down_W_per_s).epsilon(1e-3));
  }
  const auto x = a.meters().load().bands(), y = b.meters().load().bands();
  for (std::size_t k = 0; k < x.size(); ++k) {
    CHECK(x[k].rms_W == Approx(y[k].rms_W).epsilon(0.005));
    CHECK(x[k].peak_W == Approx(y[k].peak_W).epsilon(0.005));
  }
  for (std::size_t lamp = 0; lamp < 2; ++lamp) {
    const auto &v = a.meters().bus().flicker(lamp).windows(), &w = b.meters().bus().flicker(lamp).windows();
    REQUIRE(v.size() == w.size());
    REQUIRE(v.size() >= 8);
    for (std::size_t k = 0; k < v.size(); ++k) CHECK(v[k].P_st == Approx(w[k].P_st).epsilon(0.01));
  }
  double cycles_a = 0, cycles_b = 0;
  for (const auto& c : a.meters().load().cycles()) cycles_a += c.count;
  for (const auto& c : b.meters().load().cycles()) cycles_b += c.count;
  CHECK(cycles_a == Approx(cycles_b).epsilon(0.01));
}

TEST_CASE("the spectrum sees every bin of repetitions that the other meters book") {
  auto params = site();
  params.meters.rules.emplace_back().rules = {{"line", "", grid::Metric::line_share, 0, 0.1, 20, 0.2}};
  auto slow = params;
  slow.closed_form = false;
  SiteStream fast(params, 7e6, 0), each(slow, 7e6, 0);
  for (auto* s : {&fast, &each}) {
    s->append(0, square(4e6, 4e6, 10 * ns_per_s, ns_per_s), 1, false);
    s->append(0, square(5e6, 15e6, 3'210'987'653, 1'987'654'321), 100, true);
    for (Tick t = 100; t <= 300; t += 100) s->flush(t * ns_per_s, 0.7e6);
    s->finish();
  }
  CHECK(each.repeated_bins() == 0);
  CHECK(fast.repeated_bins() > 200'000);  // long before the spectrum's five minutes end
  REQUIRE(each.spectrum().n_segment == 7);
  CHECK(fast.spectrum().n_segment == 7);
  CHECK(fast.spectrum().psd == each.spectrum().psd);
  const auto a = fast.meters().figures(0, -1), b = each.meters().figures(0, -1);
  CHECK(a.bands.back().line_share_frac.value > 0.2);
  CHECK(a.bands.back().line_share_frac.value == b.bands.back().line_share_frac.value);
}

TEST_CASE("a rule's own window and band are measured, and the verdict follows from them") {
  GridMeterParams p;
  grid::RuleSet set;
  set.rules = {{"up", "", grid::Metric::ramp_up, 2.0, 0, 0, 1e6},
               {"band", "", grid::Metric::band_rms, 0, 0.3, 0.8, 1e5},
               {"line", "", grid::Metric::line_share, 0, 0.1, 20, 0.2},
               {"lost", "", grid::Metric::load_lost, 0, 0, 0, 1e6}};
  p.rules = {set};
  GridMeters m(p);
  constexpr double line_Hz = 33 * 1000.0 / 65536;  // on a bin of the spectrum; nearly half a hertz
  std::vector<double> W(1000), v(1000, 1.0), f(1000, 0.0);
  for (std::int64_t bin = 0; bin < 400'000; bin += 1000) {
    for (std::size_t i = 0; i < 1000; ++i)
      W[i] = 10e6 + 1e6 * std::sin(2 * 3.14159265358979 * line_Hz *
                                   static_cast<double>(bin + static_cast<std::int64_t>(i)) * 1e-3);
    m.push(bin, W, v, f);
  }
  const auto report = m.reports(std::nan(""), -1).front();
  // Means over a whole period do not ramp.
  CHECK(report.outcomes[0].figure.value < 1e4);
  CHECK(report.outcomes[0].verdict == grid::Compliance::pass);
  CHECK(report.outcomes[1].figure.value == Approx(1e6 / std::sqrt(2.0)).epsilon(0.03));
  CHECK(report.outcomes[1].verdict == grid::Compliance::fail);
  CHECK(report.outcomes[2].figure.value == Approx(1.0).epsilon(0.02));  // one sine is the whole band
  CHECK(report.outcomes[3].verdict == grid::Compliance::not_measured);
  CHECK(report.verdict() == grid::Compliance::fail);
}

TEST_CASE("what happens before the measured part leaves no trace") {
  GridMeterParams p;
  p.from_bin = 5000;
  GridMeters m(p);
  std::vector<double> W(5000, 1e6), v(5000, 0.8), f(5000, -0.5);
  m.push(0, W, v, f);
  std::fill(W.begin(), W.end(), 2e6);
  std::fill(v.begin(), v.end(), 1.0);
  std::fill(f.begin(), f.end(), 0.0);
  m.push(5000, W, v, f);
  const auto out = m.figures(std::nan(""), -1);
  CHECK(out.range_W.value == 0.0);
  CHECK(out.voltage_low_pu.value == 1.0);
  CHECK(m.bus().voltage().below().count == 0);
}
