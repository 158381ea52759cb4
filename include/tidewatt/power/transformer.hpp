#pragma once
#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::power {

/// Thermal figures of an oil-immersed transformer.
struct TIDEWATT_API TransformerParams {
  double oil_rise_K = 0.0;        ///< top oil over ambient at rating
  double hot_spot_rise_K = 0.0;   ///< hot spot over top oil at rating
  double loss_ratio = 0.0;        ///< R: load loss over no-load loss at rating
  double oil_exponent = 0.0;      ///< x
  double winding_exponent = 0.0;  ///< y
  double oil_s = 0.0;             ///< time constant of the oil
  double winding_s = 0.0;         ///< time constant of the winding
  double k11 = 0.0;               ///< thermal constant of the standard
  double k21 = 0.0;               ///< thermal constant of the standard
  double k22 = 0.0;               ///< thermal constant of the standard
  bool upgraded_paper = true;     ///< thermally upgraded insulation (110 °C instead of 98 °C)
  double hot_spot_limit_K = 0.0;  ///< above it the loading is counted as too high
  void fields(FieldVisitor& v);
};

/// Rises over ambient, K.
struct TIDEWATT_API TransformerState {
  double oil_K = 0.0;
  double gradient_fast_K = 0.0;  ///< first term of the hot-spot gradient
  double gradient_slow_K = 0.0;  ///< second term, subtracted: oil that is still cool
  bool operator==(const TransformerState&) const = default;
};

struct TIDEWATT_API TransformerMeters {
  double aged_s = 0.0;  ///< life used, in seconds at the reference hot spot
  double elapsed_s = 0.0;
  double hottest_K = 0.0;  ///< absolute hot spot
  double above_limit_s = 0.0;
  /// Life used per time, dimensionless: 1 at the reference hot spot; 0 before any time.
  double ageing_rate() const { return elapsed_s > 0.0 ? aged_s / elapsed_s : 0.0; }
};

/// Hot spot and ageing by the exponential form of IEC 60076-7.
///
///     θ_o → Δθ_or [(1 + R K²)/(1 + R)]^x        with k_11 τ_o
///     Δθ_h1 → k_21 Δθ_hr K^y                     with k_22 τ_w
///     Δθ_h2 → (k_21 − 1) Δθ_hr K^y               with τ_o/k_22
///     θ_h = θ_a + θ_o + Δθ_h1 − Δθ_h2
///     V = 2^((θ_h − 98 °C)/6)   or, upgraded paper,   V = e^(15000/383 − 15000/θ_h)
///
/// Each difference decays exactly over a step with constant load. Ageing is the mean of V over sub-steps of at most a
/// quarter of τ_w (Simpson). Assumptions: constant ambient over the step. Source: [@iec60076_7].
class TIDEWATT_API Transformer {
 public:
  explicit Transformer(const TransformerParams& params);  ///< @throws InputError
  /// The state that a constant loading (K = load over rating) leads to.
  TransformerState steady(double loading_frac) const;
  /// Absolute hot-spot temperature.
  double hot_spot_K(const TransformerState& state, double ambient_K) const;
  double ageing(double hot_spot_K) const;  ///< V
  /// A stretch of constant loading and ambient; ageing and time above the limit are added up. @throws InputError for a
  /// negative time or loading
  void step(double duration_s, double loading_frac, double ambient_K, TransformerState& state,
            TransformerMeters& meters) const;

 private:
  TransformerState target(double loading_frac) const;
  TransformerState after(const TransformerState& from, const TransformerState& to, double s) const;
  TransformerParams p_;
};

}  // namespace TIDEWATT_NAMESPACE::power
