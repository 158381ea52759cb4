#include "phase_sag.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::grid {

std::optional<Transformer> transformer_of(std::string_view word) {
  if (word.empty()) return {};
  if (word != "wye_wye" && word != "delta_wye")
    throw InputError(fmt::format("the transformer is wye_wye or delta_wye, not '{}'", word));
  return word == "wye_wye" ? Transformer::wye_wye : Transformer::delta_wye;
}

std::array<double, 3> phase_voltages(double level, std::int64_t n_phase, Transformer transformer) {
  if (n_phase < 1 || n_phase > 3) throw InputError(fmt::format("a sag has 1 to 3 phases, not {}", n_phase));
  const double half = 0.5, side = 0.5 * std::sqrt(3.0);
  std::array<std::complex<double>, 3> v = {std::complex<double>{1.0, 0.0}, {-half, -side}, {-half, side}};
  if (n_phase != 2) v[0] *= level;
  if (n_phase != 1) v[1] *= level, v[2] *= level;
  std::array<double, 3> out{};
  for (std::size_t k = 0; k < 3; ++k)
    out[k] = transformer == Transformer::wye_wye ? std::abs(v[k]) : std::abs(v[k] - v[(k + 1) % 3]) / std::sqrt(3.0);
  return out;
}

std::vector<PhaseLoad> phase_loads(std::span<const LoadGroup> groups, double level, std::int64_t n_phase,
                                   Transformer transformer) {
  const auto v = phase_voltages(level, n_phase, transformer);
  std::vector<LoadGroup> whole, third;
  for (const LoadGroup& g : groups) {
    auto& to = g.per_phase ? third : whole;
    to.push_back(g);
    if (g.per_phase) to.back().power_W /= 3.0;
  }
  std::vector<PhaseLoad> out;
  const auto add = [&](const std::vector<LoadGroup>& part, double at_pu) {
    if (std::any_of(part.begin(), part.end(), [](const auto& g) { return g.power_W > 0.0; }))
      out.push_back({part, at_pu});
  };
  add(whole, *std::min_element(v.begin(), v.end()));
  for (const double phase : v) add(third, phase);
  return out;
}

RidePoint play_phases(const RideRule& rule, std::span<const LoadGroup> groups, double nominal_Hz, double level,
                      double duration_s, std::int64_t n_phase, Transformer transformer, Repetition repetition) {
  RidePoint out;
  out.level = level;
  out.duration_s = duration_s;
  out.repetition = repetition;
  // Each phase's units as a site of their own; what leaves first names the setting.
  for (const PhaseLoad& part : phase_loads(groups, level, n_phase, transformer)) {
    const RidePoint p = play_point(rule, part.groups, nominal_Hz, part.level_pu, duration_s, false, repetition);
    if (p.left_W > 0.0 && (out.left_after_s < 0.0 || p.left_after_s < out.left_after_s))
      out.left_after_s = p.left_after_s, out.left_in = p.left_in, out.group = p.group, out.setting = p.setting;
    out.left_W += p.left_W;
    out.away_W += p.away_W;
    out.current_ratio = std::max(out.current_ratio, p.current_ratio);
    if (p.recovery_s > out.recovery_s)
      out.recovery_s = p.recovery_s, out.late_group = p.late_group, out.late_setting = p.late_setting;
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::grid
