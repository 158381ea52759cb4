#include "power_line.hpp"

#include <algorithm>
#include <cstddef>

namespace TIDEWATT_NAMESPACE::grid {

numerics::Spectrum power_spectrum(std::span<const double> P_W, double step_s) {
  constexpr std::size_t shortest = 16, longest = std::size_t{1} << 17U;
  std::size_t segment = shortest;
  while (segment * 4 <= P_W.size() && segment < longest) segment *= 2;
  numerics::Welch welch(segment, 1.0 / step_s);
  welch.push(P_W);
  return welch.result();
}

PowerLine largest_line(const numerics::Spectrum& s, double lowest_Hz) {
  PowerLine out;
  out.lowest_Hz = std::max(lowest_Hz, 4.0 * s.bin_Hz);
  out.segment_s = s.bin_Hz > 0.0 ? 1.0 / s.bin_Hz : 0.0;
  if (s.n_segment == 0 || s.psd.empty()) return out;
  if (out.lowest_Hz >= s.bin_Hz * static_cast<double>(s.psd.size() - 1)) return out;
  const auto line = s.dominant(out.lowest_Hz);
  out.frequency_Hz = line.frequency_Hz;
  out.amplitude_W = line.amplitude;
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::grid
