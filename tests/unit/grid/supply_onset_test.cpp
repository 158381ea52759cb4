#include "grid/supply_onset.hpp"

#include "supply_case.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

TEST_CASE("eigenvalues and simulation agree in frequency and damping") {
  const auto c = shipped_supplies();
  for (const double gain : {0.8, 1.9, 3.2})
    for (const double ratio : {3.0, 6.0})
      for (const double load_W : {120e6, 240e6, 360e6}) {
        const auto at = connection(ratio, gain);
        const auto mode = supply_modes(c, at, load_W).front();
        const auto ring = supply_ring_down(c, at, load_W);
        INFO("gain " << gain << ", short-circuit ratio " << ratio << ", " << load_W * 1e-6 << " MW");
        CHECK(ring.s.real() == Approx(mode.s.real()).margin(0.005 * std::abs(mode.s)));
        CHECK(ring.frequency_Hz == Approx(mode.frequency_Hz).epsilon(0.02).margin(1e-3));
        CHECK(ring.damping_frac == Approx(mode.damping_frac).margin(0.005));
      }
}

TEST_CASE("a swing that grows fast is measured while it is small, not by its second harmonic") {
  // Rates of 6 and 20 per second: over a second the swing grows by 600 and by more than the links hold.
  const auto c = shipped_supplies();
  for (const double gain : {2.8, 3.5}) {
    const auto at = connection(2.5, gain);
    const auto mode = supply_modes(c, at, 360e6).front();
    const auto ring = supply_ring_down(c, at, 360e6);
    INFO("gain " << gain << ": " << mode.frequency_Hz << " Hz");
    CHECK(mode.s.real() > 5.0);
    CHECK(ring.frequency_Hz == Approx(mode.frequency_Hz).epsilon(0.02));
    CHECK(ring.damping_frac == Approx(mode.damping_frac).margin(0.005));
  }
}

TEST_CASE("the onset by eigenvalues and by simulation lies within 2 % of the load") {
  const auto c = shipped_supplies();
  for (const auto& [ratio, gain] : {std::pair(3.0, 2.8), std::pair(4.0, 3.5), std::pair(2.6, 3.0)}) {
    const auto by_modes = supply_onset(c, connection(ratio, gain)),
               in_time = supply_onset_in_time(c, connection(ratio, gain));
    INFO("short-circuit ratio " << ratio << ", gain " << gain << ": " << by_modes.load_W * 1e-6 << " MW, "
                                << by_modes.frequency_Hz << " Hz");
    CHECK(by_modes.end == SupplyEnd::oscillates);
    CHECK(in_time.end == SupplyEnd::oscillates);
    CHECK(in_time.load_W == Approx(by_modes.load_W).epsilon(0.02));
    CHECK(in_time.frequency_Hz == Approx(by_modes.frequency_Hz).epsilon(0.02));
  }
}

TEST_CASE("a stronger grid or a lower loop gain moves the onset up") {
  const auto c = shipped_supplies();
  CHECK(supply_onset(c, connection(3.0, 3.0)).load_W > supply_onset(c, connection(2.6, 3.0)).load_W);
  CHECK(supply_onset(c, connection(3.0, 3.0)).load_W > supply_onset(c, connection(3.0, 3.5)).load_W);
}

TEST_CASE("with a slow loop only the nose or the current limit ends the load") {
  const auto c = shipped_supplies();
  const auto weak = supply_onset(c, connection(2.2, 0.5)), strong = supply_onset(c, connection(20.0, 0.5));
  CHECK(weak.load_W > 0.98 * weak.most_W);
  CHECK(strong.end == SupplyEnd::current_limit);
  CHECK(strong.load_W == strong.most_W);
  CHECK(supply_onset_in_time(c, connection(20.0, 0.5)).end == SupplyEnd::current_limit);
}

TEST_CASE("two thirds of the rating behind two thirds of the impedance oscillate alike") {
  // Everything is per unit of the rating.
  const auto c = shipped_supplies();
  auto at = connection(3.0, 3.0);
  const auto one = supply_onset(c, at);
  at.rating_W *= 2.0 / 3.0;
  at.short_circuit_VA *= 2.0 / 3.0;
  const auto other = supply_onset(c, at);
  CHECK(other.load_W == Approx(one.load_W * 2.0 / 3.0).epsilon(1e-9));
  CHECK(other.frequency_Hz == Approx(one.frequency_Hz).epsilon(1e-9));
}

TEST_CASE("beyond the onset the oscillation grows until the current limit holds it or the links are empty") {
  const auto c = shipped_supplies();
  const auto at = connection(3.0, 3.0);
  const auto onset = supply_onset(c, at);
  const auto trace = supply_play(c, at, 1.02 * onset.load_W, 0.001, 10.0);
  double low = 1e300, high = 0.0;
  for (std::size_t r = trace.power_W.size() - 300; r < trace.power_W.size(); ++r)
    low = std::min(low, trace.power_W[r]), high = std::max(high, trace.power_W[r]);
  CHECK(high - low > 0.01 * onset.load_W);
  const auto calm = supply_play(c, at, 0.98 * onset.load_W, 0.001, 10.0);
  CHECK(calm.link_ratio.back() == Approx(1.0).margin(1e-3));
}
