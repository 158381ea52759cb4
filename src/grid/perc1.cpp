#include "tidewatt/grid/perc1.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tidewatt::grid {
namespace {

constexpr std::array<std::string_view, 30> names = {"Lfm",   "QPratio", "Dbfl",  "Dbfh",  "Kdroop", "Kvp",    "Tvp",    "Kvq",    "Tvq",    "Tap",   "Tbp",    "Taq", "Tbq", "nP", "nQ",
                                                    "Ipmax", "Ipmin",   "Iqmax", "Iqmin", "Fcease", "Vcease", "Tcease", "Tdelay", "Vrecon", "Trecon", "Tramp", "Frecon", "Tt", "Tv", "Tf"};

/// The share that is on the grid.
class Share {
 public:
  Share(const Perc1Params& p, double step_s) : p_(p), step_s_(step_s) {}

  double step(double v) {
    constexpr double slack = 1e-9;
    below_s_ = v < p_.Vcease ? below_s_ + step_s_ : 0.0;
    above_s_ = v > p_.Vrecon ? above_s_ + step_s_ : 0.0;
    if (below_s_ > p_.Tcease + slack && pending_s_ < 0.0 && on_ > low()) pending_s_ = p_.Tdelay;
    if (pending_s_ >= 0.0) {  // once begun, the delay is not taken back
      if (pending_s_ <= slack) {
        on_ = low();
        ceased_ = true;
        pending_s_ = -1.0;
      } else {
        pending_s_ -= step_s_;
      }
    } else if (ceased_ && above_s_ > p_.Trecon + slack) {
      const double rise = p_.Fcease * p_.Frecon;
      on_ = p_.Tramp > 0.0 ? std::min(high(), on_ + rise * step_s_ / p_.Tramp) : high();
      if (on_ >= high() - slack) ceased_ = false;
    }
    return on_;
  }

 private:
  double low() const { return 1.0 - p_.Fcease; }
  double high() const { return low() + p_.Fcease * p_.Frecon; }
  const Perc1Params& p_;
  double step_s_, below_s_ = 0.0, above_s_ = 0.0, pending_s_ = -1.0, on_ = 1.0;
  bool ceased_ = false;
};

/// The exact step of a first-order lag towards x.
double lag(double y, double x, double time_s, double step_s) { return time_s > 0.0 ? x + (y - x) * std::exp(-step_s / time_s) : x; }

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

Perc1Trace play_perc1(const Perc1Params& p, std::span<const double> v_pu, double step_s) {
  constexpr double lowest_pu = 1e-3;  // no power flows below
  Perc1Trace out;
  if (v_pu.empty()) return out;
  Share share(p, step_s);
  const auto current = [&](double v) { return v > lowest_pu ? std::clamp(p.Lfm * std::pow(v, p.nP) / v, p.Ipmin, p.Ipmax) : 0.0; };
  const double Tt = std::max(p.Tt, 4.0 * step_s);  // programs do not integrate a shorter one
  double v = v_pu[0], Ip = current(v_pu[0]);
  for (const double V : v_pu) {
    v = lag(v, V, p.Tv, step_s);
    Ip = lag(Ip, current(V), Tt, step_s);
    out.FracOn.push_back(share.step(v));
    out.P_ratio.push_back(out.FracOn.back() * Ip * V / p.Lfm);
  }
  return out;
}

}  // namespace tidewatt::grid
