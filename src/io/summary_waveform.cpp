#include "summary_waveform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace TIDEWATT_NAMESPACE::io {

double line_MW(const Figures& figures, double at_Hz) {
  const auto& frequency = figures.array("/spectrum/frequency_Hz");
  const auto& amplitude = figures.array("/spectrum/pcc_amplitude_W");
  if (frequency.empty() || amplitude.size() != frequency.size()) return std::nan("");
  const auto near = std::min_element(frequency.begin(), frequency.end(),
                                     [&](double a, double b) { return std::abs(a - at_Hz) < std::abs(b - at_Hz); }) -
                    frequency.begin();
  const auto from = std::max<std::ptrdiff_t>(1, near - 2),
             to = std::min<std::ptrdiff_t>(near + 3, std::ssize(amplitude) - 1);
  double most_W = std::nan("");
  for (auto i = static_cast<std::size_t>(from); std::cmp_less(i, to); ++i)
    if (amplitude[i] > 0.0 && amplitude[i] >= std::max(amplitude[i - 1], amplitude[i + 1]) && !(amplitude[i] <= most_W))
      most_W = amplitude[i];
  return most_W * 1e-6;
}

std::string effect_within_a_second(const Figures& figures, double at_s) {
  constexpr double felt_share = 1e-3;  // of the load
  const double iteration_s = figures.longest_iteration_s();
  const double before_s = std::max(1.0, std::isfinite(iteration_s) ? iteration_s : 0.0);
  for (const auto& a : figures.result().arrays) {
    if (!a.path.starts_with("/waveform_") || !a.path.ends_with("/time")) continue;
    const auto& time = figures.array(a.path);
    const auto& power = figures.array(a.path.substr(0, a.path.size() - 5) + "/pcc_W");
    if (time.empty() || power.size() != time.size() || at_s - before_s < time.front() || at_s + 1.0 > time.back())
      continue;
    const auto index = [&](double s) { return std::lower_bound(time.begin(), time.end(), s) - time.begin(); };
    const auto range = [&](double from_s, double to_s) {
      return std::ranges::minmax(std::span(power).subspan(static_cast<std::size_t>(index(from_s)),
                                                          static_cast<std::size_t>(index(to_s) - index(from_s))));
    };
    const auto before = range(at_s - before_s, at_s - 1e-3), after = range(at_s, at_s + 1.0);
    const double falls_W = before.min - after.min, rises_W = after.max - before.max;
    const std::string since = iteration_s >= 1.0 ? "the iteration before" : "the second before";
    if (std::max(falls_W, rises_W) <= felt_share * before.max)
      return fmt::format("within a second, the load stays within what it was in {}, {} to {} MW", since,
                         shown(before.min * 1e-6), shown(before.max * 1e-6));
    const bool falls = falls_W >= rises_W;
    return fmt::format("within a second, the load {} to {} MW, {} MW {} in {}", falls ? "falls" : "rises",
                       shown((falls ? after.min : after.max) * 1e-6), shown(std::max(falls_W, rises_W) * 1e-6),
                       falls ? "below its lowest" : "above its highest", since);
  }
  return "no recorded window holds an iteration before and a second after it ([[record.window]])";
}

}  // namespace TIDEWATT_NAMESPACE::io
