#include "fit_residuals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "numerics/spectrum.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

std::vector<double> on_equal_steps(std::span<const double> time_s, std::span<const double> x, double step_s) {
  std::vector<double> out;
  std::size_t next = 1;
  for (double t = time_s.front(); t <= time_s.back(); t += step_s) {
    while (next + 1 < time_s.size() && time_s[next] < t) ++next;
    const double share = std::clamp((t - time_s[next - 1]) / (time_s[next] - time_s[next - 1]), 0.0, 1.0);
    out.push_back(x[next - 1] + share * (x[next] - x[next - 1]));
  }
  return out;
}

}  // namespace

ResidualReport residual_report(std::span<const double> time_s, std::span<const double> residual,
                               const FitNoise& noise) {
  ResidualReport out;
  double square = 0.0;
  for (const double r : residual) square += r * r;
  out.rms = std::sqrt(square / static_cast<double>(std::max<std::size_t>(1, residual.size())));
  out.drift_rms = noise.drift, out.drift_s = noise.drift > 0.0 ? noise.drift_s : 0.0;
  out.effective_samples = effective_samples(noise, time_s);
  std::size_t segment = 16;
  while (segment * 4 <= residual.size() && segment < 4096) segment *= 2;
  if (residual.size() < 64) return out;
  const double step_s = (time_s.back() - time_s.front()) / static_cast<double>(time_s.size() - 1);
  numerics::Welch welch(segment, 1.0 / step_s);
  welch.push(on_equal_steps(time_s, residual, step_s));
  const auto spectrum = welch.result();
  if (spectrum.n_segment == 0) return out;
  const double lowest_Hz = spectrum.bin_Hz, highest_Hz = 0.5 / step_s;
  // At most four bands per record, each a factor in period; changes slower than the segments go to the longest.
  double sum = 0.0;
  const double factor = std::pow(highest_Hz / lowest_Hz, 0.25);
  for (int k = 0; k < 4; ++k) {
    const double low_Hz = lowest_Hz * std::pow(factor, k),
                 high_Hz = k == 3 ? highest_Hz : lowest_Hz * std::pow(factor, k + 1);
    const double rms = spectrum.band_rms(low_Hz + 0.01 * spectrum.bin_Hz * (k > 0 ? 1.0 : -1.0), high_Hz);
    out.bands.push_back({1.0 / high_Hz, k == 0 ? 0.0 : 1.0 / low_Hz, rms});
    if (k > 0) sum += rms * rms;
  }
  out.bands.front().rms = std::sqrt(
      std::max(out.bands.front().rms * out.bands.front().rms, square / static_cast<double>(residual.size()) - sum));
  const auto line = spectrum.dominant(4.0 * spectrum.bin_Hz);
  if (line.frequency_Hz > 0.0) out.line_s = 1.0 / line.frequency_Hz, out.line_amplitude = line.amplitude;
  return out;
}

std::string residual_text(const ResidualReport& r, const char* unit) {
  std::string out = fmt::format("residuals: {:.3g} {} rms", r.rms, unit);
  if (r.drift_rms > 0.0)
    out += fmt::format(", of it {:.2g} {} drifting within {:.2g} s ({:.0f} independent readings)", r.drift_rms, unit,
                       r.drift_s, r.effective_samples);
  for (std::size_t i = 0; i < r.bands.size(); ++i)
    out +=
        i == 0
            ? fmt::format("\n  spectrum: {:.2g} {} in periods over {:.3g} s", r.bands[i].rms, unit, r.bands[i].short_s)
            : fmt::format(", {:.2g} in {:.3g} to {:.3g} s", r.bands[i].rms, r.bands[i].short_s, r.bands[i].long_s);
  if (r.line_s > 0.0) out += fmt::format("; largest line {:.2g} {} at {:.3g} s", r.line_amplitude, unit, r.line_s);
  return out + "\n";
}

}  // namespace TIDEWATT_NAMESPACE::study
