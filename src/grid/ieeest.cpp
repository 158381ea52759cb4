#include "ieeest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace TIDEWATT_NAMESPACE::grid {
namespace {

using Polynomial = std::vector<double>;  // coefficients of s^0, s^1, …

Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  Polynomial out(a.size() + b.size() - 1, 0.0);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < b.size(); ++k) out[i + k] += a[i] * b[k];
  return out;
}

Polynomial trimmed(Polynomial p) {
  while (p.size() > 1 && p.back() == 0.0) p.pop_back();
  return p;
}

}  // namespace

Ieeest::Ieeest(DyrValues& values) {
  input_ = values.whole("input", {1, 6});
  if (input_ != 1 && input_ != 3 && input_ != 5)
    values.wrong("input", fmt::format("{} is not modelled: 1 speed, 3 power, 5 voltage", input_));
  if (values.whole("remote bus", {0, 1e9}) != 0) values.wrong("remote bus", "is not modelled: 0");
  std::array<double, 6> A{}, T{};
  for (std::size_t i = 0; i < 6; ++i) A[i] = values.number("A" + std::to_string(i + 1), {0, 1e3});
  for (std::size_t i = 0; i < 6; ++i) T[i] = values.number("T" + std::to_string(i + 1), {0, 1e3});
  const double K = values.number("KS", {-1e4, 1e4});
  high_ = values.number("LSMAX", {-10, 10});
  low_ = values.number("LSMIN", {-10, 10});
  cut_above_pu_ = values.number("VCU", {0, 1e3});
  cut_below_pu_ = values.number("VCL", {-1e3, 10});
  const Polynomial top =
      trimmed(Polynomial{1.0, A[4], A[5]} * Polynomial{1.0, T[0]} * Polynomial{1.0, T[2]} * Polynomial{0.0, K * T[4]});
  const Polynomial under = trimmed(Polynomial{1.0, A[0], A[1]} * Polynomial{1.0, A[2], A[3]} * Polynomial{1.0, T[1]} *
                                   Polynomial{1.0, T[3]} * Polynomial{1.0, T[5]});
  if (top.size() > under.size()) {
    values.wrong("A, T", fmt::format("the numerator's degree {} is above the denominator's {}", top.size() - 1,
                                     under.size() - 1));
    return;
  }
  direct_ = top.size() == under.size() ? top.back() / under.back() : 0.0;
  for (std::size_t i = 0; i + 1 < under.size(); ++i) {
    denominator_.push_back(under[i] / under.back());
    numerator_.push_back((i < top.size() ? top[i] / under.back() : 0.0) - direct_ * denominator_.back());
  }
}

std::vector<std::string> Ieeest::states() const {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < denominator_.size(); ++i) out.push_back(fmt::format("stabiliser {}", i + 1));
  return out;
}

double Ieeest::input_of(const StabiliserInput& in) const {
  return input_ == 1 ? in.speed_pu : input_ == 3 ? in.power_pu : in.voltage_pu;
}

void Ieeest::rest(const StabiliserInput& in, std::span<double> x) {
  std::fill(x.begin(), x.end(), 0.0);
  if (!x.empty()) x[0] = input_of(in) / denominator_[0];
}

double Ieeest::signal_pu(std::span<const double> x, const StabiliserInput& in) const {
  if ((cut_above_pu_ > 0.0 && in.voltage_pu > cut_above_pu_) || (cut_below_pu_ > 0.0 && in.voltage_pu < cut_below_pu_))
    return 0.0;
  double out = direct_ * input_of(in);
  for (std::size_t i = 0; i < x.size(); ++i) out += numerator_[i] * x[i];
  return std::clamp(out, low_, high_);
}

void Ieeest::rates(std::span<const double> x, const StabiliserInput& in, std::span<double> rate) const {
  double last = input_of(in);
  for (std::size_t i = 0; i < x.size(); ++i) last -= denominator_[i] * x[i];
  for (std::size_t i = 0; i + 1 < x.size(); ++i) rate[i] = x[i + 1];
  if (!x.empty()) rate[x.size() - 1] = last;
}

}  // namespace TIDEWATT_NAMESPACE::grid
