#pragma once
#include "tidewatt/base/version.hpp"

/// Water and propylene glycol solutions near atmospheric pressure: small pure functions. Temperatures in K.
/// Water: Kell (1975) for density, a quintic fitted to IAPWS-95 for heat capacity (0.013 %); 0 to 100 °C. Glycol:
/// polynomials fitted to Melinder (2010), density 0.08 %, heat capacity 0.5 %; 0 to 50 % by mass, freezing point to
/// 70 °C. Sources: kell_1975, melinder_2010.
namespace TIDEWATT_NAMESPACE::cooling {

/// Kell's (1975) density of water. @param T_K 273.15 to 373.15 K
double water_density_kg_per_m3(double T_K);
/// Isobaric heat capacity of water, fitted to IAPWS-95. @param T_K 273.15 to 373.15 K
double water_cp_J_per_kg_K(double T_K);

/// @param glycol_frac propylene glycol by mass, 0 to 0.5; 0 gives water
double coolant_density_kg_per_m3(double T_K, double glycol_frac);
/// Isobaric heat capacity; arguments as for the density.
double coolant_cp_J_per_kg_K(double T_K, double glycol_frac);

/// Mass flow that carries `heat_W` over `rise_K`: `m = Q / (c ΔT)`, in kg/s. @param rise_K > 0
double coolant_flow_kg_per_s(double heat_W, double rise_K, double mean_K, double glycol_frac = 0.0);

}  // namespace TIDEWATT_NAMESPACE::cooling
