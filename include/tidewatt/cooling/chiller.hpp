#pragma once
#include <vector>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::cooling {

/// A water chiller by the DOE-2 curves: reference point, and how capacity and input ratio move away from it.
struct TIDEWATT_API ChillerParams {
  double capacity_W = 0.0;       ///< at the reference temperatures
  double cop_ratio = 0.0;        ///< at the reference temperatures
  double leaving_low_K = 0.0;    ///< coldest evaporator leaving water of the curves
  double leaving_high_K = 0.0;   ///< warmest evaporator leaving water of the curves
  double entering_low_K = 0.0;   ///< coldest condenser entering water of the curves
  double entering_high_K = 0.0;  ///< warmest condenser entering water of the curves
  double unload_K = 0.0;  ///< above entering_high, condenser pressure unloads the compressors within this; 0: they stop
  double plr_min_frac = 0.0;             ///< below it the compressor cycles
  double plr_max_frac = 0.0;             ///< of the available capacity
  double motor_frac = 0.0;               ///< share of compressor power that reaches the refrigerant
  std::vector<double> capacity_T_ratio;  ///< capacity: 1, e, e2, c, c2, ec in degC
  std::vector<double> input_T_ratio;     ///< input ratio: 1, e, e2, c, c2, ec in degC
  std::vector<double> input_plr_ratio;   ///< three: 1, y, y²
  void fields(FieldVisitor& v);
};

struct TIDEWATT_API ChillerPoint {
  double available_W = 0.0;   ///< largest heat taken from the evaporator
  double power_W = 0.0;       ///< compressor, electric
  double plr_frac = 0.0;      ///< load / available
  double cycling_frac = 0.0;  ///< share of time that the compressor runs
  bool outside = false;       ///< a temperature is outside the curves' range (curves are constant beyond its ends)
};

/// Chiller at a load.
///
///     Q_av = Q_ref f(T_e, T_c),   P = (Q_ref/COP_ref) f g(T_e, T_c) h(y) r,
///     y = max(Q/Q_av, y_min),   r = min((Q/Q_av)/y_min, 1)
///
/// with T_e leaving the evaporator and T_c entering the condenser; f, g biquadratic in °C, h quadratic. Temperatures
/// outside the curves' validity are limited to its ends and flagged. Beyond the warmest condenser water f falls to 0 within `unload_K`:
/// high pressure unloads the compressors, then stops them. Source: doe2_1982, energyplus_engineering_reference.
/// @param load_W taken from the evaporator by running machines, >= 0
TIDEWATT_API ChillerPoint chiller_at(const ChillerParams& p, double load_W, double leaving_K, double entering_K);

/// Share of its capacity that condenser pressure leaves to a chiller: 1 within the curves, 0 beyond `unload_K` above them.
TIDEWATT_API double pressure_left_frac(const ChillerParams& p, double entering_K);

/// Throws InputError if a list has the wrong length, ranges are reversed or the curves are not 1 ± 0.1 at the middle.
/// @throws InputError
TIDEWATT_API void check_chiller(const ChillerParams& p);

}  // namespace TIDEWATT_NAMESPACE::cooling
