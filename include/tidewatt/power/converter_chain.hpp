#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/sum.hpp"
#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::power {

/// One converter with a link capacitor and the loop that keeps its voltage.
struct TIDEWATT_API ConverterStage {
  double voltage_Hz = 0.0;     ///< bandwidth of the voltage loop: where its open-loop gain is 1
  double damping_ratio = 0.0;  ///< of the voltage loop
  double current_Hz = 0.0;     ///< bandwidth of the current loop inside it; 0: immediate
  double link_s = 0.0;         ///< C in per unit: twice the link's energy at nominal voltage over rated power
  /// ω/2π of the closed loop:  f_voltage/sqrt(2ζ² + sqrt(4ζ⁴ + 1)), from |(2ζω s + ω²)/s²| = 1 at f_voltage.
  double natural_Hz() const;
  void fields(FieldVisitor& v, std::string_view prefix);
};

/// From a rack's load to the connection: DC-DC, supply, inverter of the UPS, rectifier of the UPS.
struct TIDEWATT_API ConverterChainParams {
  static constexpr std::size_t n_stage = 4;
  static constexpr std::array<std::string_view, n_stage> stage_names{"dcdc", "psu", "vsi", "afe"};
  double rating_W = 0.0;                      ///< of the whole fleet that the chain represents
  std::array<ConverterStage, n_stage> stage;  ///< in the order of `stage_names`
  double no_load_loss_frac = 0.0;             ///< loss of all stages without load, as a fraction of the rating
  double proportional_loss_frac = 0.0;        ///< loss proportional to the load, as a fraction of the rating
  double quadratic_loss_frac = 0.0;  ///< loss proportional to the square of the load, as a fraction of the rating
  void fields(FieldVisitor& v);
};

/// Frequency response: connection watts per load watt.
struct TIDEWATT_API ChainResponse {
  double frequency_Hz = 0.0;
  double magnitude = 0.0;
  double phase_deg = 0.0;  ///< negative: the connection lags, unwrapped from 0 at low frequency
};

struct TIDEWATT_API ConverterChainState {
  /// Per stage: link energy off nominal J, integrator W, drawn W (if it has a current loop).
  std::array<double, 12> x{};
  bool operator==(const ConverterChainState&) const = default;
  template <class A>
  void archive(A& a) {
    a(x);
  }
};

struct TIDEWATT_API ConverterChainMeters {
  CompensatedSum load_J, loss_J, drawn_J;
  std::array<double, ConverterChainParams::n_stage> link_low_pu{1, 1, 1, 1}, link_high_pu{1, 1, 1, 1};
  /// |drawn − load − loss − stored| / drawn. @param stored_J rise of the links' energy
  /// Relative, dimensionless.
  double closure(double stored_J) const;
  template <class A>
  void archive(A& a) {
    a(load_J, loss_J, drawn_J, link_low_pu, link_high_pu);
  }
};

/// Response of the control loops of supplies and uninterruptible supplies to a load's waveform, 0.1–50 Hz.
///
///     w' = p − u,   r = −2ζω w + x,   x' = −ω² w,   p' = ω_c (r − p)      (u drawn by the stage below, w = ½C(v² − 1))
///     p/u = G/(s + G),   G = (2ζω + ω²/s) ω_c/(s + ω_c)
///
/// With the link's energy as state the balance is exact at any amplitude: ∫(drawn − load − loss) = Δ(energy of all
/// links). Each stage amplifies below √2 ω and attenuates above: the chain amplifies changes that it cannot follow at once.
/// The stream is stepped exactly for a load constant over each 1 ms bin. Losses, a polynomial of the load, join in
/// front of the loops. Assumptions: small-signal controllers that never saturate; constant terminal voltage; harmonics
/// of the mains (above 60 Hz) are out of scope. A bandwidth
/// is read as the frequency of unit open-loop gain, as converter designers use the word. Source: loop bandwidths of arXiv 2604.06624 [@power_delivery_resonance].
class TIDEWATT_API ConverterChain {
 public:
  explicit ConverterChain(const ConverterChainParams& params);  ///< @throws InputError

  /// Gain and phase from the load to the connection at one frequency. @throws InputError unless it is above 0
  ChainResponse response(double frequency_Hz) const;
  /// At several frequencies, [n], in any order. @throws InputError unless they are above 0
  std::vector<ChainResponse> response(std::span<const double> frequency_Hz) const;
  /// The largest magnitude between two frequencies, found on a grid and refined to 1e-6. @throws InputError
  ChainResponse peak(double low_Hz, double high_Hz) const;

  ConverterChainState start(double load_W) const;  ///< at rest under a steady load
  /// @param load_W 1 ms means  @param drawn_W same length, may be the same memory  @throws InputError
  void step(std::span<const double> load_W, std::span<double> drawn_W, ConverterChainState& state,
            ConverterChainMeters& meters) const;
  double stored_J(const ConverterChainState& state) const;  ///< energy of all links off nominal
  /// Loss of all stages at a steady load.
  double loss_W(double load_W) const;

 private:
  static constexpr std::size_t width = 12;
  ConverterChainParams p_;
  std::array<std::size_t, ConverterChainParams::n_stage> first_{};  // index of each stage's w
  std::size_t n_state_ = 0;                                         // without the energy integral behind them
  std::array<std::array<double, width>, width> column_{};           // column_[j][i] = E_ij
  std::array<double, width> drive_{};                               // F
};

}  // namespace TIDEWATT_NAMESPACE::power
