#pragma once
#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::thermal {

/// A liquid cold plate on one GPU, or on one superchip.
struct TIDEWATT_API ColdPlateParams {
  double convection_K_per_W;   ///< plate to liquid at the reference flow
  double flow_ref_kg_per_s;    ///< of one plate
  double flow_exponent_ratio;  ///< conductance ∝ flow^exponent: 0.8 turbulent, 1/3 laminar developing
  double liquid_J_per_kg_K;    ///< heat capacity of the coolant
  double wet_J_per_K;          ///< liquid in the plate, counted with the plate's metal once the pump stops
  double still_W_per_K;        ///< what still leaves the plate without flow: radiation, natural convection, tubes
  void fields(FieldVisitor& v);
};

/// Plate to the liquid's inlet temperature, K/W:
///
///     UA = (flow/flow_ref)^n / R_ref      R = 1 / (ṁ c (1 − e^{−UA/(ṁ c)}))
///
/// so that R counts the liquid's own rise along the plate. Without flow only `still_W_per_K` is left.
/// @throws InputError for a negative flow
TIDEWATT_API double cold_plate_K_per_W(const ColdPlateParams& p, double flow_kg_per_s);

/// Which part of a server's heat the liquid takes; the rest goes to air, as in servers with plates on GPUs and CPUs only.
struct TIDEWATT_API LiquidCaptureParams {
  double gpu_liquid_frac;     ///< of GPU board heat (regulators may be cooled by air)
  double host_liquid_frac;    ///< of CPUs, memory, NICs and switches
  double liquid_max_K = 0.0;  ///< warmest liquid at its inlet at which the server may start, K; 0: not known
  void fields(FieldVisitor& v);
};

/// The liquid side of a server: one plate per GPU, and its fraction of the other heat.
struct TIDEWATT_API LiquidCooling {
  ColdPlateParams plate;
  LiquidCaptureParams capture;
};

/// Share of a plate's heat that leaves with the liquid: the rest goes to air through `still_W_per_K`. 0 without flow.
TIDEWATT_API double to_liquid_frac(const ColdPlateParams& p, double flow_kg_per_s);

}  // namespace TIDEWATT_NAMESPACE::thermal
