#include "stability_study.hpp"

#include <fmt/format.h>

#include <cmath>

#include "tidewatt/base/error.hpp"
#include "tidewatt/base/reader.hpp"
#include "tidewatt/catalog/catalog.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

void check(const StabilityOptions& o, std::vector<Finding>& findings) {
  const auto range = [&](const char* key, double value, double low, double high) {
    if (!(value >= low && value <= high))
      findings.push_back({{}, key, fmt::format("{:g} is outside of {:g} to {:g}", value, low, high)});
  };
  range("load_MW", o.load_W * 1e-6, 1e-3, 1e6);
  range("rating_MW", o.rating_W * 1e-6, 0.0, 1e6);
  range("short_circuit_MVA", o.short_circuit_VA * 1e-6, 1e-3, 1e7);
  range("x_over_r", o.x_over_r_ratio, 0.0, 1000.0);
  range("source_pu", o.source_pu, 0.5, 1.5);
  range("nominal_Hz", o.nominal_Hz, 10.0, 400.0);
  range("gain", o.gain_ratio, 0.01, 100.0);
  range("link_filter_s", o.link_filter_s, 0.0, 1.0);
  range("scr_from", o.ratio_from, 0.1, 1e4);
  range("scr_to", o.ratio_to, 0.1, 1e4);
  range("gain_from", o.gain_from, 0.01, 100.0);
  range("gain_to", o.gain_to, 0.01, 100.0);
  range("points", static_cast<double>(o.points), 2.0, 200.0);
  if (!(o.ratio_to > o.ratio_from)) findings.push_back({{}, "scr_to", "must be above scr_from"});
  if (!(o.gain_to > o.gain_from)) findings.push_back({{}, "gain_to", "must be above gain_from"});
  const int asked = (o.fit_stable_W > 0.0) + (o.fit_unstable_W > 0.0) + (o.fit_Hz > 0.0);
  if (asked != 0 && asked != 3) findings.push_back({{}, "fit_stable_MW, fit_unstable_MW, fit_Hz", "belong together"});
  if (asked == 3 && !(o.fit_unstable_W > o.fit_stable_W))
    findings.push_back({{}, "fit_unstable_MW", "must be above fit_stable_MW"});
  if (asked == 3) range("fit_within_Hz", o.fit_within_Hz, 0.0, 100.0);
}

/// The i-th of n values with equal ratios.
double between(double from, double to, std::int64_t i, std::int64_t n) {
  return from * std::pow(to / from, static_cast<double>(i) / static_cast<double>(n - 1));
}

/// Short-circuit power at which the load can just grow to `load_W`; below `from` or above `to` times the rating: that end.
double short_circuit_for(const grid::SupplyControl& c, grid::SupplyConnection at, double load_W, double from,
                         double to) {
  double low = std::log(from), high = std::log(to);
  while (high - low > 1e-3) {
    const double middle = 0.5 * (low + high);
    at.short_circuit_VA = at.rating_W * std::exp(middle);
    (grid::supply_onset(c, at).load_W < load_W ? low : high) = middle;
  }
  return at.rating_W * std::exp(0.5 * (low + high));
}

StabilityFit fit_at(const grid::SupplyControl& c, grid::SupplyConnection at, double gain, const StabilityOptions& o) {
  StabilityFit f{gain, c.voltage_loop_Hz * gain, 0.0, 0.0, 0.0, false};
  at.gain_ratio = gain;
  // More short-circuit power lets the load grow further.
  f.short_circuit_high_VA = short_circuit_for(c, at, o.fit_unstable_W, o.ratio_from, o.ratio_to);
  f.short_circuit_low_VA = short_circuit_for(c, at, o.fit_stable_W, o.ratio_from, o.ratio_to);
  at.short_circuit_VA = std::sqrt(f.short_circuit_low_VA * f.short_circuit_high_VA);
  const auto onset = grid::supply_onset(c, at);
  if (onset.end != grid::SupplyEnd::oscillates || onset.load_W <= o.fit_stable_W || onset.load_W >= o.fit_unstable_W)
    return f;
  f.frequency_Hz = onset.frequency_Hz;
  f.fits = std::abs(f.frequency_Hz - o.fit_Hz) <= o.fit_within_Hz;
  return f;
}

}  // namespace

grid::SupplyControl read_supply_control(const std::string& control, const std::string& catalog_overlay,
                                        std::vector<Finding>& findings) {
  grid::SupplyControl out;
  const Node node = catalog::Catalog(catalog_overlay).values("supply_control", control);
  TableReader t(node, control, findings);
  out.fields(t);
  t.finish();
  return out;
}

Stability site_stability(const StabilityOptions& given) {
  Stability out;
  out.options = given;
  auto& o = out.options;
  std::vector<Finding> findings;
  check(o, findings);
  auto control = read_supply_control(o.control, o.catalog_overlay, findings);
  if (!findings.empty()) throw InputError(std::move(findings));
  if (o.rating_W == 0.0) o.rating_W = o.load_W;
  if (o.link_filter_s > 0.0) control.link_filter_s = o.link_filter_s;
  o.link_filter_s = control.link_filter_s;
  const grid::SupplyConnection at{o.nominal_Hz,     o.rating_W,  o.short_circuit_VA,
                                  o.x_over_r_ratio, o.source_pu, o.gain_ratio};
  out.loop_Hz = control.voltage_loop_Hz * o.gain_ratio;
  out.onset = grid::supply_onset(control, at);
  out.onset_in_time = grid::supply_onset_in_time(control, at);
  try {
    out.modes = grid::supply_modes(control, at, o.load_W);
    out.simulated = grid::supply_ring_down(control, at, o.load_W);
    out.trace = grid::supply_play(control, at, o.load_W, 1e-3, 3.0);
  } catch (const RefusedError& error) {
    out.refused = error.what();
  }
  auto moved = at;
  for (std::int64_t g = 0; o.map && g < o.points; ++g)
    for (std::int64_t r = 0; r < o.points; ++r) {
      const double ratio = between(o.ratio_from, o.ratio_to, r, o.points);
      moved.gain_ratio = between(o.gain_from, o.gain_to, g, o.points);
      moved.short_circuit_VA = o.rating_W * ratio;
      out.cells.push_back({ratio, moved.gain_ratio, grid::supply_onset(control, moved)});
    }
  const std::int64_t n_fit = 2 * o.points;  // the onset moves fast with the loop gain
  for (std::int64_t g = 0; o.fit_Hz > 0.0 && g < n_fit; ++g)
    out.fits.push_back(fit_at(control, at, between(o.gain_from, o.gain_to, g, n_fit), o));
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
