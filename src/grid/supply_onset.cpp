#include "supply_onset.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::grid {
namespace {

using Complex = std::complex<double>;
constexpr double two_pi = 6.283185307179586476925287, dip_s = 0.01, row_s = 1e-3;

/// Supplies at rest at their connection.
struct AtRest {
  SupplyLoad load;
  std::vector<double> x;
  AtRest(const SupplyControl& control, const SupplyConnection& at, double load_W)
      : load(control, at.impedance_pu(), at.nominal_Hz, at.gain_ratio), x(load.states().size()) {
    load.rest(at.source_pu, -load.drawn_pu(at.source_pu, load_W / at.rating_W), x);
  }
};

/// One step of the classical rule of order 4.
void step(const SupplyLoad& load, Complex v, double h, std::vector<double>& x) {
  const std::size_t n = x.size();
  std::array<std::vector<double>, 4> k;
  std::vector<double> at = x;
  constexpr std::array<double, 4> ahead = {0.5, 0.5, 1.0, 0.0};
  for (std::size_t s = 0; s < 4; ++s) {
    k[s].resize(n);
    load.rates(at, v, k[s]);
    for (std::size_t i = 0; i < n; ++i) at[i] = x[i] + h * ahead[s] * k[s][i];
  }
  for (std::size_t i = 0; i < n; ++i) x[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
}

/// The smallest load that is unstable according to `growth` (1/s, and Hz).
SupplyOnset search(const SupplyControl& control, const SupplyConnection& at, int n_grid,
                   const std::function<std::pair<double, double>(double)>& growth) {
  const SupplyLoad load(control, at.impedance_pu(), at.nominal_Hz, at.gain_ratio);
  const double most_W = load.most_pu(at.source_pu) * at.rating_W,
               last_W = most_W * (1.0 - 1e-4);  // inside of the limit, for derivatives too
  const double nose_W =
      at.source_pu * at.source_pu /
      (2.0 * (at.impedance_pu().real() + std::abs(at.impedance_pu() + Complex(0.0, control.reactance_pu)))) *
      at.rating_W;
  SupplyOnset out{most_W < 0.999 * nose_W ? SupplyEnd::current_limit : SupplyEnd::nose, most_W, 0.0, most_W};
  double stable_W = 0.0, unstable_W = 0.0, Hz = 0.0;
  for (int i = 1; i <= n_grid && unstable_W == 0.0; ++i) {
    const double W = last_W * static_cast<double>(i) / n_grid;
    const auto [rate, frequency_Hz] = growth(W);
    if (rate < 0.0)
      stable_W = W;
    else
      unstable_W = W, Hz = frequency_Hz;
  }
  if (unstable_W == 0.0) return out;
  while (unstable_W - stable_W > 1e-4 * unstable_W) {
    const double W = 0.5 * (stable_W + unstable_W);
    const auto [rate, frequency_Hz] = growth(W);
    if (rate < 0.0)
      stable_W = W;
    else
      unstable_W = W, Hz = frequency_Hz;
  }
  out.end = Hz > 0.05 ? SupplyEnd::oscillates : SupplyEnd::drifts;
  out.load_W = 0.5 * (stable_W + unstable_W);
  out.frequency_Hz = Hz;
  return out;
}

}  // namespace

Complex SupplyConnection::impedance_pu() const {
  if (!(rating_W > 0.0 && short_circuit_VA > 0.0 && x_over_r_ratio >= 0.0))
    throw InputError("supplies: rating and short-circuit power must be above 0, X/R not below");
  return rating_W / short_circuit_VA * Complex(1.0, x_over_r_ratio) / std::hypot(1.0, x_over_r_ratio);
}

std::string_view name(SupplyEnd end) {
  constexpr std::array<std::string_view, 4> names = {"oscillates", "drifts", "nose", "current limit"};
  return names[static_cast<std::size_t>(end)];
}

std::vector<GridMode> supply_modes(const SupplyControl& control, const SupplyConnection& at, double load_W) {
  const AtRest rest(control, at, load_W);
  return unit_modes(rest.load, rest.x, at.source_pu);
}

SupplyTrace supply_play(const SupplyControl& control, const SupplyConnection& at, double load_W, double dip_pu,
                        double length_s) {
  AtRest now(control, at, load_W);
  // The current loop is the fastest: a fifth of its time constant, a whole part of a row.
  const double per_row = std::ceil(std::max(20.0, row_s * two_pi * control.current_loop_Hz / 0.2)), h = row_s / per_row;
  const Complex Z = at.impedance_pu();
  SupplyTrace out;
  const auto record = [&](double t_s, Complex v_source) {
    std::vector<double> rate(now.x.size());
    now.load.rates(now.x, v_source, rate);
    const Complex turn = std::polar(1.0, now.x[4]), i = Complex(now.x[0], now.x[1]) * turn;
    const Complex change = (Complex(rate[0], rate[1]) + Complex(0.0, rate[4]) * Complex(now.x[0], now.x[1])) * turn;
    const Complex v = v_source - Z * i - Z.imag() / (two_pi * at.nominal_Hz) * change;
    out.time_s.push_back(t_s);
    out.power_W.push_back((v * std::conj(i)).real() * at.rating_W);
    out.voltage_pu.push_back(std::abs(v));
    out.link_ratio.push_back(SupplyLoad::link_ratio(now.x));
  };
  const auto n_row = static_cast<long>(std::lround(length_s / row_s));
  for (long row = 0; row <= n_row && !out.empty; ++row) {
    const double t_s = static_cast<double>(row) * row_s;
    const Complex v = t_s < dip_s - 1e-9 ? at.source_pu - dip_pu : at.source_pu;
    record(t_s, v);
    for (long i = 0; i < static_cast<long>(per_row); ++i) step(now.load, v, h, now.x);
    out.empty = !(SupplyLoad::link_ratio(now.x) > 0.25);
  }
  return out;
}

RingDown supply_ring_down(const SupplyControl& control, const SupplyConnection& at, double load_W) {
  // Behind the first 0.1 s the fast loops are at rest; every fourth row keeps 125 Hz. What grows is followed while it is
  // small: its second harmonic, which grows twice as fast, must not count as a mode.
  constexpr double dip_pu = 1e-6, small = 1e-4;
  constexpr std::size_t least_rows = 30;
  const auto trace = supply_play(control, at, load_W, dip_pu, 0.9);
  std::vector<double> link;
  for (std::size_t r = 100; r < trace.link_ratio.size(); r += 4) {
    link.push_back(trace.link_ratio[r] - 1.0);
    if (link.size() >= least_rows && std::abs(link.back()) > small) break;
  }
  return ring_down(link, 4.0 * row_s);
}

SupplyOnset supply_onset(const SupplyControl& control, const SupplyConnection& at) {
  return search(control, at, 50, [&](double W) {
    const auto modes = supply_modes(control, at, W);
    return std::pair(modes.front().s.real(), modes.front().frequency_Hz);
  });
}

SupplyOnset supply_onset_in_time(const SupplyControl& control, const SupplyConnection& at) {
  return search(control, at, 15, [&](double W) {
    const auto r = supply_ring_down(control, at, W);
    return std::pair(r.s.real(), r.frequency_Hz);
  });
}

}  // namespace TIDEWATT_NAMESPACE::grid
