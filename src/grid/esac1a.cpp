#include "esac1a.hpp"

#include <algorithm>
#include <cmath>

namespace TIDEWATT_NAMESPACE::grid {
namespace {

enum State : std::size_t { measured, lead, regulator, exciter, feedback };

/// Share of the alternator's voltage that a rectifier passes at a normalised current.
double rectified(double i) {
  if (i <= 0.0) return 1.0;
  if (i <= 0.433) return 1.0 - 0.577 * i;
  if (i < 0.75) return std::sqrt(0.75 - i * i);
  return i < 1.0 ? 1.732 * (1.0 - i) : 0.0;
}

}  // namespace

Esac1a::Esac1a(DyrValues& values) {
  T_R_s_ = values.number("TR", {0, 10});
  T_B_s_ = values.number("TB", {0, 100});
  T_C_s_ = values.number("TC", {0, 100});
  K_A_ = values.number("KA", {1e-3, 1e4});
  T_A_s_ = values.number("TA", {0, 100});
  A_high_ = values.number("VAMAX", {-1e4, 1e4});
  A_low_ = values.number("VAMIN", {-1e4, 1e4});
  T_E_s_ = values.number("TE", {1e-3, 100});
  K_F_ = values.number("KF", {0, 100});
  T_F_s_ = values.number("TF", {1e-3, 100});
  K_C_ = values.number("KC", {0, 10});
  K_D_ = values.number("KD", {0, 10});
  K_E_ = values.number("KE", {-10, 10});
  const double E1 = values.number("E1", {0, 100}), S1 = values.number("S(E1)", {0, 10});
  const double E2 = values.number("E2", {0, 100}), S2 = values.number("S(E2)", {0, 10});
  R_high_ = values.number("VRMAX", {-1e4, 1e4});
  R_low_ = values.number("VRMIN", {-1e4, 1e4});
  if (!(A_low_ < A_high_ && R_low_ < R_high_)) values.wrong("VAMAX, VRMAX", "must be above VAMIN, VRMIN");
  iron_ = QuadraticSaturation::through(E1, S1, E2, S2);
}

double Esac1a::load(double v, double field_current_pu) const {
  return K_E_ * v + iron_.excess(v) + K_D_ * field_current_pu;
}

double Esac1a::field_pu(std::span<const double> x, const ExciterInput& in) const {
  const double v = std::max(x[exciter], 1e-6);
  return rectified(K_C_ * in.field_current_pu / v) * v;
}

void Esac1a::rest(const RotorRest& rotor, double voltage_pu, std::span<double> x) {
  double v = rotor.field_pu;
  for (int i = 0; i < 50; ++i) v += rotor.field_pu - rectified(K_C_ * rotor.field_current_pu / std::max(v, 1e-6)) * v;
  x[exciter] = v;
  x[feedback] = load(v, rotor.field_current_pu);
  x[regulator] = x[feedback];
  x[lead] = x[regulator] / K_A_;
  x[measured] = voltage_pu;
  reference_pu_ = voltage_pu + x[lead];
}

void Esac1a::rates(std::span<const double> x, const ExciterInput& in, std::span<double> rate) const {
  const double v = T_R_s_ > 0.0 ? x[measured] : in.voltage_pu, loaded = load(x[exciter], in.field_current_pu);
  const double error = reference_pu_ - v + in.stabiliser_pu - K_F_ / T_F_s_ * (loaded - x[feedback]);
  const double ratio = T_B_s_ > 0.0 ? T_C_s_ / T_B_s_ : 1.0, led = ratio * error + (1.0 - ratio) * x[lead];
  const double asked = T_A_s_ > 0.0 ? x[regulator] : std::clamp(K_A_ * led, A_low_, A_high_);
  rate[measured] = T_R_s_ > 0.0 ? (in.voltage_pu - x[measured]) / T_R_s_ : 0.0;
  rate[lead] = T_B_s_ > 0.0 ? (error - x[lead]) / T_B_s_ : 0.0;
  rate[regulator] = T_A_s_ > 0.0 ? (K_A_ * led - x[regulator]) / T_A_s_ : 0.0;
  rate[exciter] = (std::clamp(asked, R_low_, R_high_) - loaded) / T_E_s_;
  rate[feedback] = (loaded - x[feedback]) / T_F_s_;
}

void Esac1a::limits(std::span<StateLimit> out) const {
  out[regulator] = {A_low_, A_high_};
  out[exciter].low = 0.0;
}

}  // namespace TIDEWATT_NAMESPACE::grid
