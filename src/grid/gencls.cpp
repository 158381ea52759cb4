#include "gencls.hpp"

namespace TIDEWATT_NAMESPACE::grid {

using Complex = std::complex<double>;

Gencls::Gencls(DyrValues& values, Complex source_pu, double nominal_Hz)
    : omega0_(6.283185307179586476925287 * nominal_Hz), Z_(source_pu) {
  H_ = values.number("H", {0, 1e4});
  D_ = values.number("D", {0, 1e3});
  if (std::abs(Z_) < 1e-9) values.wrong("ZSORCE", "of the generator's record must not be 0");
}

RotorRest Gencls::rest(Complex v, Complex power_pu, std::span<double> x) const {
  const Complex i = std::conj(power_pu / v), e = v + Z_ * i;
  x[0] = std::arg(e);
  x[1] = 0.0;
  x[2] = std::abs(e);
  return {x[2], x[2], (e * std::conj(i)).real()};
}

Complex Gencls::current(std::span<const double> x, Complex v) const { return (std::polar(x[2], x[0]) - v) / Z_; }

double Gencls::field_current_pu(std::span<const double> x, Complex) const { return x[2]; }

void Gencls::rates(std::span<const double> x, Complex v, double torque_pu, double, std::span<double> rate) const {
  const Complex e = std::polar(x[2], x[0]);
  rate[0] = omega0_ * x[1];
  rate[1] = H_ > 0.0 ? (torque_pu - D_ * x[1] - (e * std::conj(current(x, v))).real()) / (2.0 * H_) : 0.0;
  rate[2] = 0.0;
}

}  // namespace TIDEWATT_NAMESPACE::grid
