#include "perc1.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace TIDEWATT_NAMESPACE::grid {
namespace {

constexpr double lowest_pu = 1e-3;  ///< no power flows below

constexpr std::array<std::string_view, 30> names = {
    "Lfm",    "QPratio", "Dbfl",   "Dbfh",   "Kdroop", "Kvp",   "Tvp",    "Kvq",   "Tvq",   "Tap",
    "Tbp",    "Taq",     "Tbq",    "nP",     "nQ",     "Ipmax", "Ipmin",  "Iqmax", "Iqmin", "Fcease",
    "Vcease", "Tcease",  "Tdelay", "Vrecon", "Trecon", "Tramp", "Frecon", "Tt",    "Tv",    "Tf"};

/// The exact step of a first-order lag towards x.
double lag(double y, double x, double time_s, double step_s) {
  return time_s > 0.0 ? x + (y - x) * std::exp(-step_s / time_s) : x;
}

}  // namespace

std::array<double, 30> Perc1Params::values() const {
  return {Lfm,   QPratio, Dbfl,  Dbfh,  Kdroop, Kvp,    Tvp,    Kvq,    Tvq,    Tap,    Tbp,   Taq,    Tbq, nP, nQ,
          Ipmax, Ipmin,   Iqmax, Iqmin, Fcease, Vcease, Tcease, Tdelay, Vrecon, Trecon, Tramp, Frecon, Tt,  Tv, Tf};
}

std::span<const std::string_view> perc1_names() { return names; }

double perc1_base_VA(const Perc1Params& p, double P_W) { return P_W / (p.Lfm < 0.001 ? 0.80 : p.Lfm); }

std::string perc1_record(std::int64_t bus, const std::string& id, const Perc1Params& p) {
  std::string out = fmt::format("{} 'PERC1' '{:<2}'", bus, id);
  for (const double v : p.values()) out += fmt::format(" {:.6g}", v);
  return out + " /\n";
}

Perc1Load::Perc1Load(const Perc1Params& p, double v_pu, double step_s)
    : p_(p), step_s_(step_s), Tt_(std::max(p.Tt, 4.0 * step_s)), v_(v_pu), Ip_(current(v_pu)) {}

double Perc1Load::current(double v) const {
  return v > lowest_pu ? std::clamp(p_.Lfm * std::pow(v, p_.nP) / v, p_.Ipmin, p_.Ipmax) : 0.0;
}

double Perc1Load::step(double V) {
  v_ = lag(v_, V, p_.Tv, step_s_);
  Ip_ = lag(Ip_, current(V), Tt_, step_s_);
  move_share(v_);
  return on_ * Ip_ * V / p_.Lfm;
}

void Perc1Load::move_share(double v) {
  constexpr double slack = 1e-9;
  const double low = 1.0 - p_.Fcease, high = low + p_.Fcease * p_.Frecon;
  below_s_ = v < p_.Vcease ? below_s_ + step_s_ : 0.0;
  above_s_ = v > p_.Vrecon ? above_s_ + step_s_ : 0.0;
  if (below_s_ > p_.Tcease + slack && pending_s_ < 0.0 && on_ > low) pending_s_ = p_.Tdelay;
  if (pending_s_ >= 0.0) {  // once begun, the delay is not taken back
    if (pending_s_ <= slack) {
      on_ = low;
      ceased_ = true;
      pending_s_ = -1.0;
    } else {
      pending_s_ -= step_s_;
    }
  } else if (ceased_ && above_s_ > p_.Trecon + slack) {
    const double rise = p_.Fcease * p_.Frecon;
    on_ = p_.Tramp > 0.0 ? std::min(high, on_ + rise * step_s_ / p_.Tramp) : high;
    if (on_ >= high - slack) ceased_ = false;
  }
}

Perc1Trace play_perc1(const Perc1Params& p, std::span<const double> v_pu, double step_s) {
  Perc1Trace out;
  if (v_pu.empty()) return out;
  Perc1Load load(p, v_pu[0], step_s);
  for (const double V : v_pu) {
    out.P_ratio.push_back(load.step(V));
    out.FracOn.push_back(load.FracOn());
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::grid
