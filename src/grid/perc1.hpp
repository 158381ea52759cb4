#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// The 30 parameters of the load model PERC1, in record order, with their defaults.
struct Perc1Params {
  double Lfm = 0.80;                                             ///< loading at start, pu of the model's MVA
  double QPratio = 0.66;                                         ///< within composite loads only
  double Dbfl = 0.0, Dbfh = 0.0, Kdroop = 0.0;                   ///< pu
  double Kvp = 0.0, Tvp = 0.10, Kvq = 0.0, Tvq = 0.10;           ///< washouts of the voltage: gain, s
  double Tap = 0.0, Tbp = 0.0, Taq = 0.0, Tbq = 0.0;             ///< lead and lag, s
  double nP = 0.0, nQ = 1.0;                                     ///< 0 constant power, 1 current, 2 impedance
  double Ipmax = 1.0, Ipmin = 0.0, Iqmax = 0.66, Iqmin = -0.66;  ///< pu
  double Fcease = 1.0, Vcease = 0.50;                            ///< share that ceases, pu voltage below which it does
  double Tcease = 0.01, Tdelay = 0.0;                            ///< s below before it ceases; s more, not taken back
  double Vrecon = 0.60, Trecon = 0.05;                           ///< pu for the return, s above it
  double Tramp = 1.0;                                            ///< s of the ramp back
  double Frecon = 1.0;                                           ///< fraction of the ceased load that returns
  double Tt = 0.02, Tv = 0.02, Tf = 0.02;                        ///< s: current lag, voltage and frequency filters
  /// All of them, in record order, [30].
  std::array<double, 30> values() const;
};
/// Their names in record order, [30].
std::span<const std::string_view> perc1_names();

/// MVA of a load: MW at start over the loading (a loading below 0.001 counts as 0.80). @param P_W at start
double perc1_base_VA(const Perc1Params& p, double P_W);

/// One record as PSS/E lists a load's model: bus 'PERC1' 'id' 30 values /
std::string perc1_record(std::int64_t bus, const std::string& id, const Perc1Params& p);

/// The model, one step after the other, active power only, from steady state:
///
///     v' = (V − v)/Tv;   v < Vcease for Tcease, then Tdelay: FracOn = 1 − Fcease
///     v > Vrecon for Trecon: FracOn rises over Tramp to 1 − Fcease + Fcease·Frecon; a new cease may begin on the way
///     Ip = min(Ipmax, Lfm·V^nP/V), lagged by Tt, at least four steps;   P = FracOn·Ip·V
///
/// Kdroop, the washouts and the lead-lags are 0 in every record written here and are not simulated.
/// @source PowerWorld 24 help and InterPSS's loader, as read in November 2026
class Perc1Load {
 public:
  /// @param v_pu voltage at start  @param step_s > 0
  Perc1Load(const Perc1Params& params, double v_pu, double step_s);
  /// The next step at a voltage, pu: active power over the one at start.
  double step(double v_pu);
  double FracOn() const { return on_; }  ///< share on the grid, 0 to 1

 private:
  double current(double v) const;
  void move_share(double v);
  Perc1Params p_;
  double step_s_, Tt_, v_, Ip_, below_s_ = 0.0, above_s_ = 0.0, pending_s_ = -1.0, on_ = 1.0;
  bool ceased_ = false;
};

/// What the model does along a voltage.
struct Perc1Trace {
  std::vector<double> FracOn;   ///< [sample]
  std::vector<double> P_ratio;  ///< active power over the one at start, [sample]
};
/// Plays a voltage into the model, from steady state at v_pu[0]. @param v_pu [sample]  @param step_s between samples, > 0
Perc1Trace play_perc1(const Perc1Params& p, std::span<const double> v_pu, double step_s);

}  // namespace TIDEWATT_NAMESPACE::grid
