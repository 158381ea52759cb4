#include "tidewatt/io/export_playback.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/text.hpp"
#include "wave.hpp"

using namespace tidewatt;
using namespace tidewatt::io;

TEST_CASE("CSV reads back to the same bits and leaves unknown cells empty") {
  const std::vector<double> a = {0.1, 1.0 / 3.0, NAN}, b = {1e300, -0.0, 2};
  const Column columns[] = {{"a_W", a}, {"b_W", b}};
  const auto lines = split(csv(10.0, 0.001, columns), '\n');
  CHECK(lines[0] == "time_s,a_W,b_W");
  CHECK(lines[2].substr(0, 7) == "10.001,");
  CHECK(std::stod(split(lines[2], ',')[1]) == 1.0 / 3.0);
  CHECK(split(lines[3], ',')[1].empty());
}

TEST_CASE("PSCAD takes time and at most ten channels, in its units") {
  const std::vector<double> p = {25e6, 26e6};
  const Column columns[] = {{"pcc_MW", p}};
  const double scale[] = {1e-6};
  CHECK(pscad_file_read(0.0, 0.001, columns, scale) == "! time_s pcc_MW\n0.000000 25\n0.001000 26\n");
  const std::vector<Column> many(11, columns[0]);
  const std::vector<double> scales(11, 1.0);
  CHECK_THROWS_AS(pscad_file_read(0.0, 0.001, many, scales), InputError);
}

TEST_CASE("a playback leaves out what a straight line gives, and nothing beyond its tolerance") {
  auto p = wave(20'000);
  std::vector<double> q(p.size(), 3e6);
  const double tolerance_W = 3e5;
  const auto text = psse_playback(0.0, 0.001, p, q, tolerance_W);
  std::vector<double> t, w;
  for (const auto& line : split(text, '\n'))
    if (!line.empty()) {
      const auto f = split(line, ',');
      t.push_back(std::stod(f[0]));
      w.push_back(std::stod(f[1]) * 1e6);
    }
  CHECK(t.size() < p.size() / 3);
  std::size_t k = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double at = 0.001 * static_cast<double>(i);
    while (k + 2 < t.size() && t[k + 1] < at - 1e-9) ++k;
    const double line = w[k] + (w[k + 1] - w[k]) * (at - t[k]) / (t[k + 1] - t[k]);
    REQUIRE(std::abs(line - p[i]) <= tolerance_W + 2.0);  // and the six digits of the text
  }
}

TEST_CASE("a pulsating load lists its lines as shares") {
  const auto text = psse_linjbl({101, "1", 5.0, 0.8, {0.15, 0.3}, {2e6, 1e6}, 20e6});
  CHECK(text.find("101, 'USRLOD', 1, 'LINJBL', 5, 0.8, 0.15, 0.1, 0.3, 0.05 /") != std::string::npos);
  CHECK_THROWS_AS(psse_linjbl({101, "1", 5.0, 0.8, {0.15}, {}, 20e6}), InputError);
}

TEST_CASE("the fit finds the block that made a response, and says when the response is another kind") {
  std::vector<double> v(60'000, 1.0);
  for (std::size_t i = 5000; i < 5200; ++i) v[i] = 0.4;
  const RideThroughBlock truth{0.7, 0.02, 0.8, 0.9, 10.0, 20.0, 1.0, 0, 0, 0};
  auto p = replay(truth, 0.001, v);
  for (auto& x : p) x *= 50e6;
  const auto b = fit_ride_through(0.001, v, p, 0.7, 0.9);
  CHECK(b.t_trip_s == Approx(0.02).margin(0.0021));
  CHECK(b.f_trip_frac == Approx(0.8));
  CHECK(b.t_return_s == Approx(10.0).margin(0.05));
  CHECK(b.t_ramp_s == Approx(20.0).epsilon(0.01));
  CHECK(b.f_back_frac == Approx(1.0));
  CHECK(b.rms_error_frac < 0.01);
  CHECK(b.r_squared > 0.999);
  CHECK(b.text().find("FTRIP = 0.8000") != std::string::npos);

  for (std::size_t i = 0; i < p.size(); ++i)  // a slow swing that the block does not have
    p[i] = 50e6 * (i > 5020 ? 0.5 + 0.4 * std::cos(0.001 * static_cast<double>(i)) : 1.0);
  CHECK(fit_ride_through(0.001, v, p, 0.7, 0.9).r_squared < 0.9);
  CHECK_THROWS_AS(fit_ride_through(0.001, std::vector<double>(10, 1.0), std::vector<double>(10, 1.0), 0.7, 0.9),
                  InputError);
}
