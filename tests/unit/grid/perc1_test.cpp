#include "grid/perc1.hpp"

#include <algorithm>
#include <cmath>

#include "catch.hpp"

using namespace tidewatt::grid;

namespace {

std::vector<double> sag(double level, double at_s, double length_s, double until_s, double step_s) {
  std::vector<double> v(static_cast<std::size_t>(std::lround(until_s / step_s)), 1.0);
  std::fill(v.begin() + std::lround(at_s / step_s), v.begin() + std::lround((at_s + length_s) / step_s), level);
  return v;
}

double first_s(const std::vector<double>& x, double from_s, double step_s, bool (*is)(double)) {
  const auto begin = x.begin() + std::lround(from_s / step_s);
  return static_cast<double>(std::find_if(begin, x.end(), is) - begin) * step_s;
}

}  // namespace

TEST_CASE("the base of 125 MW at a loading of 0.8 is 156.25 MVA, and a loading below 0.001 is read as 0.8") {
  Perc1Params p;
  CHECK(perc1_base_VA(p, 125e6) == Approx(156.25e6));
  p.Lfm = 0.0;
  CHECK(perc1_base_VA(p, 125e6) == Approx(156.25e6));
}

TEST_CASE("the check row: the share falls to 0.4, is 0.55 half way back and 0.7 at the end") {
  Perc1Params p;
  p.Fcease = 0.6, p.Vcease = 0.9, p.Tcease = 0.02, p.Tdelay = 0.01, p.Vrecon = 0.95, p.Trecon = 0.02, p.Tramp = 0.04,
  p.Frecon = 0.5, p.Tv = 0.0;
  const auto t = play_perc1(p, sag(0.8, 0.1, 0.2, 0.6, 0.01), 0.01);
  CHECK(t.FracOn[9] == 1.0);
  CHECK(t.FracOn[20] == Approx(0.4));
  const auto ramp = std::find_if(t.FracOn.begin() + 30, t.FracOn.end(), [](double f) { return f > 0.4 + 1e-9; });
  CHECK(*(ramp + 1) == Approx(0.55));
  CHECK(t.FracOn.back() == Approx(0.7));
}

TEST_CASE(
    "V7: the defaults cease 35 ms into 0.3 pu; the ramp begins 61 ms after it, 90 % are back at 0.96 s, all at 1.06 "
    "s") {
  const double step_s = 1e-4;
  const auto t = play_perc1({}, sag(0.3, 0.5, 0.1, 3.0, step_s), step_s);
  CHECK(first_s(t.FracOn, 0.5, step_s, [](double f) { return f < 0.5; }) == Approx(0.035).margin(0.001));
  CHECK(first_s(t.FracOn, 0.6, step_s, [](double f) { return f > 1e-6; }) == Approx(0.061).margin(0.001));
  CHECK(first_s(t.FracOn, 0.6, step_s, [](double f) { return f >= 0.9; }) == Approx(0.96).margin(0.003));
  CHECK(first_s(t.FracOn, 0.6, step_s, [](double f) { return f >= 1.0 - 1e-9; }) == Approx(1.06).margin(0.003));
}

TEST_CASE("current is limited before the share acts, and a new sag on the ramp begins anew") {
  Perc1Params p;
  p.Ipmax = 1.0;
  p.Vcease = 0.1, p.Vrecon = 0.2, p.Tt = 0.0;
  const auto t = play_perc1(p, sag(0.5, 0.1, 0.5, 1.0, 1e-3), 1e-3);
  CHECK(t.P_ratio[300] == Approx(0.5 / 0.8));  // 1.25 times the current before
  Perc1Params q;
  auto v = sag(0.3, 0.1, 0.1, 3.0, 1e-3);
  std::fill(v.begin() + 700, v.begin() + 800, 0.3);
  const auto again = play_perc1(q, v, 1e-3);
  CHECK(again.FracOn[690] > 0.3);
  CHECK(again.FracOn[790] == 0.0);
}

TEST_CASE("a record has 30 values in the order of the loader's example") {
  Perc1Params p;
  p.Frecon = 1.0, p.Tramp = 1.0;
  CHECK(perc1_record(5, "1", p) ==
        "5 'PERC1' '1 ' 0.8 0.66 0 0 0 0 0.1 0 0.1 0 0 0 0 0 1 1 0 0.66 -0.66 1 0.5 0.01 0 0.6 0.05 1 1 0.02 0.02 0.02 "
        "/\n");
  CHECK(perc1_names().size() == p.values().size());
  CHECK(perc1_names()[20] == "Vcease");
}
