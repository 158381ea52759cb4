#include "io/export_record.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "catch.hpp"
#include "sample_record.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::io;

namespace {

Waveform window(std::size_t n = 10'000) {
  Waveform w{"sample", 30.0, 1e-3, wave(n), wave(n), std::vector<double>(n, 1.0), std::vector<double>(n, 50.0)};
  return w;
}
const ResultOrigin origin{"r", "1", "2024-07-20 00:00:00", "", "", "", {}};

double sum(const std::vector<double>& x) { return std::accumulate(x.begin(), x.end(), 0.0); }

}  // namespace

TEST_CASE("without a step every sample is there, in MW, from the time that the run says") {
  const auto w = window();
  const auto r = make_export_record(w, origin, {});
  REQUIRE(r.n_sample() == w.pcc_W.size());
  for (std::size_t i = 0; i < r.n_sample(); i += 37) REQUIRE(r.channels[0].values[i] == w.pcc_W[i] * 1e-6);
  CHECK(comtrade_stamp(r.start_unix_us) == "20/07/2024,00:00:30.000000");
  CHECK(r.line_Hz == 50.0);
  CHECK(r.trigger_s == 0.0);
  CHECK(sample_record().trigger_s == 1.5);
}

TEST_CASE("means keep the energy of the part that was cut out") {
  const auto w = window();
  const auto r = make_export_record(w, origin, {31.0, 5.0, 0.25, false});
  CHECK(r.n_sample() == 20);
  CHECK(r.first_s == Approx(31.0));
  double own_J = 0.0;
  for (std::size_t i = 1000; i < 6000; ++i) own_J += w.pcc_W[i] * 1e-3;
  CHECK(sum(r.channels[0].values) * 1e6 * r.step_s == Approx(own_J).epsilon(1e-12));
}

TEST_CASE("peaks keep the extremes of each step in the order in which they occur, and say what is lost") {
  auto w = window(1000);
  w.pcc_W.assign(1000, 5e6);
  w.pcc_W[120] = 9e6, w.pcc_W[130] = 1e6;  // high before low
  w.pcc_W[210] = 2e6, w.pcc_W[290] = 8e6;  // low before high
  const auto r = make_export_record(w, origin, {{}, {}, 0.1, true});
  const auto& p = r.channels[0].values;
  REQUIRE(p.size() == 20);
  CHECK(r.step_s == Approx(0.05));
  CHECK((p[2] == 9.0 && p[3] == 1.0));
  CHECK((p[4] == 2.0 && p[5] == 8.0));
  CHECK(std::any_of(r.provenance.begin(), r.provenance.end(),
                    [](const auto& l) { return l.find("RMS and energy are not kept") != std::string::npos; }));
}

TEST_CASE("a cut that the window cannot give is refused with what it holds") {
  const auto w = window();
  for (const ExportCut& cut :
       {ExportCut{29.0, {}, 0, false}, ExportCut{40.0, {}, 0, false}, ExportCut{{}, 10.5, 0, false},
        ExportCut{{}, 0.0, 0, false}, ExportCut{{}, {}, 0.0005, false}, ExportCut{{}, {}, 0.3, false},
        ExportCut{{}, {}, 0, true}, ExportCut{30.0004, {}, 0, false}, ExportCut{{}, {}, -1.0, false}})
    CHECK_THROWS_AS(make_export_record(w, origin, cut), InputError);
  auto broken = w;
  broken.bus_pu[5] = NAN;
  CHECK_THROWS_AS(make_export_record(broken, origin, {}), InputError);
  CHECK_NOTHROW(make_export_record(broken, origin, {31.0, {}, 0, false}));
}

TEST_CASE("a start that is no time is refused") {
  CHECK(parse_start_us("1970-01-02T00:00:01") == 86'401'000'000);
  for (const char* text : {"2024-02-30T00:00:00", "2024-07-20", "2024-07-20T24:00:00", "soon"})
    CHECK_THROWS_AS(parse_start_us(text), InputError);
}
