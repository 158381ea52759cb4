#include "supply_load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::grid {
namespace {

using Complex = std::complex<double>;
constexpr double two_pi = 6.283185307179586476925287;

/// A loop's integral gain over its proportional one, 1/s: s² + ω s + ω²/(4 ζ²) has the damping ζ.
double integral_per_s(double crossover_Hz, double damping_ratio) {
  return two_pi * crossover_Hz / (4.0 * damping_ratio * damping_ratio);
}

}  // namespace

SupplyLoad::SupplyLoad(const SupplyControl& control, Complex impedance_pu, double nominal_Hz, double gain_ratio)
    : c_(control), Z_(impedance_pu + Complex(0.0, control.reactance_pu)), omega0_(two_pi * nominal_Hz) {
  if (!(gain_ratio > 0.0 && nominal_Hz > 0.0 && Z_.real() >= 0.0 && Z_.imag() >= 0.0))
    throw InputError("supplies: loop gain and frequency must be above 0, resistance and reactance not below 0");
  k_ = gain_ratio * c_.link_s * two_pi * c_.voltage_loop_Hz;
  ki_ = k_ * integral_per_s(c_.voltage_loop_Hz, c_.voltage_loop_damping_ratio);
}

double SupplyLoad::most_pu(double bus_pu) const {
  const double nose = bus_pu * bus_pu / (2.0 * (Z_.real() + std::abs(Z_)));
  // At the limit the voltage behind Z is what i_max leaves: |v + Z i| = |v_bus| with v and i in phase.
  const double i = c_.current_limit_pu, side = Z_.imag() * i;
  if (side >= bus_pu) return nose;
  const double limited = i * (std::sqrt(bus_pu * bus_pu - side * side) - Z_.real() * i);
  // Where the limit lies on the lower branch, the nose comes first.
  const double nose_current =
      std::abs(Z_) > 0.0 ? std::sqrt(nose / std::abs(Z_)) : std::numeric_limits<double>::infinity();
  return i < nose_current ? limited : nose;
}

Complex SupplyLoad::drawn_pu(double bus_pu, double load_pu) const {
  const double b = 0.5 * bus_pu * bus_pu - Z_.real() * load_pu, room = b * b - load_pu * load_pu * std::norm(Z_);
  if (room < 0.0 || b < 0.0)
    throw RefusedError(
        fmt::format("supplies: {:.4g} of their rating is beyond the nose of the voltage curve, {:.4g} at a bus voltage "
                    "of {:.4g} pu",
                    load_pu, bus_pu * bus_pu / (2.0 * (Z_.real() + std::abs(Z_))), bus_pu));
  const double voltage = std::sqrt(b + std::sqrt(room)), i = load_pu / voltage;
  if (i > c_.current_limit_pu)
    throw RefusedError(
        fmt::format("supplies: {:.4g} of their rating needs {:.4g} of the rated current, the limit is {:.4g}", load_pu,
                    i, c_.current_limit_pu));
  return load_pu + Z_ * (i * i);
}

std::vector<std::string> SupplyLoad::states() const {
  std::vector<std::string> out = {"current d",   "current q",   "voltage d",   "voltage q",    "frame angle",
                                  "frame speed", "link energy", "power order", "measured link"};
  if (c_.frequency_gain_pu > 0.0) out.emplace_back("measured frequency");
  return out;
}

void SupplyLoad::rest(Complex v, Complex power_pu, std::span<double> x) {
  const Complex drawn = -std::conj(power_pu / v), at_supplies = v - Z_ * drawn;
  const Complex turn = std::polar(1.0, -std::arg(at_supplies)), i = drawn * turn;
  if (i.real() > c_.current_limit_pu)
    throw RefusedError(fmt::format("supplies: the load at rest needs {:.4g} of the rated current, the limit is {:.4g}",
                                   i.real(), c_.current_limit_pu));
  x[0] = i.real();
  x[1] = i.imag();
  x[2] = std::abs(at_supplies);
  x[3] = 0.0;
  x[4] = std::arg(at_supplies);
  x[5] = 0.0;
  x[6] = x[8] = 1.0;
  x[7] = i.real() * x[2];
  if (x.size() > 9) x[9] = 0.0;
  load_pu_ = x[7];
  reactive_pu_ = i.imag();
}

Complex SupplyLoad::current(std::span<const double> x, Complex) const {
  return -Complex(x[0], x[1]) * std::polar(1.0, x[4]);
}

void SupplyLoad::rates(std::span<const double> x, Complex v_bus, std::span<double> rate) const {
  const Complex i(x[0], x[1]), measured(x[2], x[3]);
  const double off = 1.0 - x[8], angle = std::arg(measured), to_frame = two_pi * c_.frame_loop_Hz;
  // The order becomes a current, and the loop follows it.
  const double asked = std::clamp((k_ * off + x[7]) / std::abs(measured), 0.0, c_.current_limit_pu);
  const Complex change = two_pi * c_.current_loop_Hz * (Complex(asked, reactive_pu_) - i);
  const double turning = omega0_ * x[5] + to_frame * angle;
  const Complex v =
      v_bus * std::polar(1.0, -x[4]) - Z_ * i - Z_.imag() / omega0_ * (change + Complex(0.0, turning) * i);
  const Complex filtered = (v - measured) / c_.voltage_filter_s;
  // What the servers draw, and what frequency adds outside of its deadband.
  const double dead = c_.frequency_deadband_Hz * two_pi / omega0_;
  const double seen = x.size() > 9 ? x[9] : 0.0, beyond = seen > dead ? seen - dead : seen < -dead ? seen + dead : 0.0;
  const double load = std::max(0.0, load_pu_ + c_.frequency_gain_pu * beyond);
  rate[0] = change.real();
  rate[1] = change.imag();
  rate[2] = filtered.real();
  rate[3] = filtered.imag();
  rate[4] = turning;
  rate[5] = to_frame * integral_per_s(c_.frame_loop_Hz, c_.frame_loop_damping_ratio) * angle / omega0_;
  rate[6] = ((v * std::conj(i)).real() - load) / c_.link_s;
  rate[7] = ki_ * off;
  rate[8] = (x[6] - x[8]) / c_.link_filter_s;
  if (x.size() > 9) rate[9] = (turning / omega0_ - x[9]) / c_.frequency_filter_s;
}

void SupplyLoad::limits(std::span<StateLimit> out) const {
  out[6].low = 0.0;
  out[7] = {-1.0, 2.0 * c_.current_limit_pu};  // the integral does not run away while the current is at its limit
}

UnitReadout SupplyLoad::readout(std::span<const double> x, Complex) const { return {0.0, x[4], -load_pu_, 0.0}; }

}  // namespace TIDEWATT_NAMESPACE::grid
