#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "explain_swing.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

std::string gpu_line(const NamedGpu& g) {
  return fmt::format(
      "   row {:>3} rack {:>4} server {:>5} slot {}: die {:.1f} degC, alone {:.0f} MHz, inlet {:.1f} degC, leakage "
      "x{:.2f}, resistance x{:.2f}\n",
      g.row, g.rack, g.node, g.slot, g.die_K - 273.15, g.own_Hz * 1e-6, g.inlet_K - 273.15, g.leakage_ratio,
      g.resistance_ratio);
}

}  // namespace

std::string power_text(const SwingReport& r) {
  auto causes = r.causes;
  std::stable_sort(causes.begin(), causes.end(),
                   [](const auto& a, const auto& b) { return std::abs(a.adds_MW) > std::abs(b.adds_MW); });
  std::string out = fmt::format(
      "Mean power at the connection is {:.4f} MW, its steepest fall {:.1f} MW/s. Without ... the mean would be:\n",
      r.mean_MW, r.fall_MW_per_s);
  for (const auto& c : causes)
    out += fmt::format("   {:<18} {:>9.4f} MW  ({:+.4f} MW, steepest fall {:+.2f} MW/s)  {}\n", c.name, c.without_MW,
                       c.adds_MW, c.adds_ramp_MW_per_s, c.how);
  return out;
}

std::string swing_text(const SwingReport& r) {
  const std::string worst = r.min_hours.empty() ? "" : fmt::format(", lowest from {} h", fmt::join(r.min_hours, ", "));
  std::string out =
      fmt::format("Hourly throughput swings by {:.3f} %{}. Without ... it would swing by:\n", r.swing_percent, worst);
  for (const auto& c : r.causes)
    out += fmt::format("   {:<18} {:>8.4f} %  ({:+.4f} points)  {}\n", c.name, c.without_percent, c.adds_points, c.how);
  out += "What would change it:\n";
  for (const auto& l : r.levers)
    out += fmt::format("   {:<18} {:+.3f} % tokens, {:+.3f} % energy per token, swing {:.3f} %  {}\n", l.name,
                       l.tokens_percent, l.energy_per_token_percent, l.swing_percent, l.how);
  for (const auto& n : r.notes) out += "   " + n + "\n";
  out += "Hottest GPUs when the inlet was warmest:\n";
  for (const auto& g : r.hottest) out += gpu_line(g);
  out += "Slowest GPUs then, for which the others wait:\n";
  for (const auto& g : r.slowest) out += gpu_line(g);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
