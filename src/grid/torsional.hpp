#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// A shaft mode of a turbine-generator nearby.
struct TorsionalMode {
  double frequency_Hz = 0.0;
  double damping_frac = 0.0;  ///< ζ; shafts have 1e-4 to 1e-2
};

/// How strongly a mode was driven.
struct TorsionalFinding {
  TorsionalMode mode;
  double equivalent_W = 0.0;  ///< amplitude of the lasting sine at the mode that would drive it as far as the load did
  std::int64_t at_bin = -1;   ///< when
};

/// Screening of shaft modes: each is a resonator on the load, stepped exactly for loads constant over a bin.
///
///     z' = (−ζ ω + j ω √(1 − ζ²)) z + x,   equivalent = 2 ζ ω |z|  (a sine of amplitude a at the mode settles at a)
///
/// A screening figure: where it is large against the machine's rating, a study with the shaft's data is needed.
/// Assumption: the drive at the machine follows the site's power; modes do not couple.
class TorsionalScreen {
 public:
  /// @param modes frequencies 0.5 to 200 Hz, 0 < ζ < 0.5  @throws InputError
  explicit TorsionalScreen(std::vector<TorsionalMode> modes);
  /// A recorded interval begins at this absolute 1 ms bin, the shafts at rest under `rest_W`.
  void begin(std::int64_t first_bin, double rest_W);
  /// The next 1 ms means, [n].
  void push(std::span<const double> load_W);
  std::vector<TorsionalFinding> findings() const;

 private:
  std::vector<TorsionalMode> modes_;
  std::vector<double> decay_re_, decay_im_, drive_re_, drive_im_, scale_;
  std::vector<double> re_, im_, largest_;  // largest |z|²
  std::vector<std::int64_t> at_bin_;
  std::int64_t next_bin_ = 0;
  double rest_W_ = 0.0;
};

}  // namespace TIDEWATT_NAMESPACE::grid
