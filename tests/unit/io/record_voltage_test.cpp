#include "io/record_voltage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include "catch.hpp"
#include "shared_data.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::io;

namespace {

using Course = std::function<double(double)>;  // pu at a time in s

/// A record of 1.5 s; its channels are added one by one.
struct Made {
  ComtradeRecord r;
  double rate_Hz;
  explicit Made(double line_Hz = 50.0, double rate = 1600.0) : rate_Hz(rate) {
    r.line_Hz = line_Hz;
    for (int i = 0; i < static_cast<int>(1.5 * rate); ++i) r.time_s.push_back(i / rate);
  }
  Made& values(const std::string& name, const std::string& unit, const Course& value, const std::string& phase = "") {
    ComtradeSeries c{name, phase, unit, {}};
    for (const double t : r.time_s) c.values.push_back(value(t));
    r.channels.push_back(std::move(c));
    return *this;
  }
  /// A sine of 100 times a course, with its phase by the channel's position.
  Made& wave(const std::string& name, const Course& pu, const std::string& unit = "kV", double Hz = 0.0) {
    const double turn = static_cast<double>(r.channels.size()) / 3.0, f = Hz > 0.0 ? Hz : r.line_Hz;
    return values(name, unit,
                  [=](double t) { return 100.0 * pu(t) * std::sin(2 * std::numbers::pi * (f * t - turn)); });
  }
  const RecordVoltage& judged(const std::string& name, RecordVoltages& out) const {
    const auto at =
        std::find_if(out.channels.begin(), out.channels.end(), [&](const auto& c) { return c.name == name; });
    REQUIRE(at != out.channels.end());
    return *at;
  }
  std::string why_not(const std::string& name) const {
    auto v = voltages_of(r);
    return judged(name, v).why_not;
  }
};

double lowest(const std::vector<double>& v) { return *std::min_element(v.begin(), v.end()); }
double one(double) { return 1.0; }
/// A sag from 0.5 to 0.6 s.
Course sag(double depth_pu) {
  return [=](double t) { return t >= 0.5 && t < 0.6 ? depth_pu : 1.0; };
}

}  // namespace

TEST_CASE("every voltage is looked at, bus by bus, each against its own value before the fault") {
  const Made m = Made()
                     .wave("VA_L1", one)
                     .wave("VB_L1", one)
                     .wave("VC_L1", one)
                     .wave("VA_BUS", one)
                     .wave("VB_BUS", sag(0.3))
                     .wave("VC_BUS", sag(0.8));
  const auto v = voltages_of(m.r);
  REQUIRE(v.buses.size() == 2);
  CHECK(v.buses[1].channels == std::vector<std::size_t>{3, 4, 5});
  CHECK(lowest(v.buses[0].v_pu) == Approx(1.0).margin(0.01));
  CHECK(lowest(v.buses[1].v_pu) == Approx(0.3).margin(0.01));
  CHECK(v.channels[4].reference == Approx(100.0 / std::sqrt(2.0)).epsilon(0.005));
  CHECK(v.buses[1].v_pu[700] == Approx(1.0).margin(0.01));
}

TEST_CASE("buses are found in any order of channels and with any names") {
  const auto sizes = [](const std::vector<std::string>& names) {
    Made m;
    for (const auto& n : names) m.wave(n, one);
    std::vector<std::size_t> out;
    for (const auto& b : voltages_of(m.r).buses) out.push_back(b.channels.size());
    return out;
  };
  CHECK(sizes({"VA 1", "VA 2", "VB 1", "VB 2", "VC 1", "VC 2"}) == std::vector<std::size_t>{3, 3});
  CHECK(sizes({"F5-VA", "F6-VB", "F7-VC"}) == std::vector<std::size_t>{3});
  CHECK(sizes({"UL1", "UL2", "UL3", "UL1", "UL2", "UL3"}) == std::vector<std::size_t>{3, 3});
  CHECK(sizes({"U", "U", "U"}) == std::vector<std::size_t>{3});
  CHECK(sizes({"Vx", "VA", "VB", "VC", "Bus_U"}) == std::vector<std::size_t>{1, 3, 1});
}

TEST_CASE("dc, noise, neutrals and dead inputs are no references, and say why") {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  const Made m = Made()
                     .values("VDC", "V", [](double t) { return 125.0 + 0.5 * std::sin(628.0 * t); })
                     .wave("VA", one)
                     .wave("VB", one)
                     .wave("VC", sag(0.2))
                     .values("VN", "V", [](double t) { return 0.01 * std::sin(314.159 * t); })
                     .values("spare 7", "V", [](double) { return 0.0; })
                     .values("spare 8", "V", [&](double) { return normal(random); })
                     .values("IA", "A", one);
  auto v = voltages_of(m.r);
  CHECK(v.channels.size() == 7);
  CHECK_THAT(m.judged("VDC", v).why_not, Catch::Contains("dc"));
  CHECK_THAT(m.judged("VN", v).why_not, Catch::Contains("neutral"));
  CHECK_THAT(m.judged("spare 7", v).why_not, Catch::Contains("no voltage"));
  CHECK_THAT(m.judged("spare 8", v).why_not, Catch::Contains("noise"));
  for (const char* name : {"VDC", "VN", "spare 7", "spare 8"}) CHECK_FALSE(m.judged(name, v).live);
  CHECK(lowest(m.judged("VC", v).v_pu) == Approx(0.2).margin(0.01));
  CHECK_THROWS_WITH(voltages_of(Made().values("IA", "A", one).r),
                    Catch::Contains("holds no voltage") && Catch::Contains("IA [A]"));
}

TEST_CASE("a start that is no whole voltage is no reference") {
  const auto from = [](double low, double until) { return [=](double t) { return t < until ? low : 1.0; }; };
  CHECK_THAT(Made().wave("VA", from(0.4, 0.1)).why_not("VA"), Catch::Contains("no pre-fault part: it rises to 2.5"));
  CHECK_THAT(Made().wave("VA", from(0.4, 0.03)).why_not("VA"), Catch::Contains("no pre-fault part: it changes"));
  CHECK_THAT(Made().wave("VA", from(0.0, 0.3)).why_not("VA"), Catch::Contains("no voltage in its first"));
  CHECK_THAT(Made().wave("VA", one).wave("VB", one).wave("VC", [](double) { return 0.5; }).why_not("VC"),
             Catch::Contains("0.5 of the bus's highest phase"));
  CHECK_THAT(Made().wave("VA", one, "kV", 60.0).why_not("VA"), Catch::Contains("about 60 Hz, the header says 50 Hz"));
  for (const double Hz : {25.0, 80.0, 100.0})
    CHECK_THAT(Made().wave("VA", one, "kV", Hz).why_not("VA"), Catch::Contains(fmt::format("about {:g} Hz", Hz)));
  for (const double Hz : {47.0, 48.0, 52.0}) CHECK(Made().wave("VA", one, "kV", Hz).why_not("VA").empty());
  Made unknown;
  unknown.wave("VA", one), unknown.r.line_Hz = 0.0;
  CHECK_THAT(unknown.why_not("VA"), Catch::Contains("no line frequency"));
  auto r = Made().wave("VA", sag(0.5)).r;
  for (std::size_t i = 900; i < 950; ++i) r.channels[0].values[i] = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(voltages_of(r).channels[0].why_not, Catch::Contains("no samples from"));
  Made brief;
  brief.wave("VA", one), brief.r.time_s.resize(60), brief.r.channels[0].values.resize(60);
  CHECK_THAT(brief.why_not("VA"), Catch::Contains("shorter than the 2 cycles"));
  // Energised later: it has a voltage, so the record is not one of a sag alone.
  auto late = voltages_of(Made().wave("VA", from(0.0, 0.3)).r);
  CHECK(late.channels[0].live);
}

TEST_CASE("healthy phases that rise in a fault to ground keep their reference") {
  const auto to = [](double pu, double until) { return [=](double t) { return t >= 0.5 && t < until ? pu : 1.0; }; };
  for (const double until : {0.8, 2.0}) {
    const Made m = Made().wave("VA", to(0.0, until)).wave("VB", to(1.73, until)).wave("VC", to(1.73, until));
    for (const char* name : {"VA", "VB", "VC"}) CHECK(m.why_not(name).empty());
  }
}

TEST_CASE("values in pu are taken as they are, magnitudes over their own start") {
  const Made m = Made(60.0, 1000.0)
                     .values("bus_V", "pu", sag(0.5))
                     .values("load_P", "pu", [](double) { return 0.1; })
                     .values("SRC Vag Mag", "kV", [](double t) { return 115.0 * sag(0.7)(t); });
  const auto v = voltages_of(m.r);
  REQUIRE(v.channels.size() == 2);
  CHECK(lowest(v.channels[0].v_pu) == 0.5);
  CHECK(v.channels[0].reference == 1.0);
  CHECK(lowest(v.channels[1].v_pu) == Approx(0.7));
  CHECK(v.channels[1].reference == Approx(115.0));
  // A wave in pu is a wave.
  CHECK(lowest(voltages_of(Made().wave("VA", sag(0.4), "pu").r).channels[0].v_pu) == Approx(0.4).margin(0.01));
}

TEST_CASE("one channel is chosen by name or number") {
  const Made m = Made().wave("VA", one).wave("vb", sag(0.6)).values("IA", "A", one).wave("VA", sag(0.1));
  const auto v = voltages_of(m.r, "VB");
  CHECK(v.channels.size() == 1);
  CHECK(lowest(v.buses.at(0).v_pu) == Approx(0.6).margin(0.01));
  CHECK(lowest(voltages_of(m.r, "4").buses.at(0).v_pu) == Approx(0.1).margin(0.01));
  CHECK_THROWS_WITH(voltages_of(m.r, "VA"), Catch::Contains("2 channels; give its number, 1 or 4"));
  CHECK_THROWS_WITH(voltages_of(m.r, "VX"), Catch::Contains("it has VA, vb, IA, VA"));
  CHECK_THROWS_WITH(voltages_of(m.r, "IA"), Catch::Contains("'IA' is in A: no voltage"));
}

TEST_CASE("a sag of sines has its own depth at any sampling rate, and begins when it begins") {
  for (const double rate_Hz : {1920.0, 3840.0, 4800.0, 4801.3})
    for (const double depth_pu : {0.803, 0.5, 0.05}) {
      auto r = Made(60.0, rate_Hz).wave("U", [=](double t) { return t >= 0.5 && t < 1.1 ? depth_pu : 1.0; }, "V").r;
      r.channels[0].values[30] = std::numeric_limits<double>::quiet_NaN();  // one missing sample is no sag
      const auto v = voltages_of(r).buses.at(0).v_pu;
      CHECK(v.size() == Approx(1500).margin(1));
      CHECK(lowest(v) == Approx(depth_pu).margin(2e-3));
      CHECK(v[800] == Approx(depth_pu).margin(2e-3));
      for (std::size_t ms = 0; ms <= 499; ++ms) CHECK(v[ms] == Approx(1.0).margin(5e-3));  // nothing before it begins
      CHECK(v[508] == Approx(std::sqrt(0.52 + 0.48 * depth_pu * depth_pu)).margin(0.02));  // 8 of 16.7 ms
      CHECK(v[518] == Approx(depth_pu).margin(5e-3));
    }
}

TEST_CASE("a relay's record has the sag that it had") {
  const auto folder = shared_data("comtrade_records");
  if (!folder) {
    WARN("no comtrade_records in the shared data: left out");
    return;
  }
  const auto v = voltages_of(read_comtrade((*folder / "relay_1.cfg").string()));
  REQUIRE(v.buses.size() == 1);
  CHECK(v.buses[0].v_pu.size() > 2000);
  CHECK(lowest(v.buses[0].v_pu) < 0.9);
}
