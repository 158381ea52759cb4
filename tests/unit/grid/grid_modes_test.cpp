#include "grid/grid_modes.hpp"

#include "grid/grid_stepper.hpp"
#include "network_case.hpp"
#include "supply_case.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

TEST_CASE("one machine at an infinite bus swings as the closed form says") {
  // Two buses, 0.25 + 0.3 pu between the machine's voltage and the infinite bus, H 4 s: s² + (D + P)/(2H) s + ω0 K/(2H) = 0. The shaft
  // gives constant power P = 0.5, so that its torque falls as speed rises.
  const auto s = system_of(two_buses(50), "1 'GENCLS' 1 0 0 /\n2 'GENCLS' 1 4 2 /");
  const auto modes = LinearGrid(s).modes();
  const auto& y = s.rest();
  // K = E V cos δ/X between the internal voltage and the bus that does not move.
  const double K = y.x[5] * std::abs(y.v[0]) * std::cos(y.x[3] - std::arg(y.v[0])) / (0.25 + 0.3 + 1e-6);
  const double omega = std::sqrt(6.283185307179586 * 60.0 * K / 8.0), sigma = (2.0 + 0.5) / 16.0;
  const auto swing = std::find_if(modes.begin(), modes.end(), [](const auto& m) { return m.frequency_Hz > 0.1; });
  REQUIRE(swing != modes.end());
  CHECK(swing->s.real() == Approx(-sigma).epsilon(1e-4));
  CHECK(std::abs(swing->s) == Approx(omega).epsilon(1e-4));
  CHECK(swing->parts.size() == 5);
  CHECK(swing->parts[0].share_frac + swing->parts[1].share_frac == Approx(1.0).epsilon(1e-3));  // angle and speed
}

TEST_CASE("the rightmost mode comes first, and one angle is free") {
  const auto s = shipped_network("ieee39", 20);
  const auto modes = LinearGrid(s).modes();
  for (std::size_t k = 1; k < modes.size(); ++k) CHECK(modes[k - 1].s.real() >= modes[k].s.real());
  CHECK(std::count_if(modes.begin(), modes.end(), [](const auto& m) { return std::abs(m.s) < 1e-3; }) ==
        1);  // the common angle
}

TEST_CASE("supplies at an infinite bus have the same modes alone and in a network") {
  // Bus 2 hangs on an infinite bus by 0.3 pu of 100 MVA; alone, the same reactance is in front of the supplies.
  const SiteSupplies site{shipped_supplies(), 100e6, 50e6, 0.0, 1.7};
  const std::string raw =
      "0, 100.0, 33, 0, 0, 60.0 / one bus\n\n\n1, 'A', 230.0, 3, 1, 1, 1, 1.0, 0.0\n0 / loads\n0 / shunts\n0 / "
      "generators\n1, '1', 0.0, 0.0, 999, -999, 1.0, 0, 100000.0, 0.0, 0.000001, 0.0, 0.0, 1.0, 1\n"
      "0 / branches\n0 / transformers\n0\n0\n0\n0\n0\n0\n0\n0\n0\n0\n0\n0\n0\nQ\n";
  SiteSupplies behind = site;
  behind.impedance_pu = std::complex<double>(0.03, 0.3);
  const GridSystem s(parse_raw(raw, "one.raw"), parse_dyr("1 'GENCLS' 1 0 0 /", "one.dyr"), 1, {}, ShaftInput::power,
                     behind);
  SupplyLoad alone(site.control, behind.impedance_pu, 60.0, site.gain_ratio);
  std::vector<double> x(alone.states().size());
  alone.rest(1.0, -alone.drawn_pu(1.0, 0.5), x);
  const auto own = unit_modes(alone, x, 1.0);
  std::vector<GridMode> network;
  for (const auto& m : LinearGrid(s).modes())
    if (std::abs(m.s) > 1e-3) network.push_back(m);
  REQUIRE(network.size() == own.size());
  for (std::size_t k = 0; k < own.size(); ++k) CHECK(std::abs(network[k].s - own[k].s) < 1e-3 * std::abs(own[k].s));
}

TEST_CASE("supplies in a network: what decays or grows in time is what their mode says") {
  const auto rate = [](double gain) {
    auto s = network_with_supplies("kundur_two_area", 7, {shipped_supplies(), 100e6, 80e6, {0.03, 0.3}, gain});
    double mode = 0.0;
    for (const auto& m : LinearGrid(s).modes())
      if (m.frequency_Hz > 10.0 && m.frequency_Hz < 40.0) {
        mode = m.s.real();
        break;
      }
    // The link of the last unit after a step of 1e-4 of the load, by the implicit rule.
    GridStepper stepper;
    GridState y = s.rest();
    std::vector<double> f(y.x.size()), link;
    s.set_site(1e4);
    for (int i = 0; i < 2000; ++i) {
      s.rates(y, f);
      stepper.step(s, y, f, 5e-4, 5e-4 * i);
      if (i > 400 && i % 8 == 0) link.push_back(y.x[y.x.size() - 3] - s.rest().x[y.x.size() - 3]);
    }
    // Its mean drifts with the machines: only what is fast counts.
    std::vector<double> fast;
    for (std::size_t i = 1; i < link.size(); ++i) fast.push_back(link[i] - link[i - 1]);
    return std::pair(mode, ring_down(fast, 4e-3));
  };
  const auto [mode, ring] = rate(3.5);
  CHECK(ring.frequency_Hz > 10.0);
  CHECK(mode > 0.5);
  CHECK(ring.s.real() == Approx(mode).epsilon(0.05));
}

TEST_CASE("modes of Kundur's two areas with controls: one between the areas, one in each") {
  const auto s = shipped_network("kundur_two_area", 7);
  const auto of_rotor = [](const std::string& state) {
    return state.find("speed") != std::string::npos || state.find("angle") != std::string::npos;
  };
  std::vector<double> Hz;
  for (const auto& m : LinearGrid(s).modes())
    if (m.frequency_Hz > 0.3 && m.frequency_Hz < 2.0 && of_rotor(m.parts[0].state)) Hz.push_back(m.frequency_Hz);
  std::sort(Hz.begin(), Hz.end());
  REQUIRE(Hz.size() >= 3);
  CHECK(Hz.front() > 0.4);
  CHECK(Hz.front() < 0.8);
  CHECK(Hz.back() > 0.9);
  CHECK(Hz.back() < 1.6);
}

namespace {
/// Electromechanical modes of a shipped network as ANDES has them: shafts driven by torque.
std::vector<GridMode> swings(const GridSystem& s) {
  auto modes = LinearGrid(s).modes();
  std::erase_if(modes,
                [](const GridMode& m) { return m.frequency_Hz < 0.3 || m.frequency_Hz > 2.0 || m.damping_frac > 0.5; });
  std::sort(modes.begin(), modes.end(), [](const auto& a, const auto& b) { return a.frequency_Hz < b.frequency_Hz; });
  return modes;
}
}  // namespace

TEST_CASE("modes do not depend on how narrow the stabilisers' limits are") {
  // At rest no stabiliser is at a limit. Those of ieee39 have much gain: some states reach the limit within 1e-6.
  const std::string stem = std::string(TIDEWATT_SOURCE_DIR) + "/scenarios/networks/ieee39";
  const auto with_limit = [&](const std::string& limit) {
    auto records = read_dyr(stem + ".dyr");
    for (auto& r : records)
      if (r.model == "IEEEST") r.values.at(15) = limit, r.values.at(16) = "-" + limit;
    return swings(GridSystem(read_raw(stem + ".raw"), records, 20, {}, ShaftInput::power));
  };
  const auto wide = with_limit("10"), narrow = with_limit("0.01");
  REQUIRE(wide.size() == narrow.size());
  for (std::size_t k = 0; k < wide.size(); ++k) CHECK(std::abs(wide[k].s - narrow[k].s) < 1e-4 * std::abs(wide[k].s));
}

TEST_CASE("the slowest swing of each shipped network rings down as its mode says") {
  // Figures of ANDES 2.0.0 with the same files: matrix pencil of its speeds after a loss of 10.6 MW.
  struct Ring {
    const char* name;
    std::int64_t bus;
    double frequency_Hz, damping_frac;
  };
  for (const Ring& ring : {Ring{"kundur_two_area", 7, 0.6325, 0.1845}, Ring{"ieee39", 20, 0.6407, 0.0579}}) {
    CAPTURE(ring.name);
    const auto s = shipped_network(ring.name, ring.bus, {}, ShaftInput::torque);
    const GridMode slowest = swings(s).front();
    CHECK(slowest.frequency_Hz == Approx(ring.frequency_Hz).epsilon(2e-3));
    CHECK(slowest.damping_frac == Approx(ring.damping_frac).margin(1e-3));
  }
}
