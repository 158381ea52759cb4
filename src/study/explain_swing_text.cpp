#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "explain_swing.hpp"
#include "say.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

std::string gpu_line(const NamedGpu& g) {
  return fmt::format(
      "   row {:>3} rack {:>4} server {:>5} slot {}: die {:.1f} degC, alone {:.0f} MHz, inlet {:.1f} degC, leakage "
      "x{:.2f}, resistance x{:.2f}\n",
      g.row, g.rack, g.node, g.slot, g.die_K - 273.15, g.own_Hz * 1e-6, g.inlet_K - 273.15, g.leakage_ratio,
      g.resistance_ratio);
}

/// A mean over fleets, and behind it its standard error if it has one. @param digits behind the point  @param width of the mean
std::string said(const FleetMean& x, int digits, int width = 0) {
  const std::string mean = fmt::format("{:>{}.{}f}", x.mean, width, digits);
  return std::isfinite(x.se) ? fmt::format("{} ± {:.{}f}", mean, x.se, digits) : mean;
}
/// The same of a change, with its sign.
std::string change(const FleetMean& x, int digits) {
  const std::string mean = fmt::format("{:+.{}f}", x.mean, digits);
  return std::isfinite(x.se) ? fmt::format("{} ± {:.{}f}", mean, x.se, digits) : mean;
}

/// What the figures with ± are of.
std::string fleets(const SwingReport& r) {
  return fmt::format("over {} drawn fleets (means ± standard errors)", r.n_fleet);
}

}  // namespace

std::string power_text(const SwingReport& r) {
  auto causes = r.causes;
  std::stable_sort(causes.begin(), causes.end(),
                   [](const auto& a, const auto& b) { return std::abs(a.adds_MW.mean) > std::abs(b.adds_MW.mean); });
  std::string out =
      r.n_fleet > 1
          ? fmt::format(
                "Mean power at the connection is {} MW, its steepest fall {} MW/s {}; {:.4f} MW and {:.1f} MW/s "
                "with this run's own fleet.",
                said(r.MW_over_fleets, 4), said(r.fall_over_fleets, 2), fleets(r), r.mean_MW, r.fall_MW_per_s)
          : fmt::format("Mean power at the connection is {:.4f} MW, its steepest fall {:.1f} MW/s.", r.mean_MW,
                        r.fall_MW_per_s);
  out += " Without ... the mean would be:\n";
  for (const auto& c : causes)
    say(out, "   {:<18} {} MW  ({} MW, steepest fall {} MW/s)  {}\n", c.name, said(c.without_MW, 4, 9),
        change(c.adds_MW, 4), change(c.adds_ramp_MW_per_s, 2), c.how);
  return out;
}

std::string swing_text(const SwingReport& r) {
  const std::string worst = r.min_hours.empty() ? "" : fmt::format(", lowest from {} h", fmt::join(r.min_hours, ", "));
  std::string out = r.n_fleet > 1
                        ? fmt::format("Hourly throughput swings by {} % {}; by {:.3f} % with this run's own fleet{}.",
                                      said(r.swing_over_fleets, 3), fleets(r), r.swing_percent, worst)
                        : fmt::format("Hourly throughput swings by {:.3f} %{}.", r.swing_percent, worst);
  out += " Without ... it would swing by:\n";
  const int digits = r.n_fleet > 1 ? 3 : 4;
  for (const auto& c : r.causes)
    say(out, "   {:<18} {} %  ({} points)  {}\n", c.name, said(c.without_percent, digits, 8),
        change(c.adds_points, digits), c.how);
  out += "What would change it:\n";
  for (const auto& l : r.levers)
    say(out, "   {:<18} {} % tokens, {} % energy per token, swing {} %  {}\n", l.name, change(l.tokens_percent, 3),
        change(l.energy_per_token_percent, 3), said(l.swing_percent, 3), l.how);
  for (const auto& n : r.notes) out += "   " + n + "\n";
  out += r.n_fleet > 1 ? "Hottest GPUs of this run when the inlet was warmest:\n"
                       : "Hottest GPUs when the inlet was warmest:\n";
  for (const auto& g : r.hottest) out += gpu_line(g);
  out += "Slowest GPUs then, for which the others wait:\n";
  for (const auto& g : r.slowest) out += gpu_line(g);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
