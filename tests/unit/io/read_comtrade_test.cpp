#include "io/read_comtrade.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "catch.hpp"
#include "io/export_comtrade.hpp"
#include "sample_record.hpp"
#include "scratch_folder.hpp"
#include "shared_data.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::io;

namespace {

const ComtradeSeries& channel(const ComtradeRecord& r, const std::string& name) {
  const auto at = std::find_if(r.channels.begin(), r.channels.end(), [&](const auto& c) { return c.name == name; });
  REQUIRE(at != r.channels.end());
  return *at;
}

double rms(const std::vector<double>& x) {
  double sum = 0.0;
  for (const double v : x) sum += v * v;
  return std::sqrt(sum / static_cast<double>(x.size()));
}

}  // namespace

TEST_CASE("what the exporter writes comes back in every encoding") {
  const ScratchFolder scratch;
  const auto r = sample_record(500);
  for (const auto& [revision, encoding] : {std::pair{ComtradeRevision::r1999, ComtradeEncoding::ascii},
                                           {ComtradeRevision::r1999, ComtradeEncoding::binary},
                                           {ComtradeRevision::r2013, ComtradeEncoding::ascii},
                                           {ComtradeRevision::r2013, ComtradeEncoding::binary},
                                           {ComtradeRevision::r2013, ComtradeEncoding::float32}}) {
    write_export(scratch.file("x"), comtrade_files(r, revision, encoding), 1);
    const auto back = read_comtrade(
        scratch.file(revision == ComtradeRevision::r1999 ? "x/night run_sample.cfg" : "x/night run_sample.cff"));
    REQUIRE(back.time_s.size() == 500);
    CHECK(back.time_s[499] == Approx(0.499));
    CHECK(back.station == "night run");
    for (std::size_t i = 0; i < 500; i += 7)
      REQUIRE(channel(back, "pcc_P").values[i] == Approx(r.channels[0].values[i]).epsilon(1e-4));
    CHECK(sag_of(back).size() == 500);  // the channel in pu, as it is
  }
}

TEST_CASE("records of relays: many rates, none, stamps that are absent, headers that count wrongly") {
  const auto folder = shared_data("comtrade_records");
  if (!folder) {
    WARN("no comtrade_records in the shared data: left out");
    return;
  }
  const auto read = [&](const char* name) { return read_comtrade((*folder / name).string()); };
  const auto one = read("relay_1.cfg");
  CHECK(one.time_s.size() == 5316);
  CHECK(one.time_s.back() == Approx(2.209084).epsilon(0.002));
  CHECK(rms(channel(one, "UA").values) == Approx(60.20).margin(0.01));
  CHECK(*std::max_element(channel(one, "UA").values.begin(), channel(one, "UA").values.end()) ==
        Approx(114.23).margin(0.01));
  const auto three = read("relay_3.cfg");
  CHECK(three.time_s.size() == 1360);
  CHECK(three.time_s.back() == Approx(1.698295).margin(0.01));
  CHECK(read("relay_4.cfg").time_s.size() == 2400);
  CHECK(rms(channel(read("relay_4.cfg"), "U21").values) == Approx(2112.3).margin(0.1));
  CHECK(read("relay_5.cfg").time_s.size() == 202);
  CHECK(read("sample_ascii.cfg").time_s.size() == 40);
  const auto sag = sag_of(one);
  CHECK(sag.size() > 2000);
  CHECK(*std::min_element(sag.begin(), sag.end()) < 0.9);
}

TEST_CASE("three phases give the lowest rms over a cycle, over what it was at the start") {
  ComtradeRecord r;
  r.line_Hz = 50.0;
  for (int i = 0; i < 4000; ++i) r.time_s.push_back(i * 2.5e-4);
  for (int phase = 0; phase < 3; ++phase) {
    ComtradeSeries c{"U", "", "kV", {}};
    for (const double t : r.time_s)
      c.values.push_back((phase == 1 && t > 0.5 && t < 0.7 ? 0.4 : 1.0) * 10.0 *
                         std::sin(2 * std::numbers::pi * (50.0 * t - phase / 3.0)));
    r.channels.push_back(c);
  }
  const auto v = sag_of(r);
  CHECK(v[300] == Approx(1.0).margin(0.01));
  CHECK(v[600] == Approx(0.4).margin(0.01));
  CHECK(v[800] == Approx(1.0).margin(0.01));
  r.channels.clear();
  CHECK_THROWS_AS(sag_of(r), InputError);
}

TEST_CASE("a sag of sines has its own depth at any sampling rate, and begins when it begins") {
  for (const double rate_Hz : {1920.0, 3840.0, 4800.0, 4801.3})
    for (const double depth_pu : {0.803, 0.5, 0.05}) {
      ComtradeRecord r;
      r.line_Hz = 60.0;
      ComtradeSeries c{"U", "", "V", {}};
      for (int i = 0; i < static_cast<int>(1.5 * rate_Hz); ++i) {
        const double t = i / rate_Hz;
        r.time_s.push_back(t);
        c.values.push_back((t >= 0.5 && t < 1.1 ? depth_pu : 1.0) * 8.0e4 * std::sin(2 * std::numbers::pi * 60.0 * t));
      }
      c.values[30] = std::numeric_limits<double>::quiet_NaN();  // one missing sample is no sag
      r.channels.push_back(c);
      const auto v = sag_of(r);
      CHECK(v.size() == Approx(1500).margin(1));
      CHECK(*std::min_element(v.begin(), v.end()) == Approx(depth_pu).margin(2e-3));
      CHECK(v[800] == Approx(depth_pu).margin(2e-3));
      for (std::size_t ms = 0; ms <= 499; ++ms) CHECK(v[ms] == Approx(1.0).margin(5e-3));  // nothing before it begins
      CHECK(v[508] == Approx(std::sqrt(0.52 + 0.48 * depth_pu * depth_pu)).margin(0.02));  // 8 of 16.7 ms
      CHECK(v[518] == Approx(depth_pu).margin(5e-3));
    }
}

TEST_CASE("what is no record is refused with its line") {
  const ScratchFolder scratch;
  std::ofstream(scratch.file("a.cfg")) << "x,y,1999\n1,1A,0D\n1,UA,,,V,one,0,0,0,1,1,1,P\n";
  try {
    read_comtrade(scratch.file("a.cfg"));
    FAIL("no error");
  } catch (const InputError& e) {
    CHECK(std::string(e.what()).find("'one' is not a number") != std::string::npos);
    CHECK(e.findings()[0].place.line == 3);
  }
  CHECK_THROWS_AS(read_comtrade(scratch.file("none.cfg")), InputError);
}
