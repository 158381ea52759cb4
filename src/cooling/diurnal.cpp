#include "tidewatt/cooling/diurnal.hpp"

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::cooling {
namespace {

constexpr double day_s = 86400.0;

double branch(double x, double a, double b) {
  return x * x * (3.0 - 2.0 * x) + x * x * (1.0 - x) * (1.0 - x) * (a + b * x);
}

double branch_integral(double x, double a, double b) {
  const double x3 = x * x * x;
  return x3 * (1.0 - 0.5 * x) + a * x3 * (1.0 / 3.0 - 0.5 * x + 0.2 * x * x) +
         b * x3 * x * (0.25 - 0.4 * x + x * x / 6.0);
}

constexpr double rise_a = 0.2, rise_b = 1.1;
constexpr double fall_a = 4.4, fall_b = -4.7;  // of 1 - f

Tick floor_div(Tick a, Tick b) { return a / b - (a % b < 0 ? 1 : 0); }

}  // namespace

DiurnalShape::DiurnalShape(double low_s, double high_s) : low_s_(low_s), rise_s_(high_s - low_s), fall_s_(0.0) {
  if (rise_s_ < 0.0) rise_s_ += day_s;
  fall_s_ = day_s - rise_s_;
  const bool in_day = low_s >= 0.0 && low_s <= day_s && high_s >= 0.0 && high_s <= day_s;
  if (!in_day || !(rise_s_ >= 3600.0) || !(fall_s_ >= 3600.0))
    throw InputError("the coolest and the warmest hour of the day must be within it and at least one hour apart");
}

double DiurnalShape::at(Tick local_ns) const {
  const Tick shifted = local_ns - to_tick(low_s_);
  const double s = seconds(shifted - floor_div(shifted, ns_per_day) * ns_per_day);
  if (s < rise_s_) return branch(s / rise_s_, rise_a, rise_b);
  return 1.0 - branch((s - rise_s_) / fall_s_, fall_a, fall_b);
}

double DiurnalShape::integral_s(double s) const {
  if (s < rise_s_) return rise_s_ * branch_integral(s / rise_s_, rise_a, rise_b);
  const double x = (s - rise_s_) / fall_s_;
  return rise_s_ * branch_integral(1.0, rise_a, rise_b) + fall_s_ * (x - branch_integral(x, fall_a, fall_b));
}

double DiurnalShape::mean(Tick local0_ns, Tick local1_ns) const {
  const Tick low = to_tick(low_s_);
  const Tick day0 = floor_div(local0_ns - low, ns_per_day), day1 = floor_div(local1_ns - low, ns_per_day);
  const double s0 = seconds(local0_ns - low - day0 * ns_per_day), s1 = seconds(local1_ns - low - day1 * ns_per_day);
  const double whole = static_cast<double>(day1 - day0) * integral_s(day_s);
  return (whole + integral_s(s1) - integral_s(s0)) / seconds(local1_ns - local0_ns);
}

}  // namespace TIDEWATT_NAMESPACE::cooling
