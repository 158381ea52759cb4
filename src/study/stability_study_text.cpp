#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "say.hpp"
#include "stability_study.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

std::string onset_words(const grid::SupplyOnset& o) {
  const std::string load = watts_text(o.load_W);
  if (o.end == grid::SupplyEnd::oscillates)
    return fmt::format("oscillates from {} on, at {:.2f} Hz", load, o.frequency_Hz);
  if (o.end == grid::SupplyEnd::drifts) return fmt::format("drifts away without oscillating from {} on", load);
  return fmt::format("stable up to {}, the {}", load,
                     o.end == grid::SupplyEnd::nose ? "nose of the voltage curve" : "supplies' current limit");
}

std::string mode_words(double frequency_Hz, double damping_frac) {
  return fmt::format("{:.2f} Hz, damping {:+.2f} %", frequency_Hz, 100.0 * damping_frac);
}

nlohmann::ordered_json onset_json(const grid::SupplyOnset& o) {
  nlohmann::ordered_json j{{"ends_by", grid::name(o.end)}, {"load_MW", o.load_W * 1e-6}};
  j["frequency_Hz"] =
      o.end == grid::SupplyEnd::oscillates ? nlohmann::ordered_json(o.frequency_Hz) : nlohmann::ordered_json();
  j["most_MW"] = o.most_W * 1e-6;
  return j;
}

/// Loads at the onset that fit the event, one line.
std::string fit_words(const Stability& s) {
  const auto& o = s.options;
  std::string out = fmt::format("a fit, not a prediction: {:g} Hz (within {:g}) from {:g} MW on, none at {:g} MW\n",
                                o.fit_Hz, o.fit_within_Hz, o.fit_unstable_W * 1e-6, o.fit_stable_W * 1e-6);
  bool any = false;
  for (const auto& f : s.fits) {
    if (!f.fits) continue;
    any = true;
    out += fmt::format(
        "  loop gain {:.3f} ({:.1f} Hz): {:.0f} to {:.0f} MVA of short-circuit power (ratio {:.2f} to {:.2f}), {:.2f} "
        "Hz\n",
        f.gain_ratio, f.loop_Hz, f.short_circuit_low_VA * 1e-6, f.short_circuit_high_VA * 1e-6,
        f.short_circuit_low_VA / o.rating_W, f.short_circuit_high_VA / o.rating_W, f.frequency_Hz);
  }
  return out + (any ? "" : "  no pair of short-circuit power and loop gain in the range searched\n");
}

}  // namespace

std::string stability_text(const Stability& s) {
  const auto& o = s.options;
  std::string out = fmt::format(
      "{:g} MW on supplies rated {:g} MW behind {:g} MVA (short-circuit ratio {:.2f}, X/R {:g}); control {}, loop gain "
      "{:g} ({:.1f} Hz), link filter {:g} ms\n",
      o.load_W * 1e-6, o.rating_W * 1e-6, o.short_circuit_VA * 1e-6, o.short_circuit_VA / o.rating_W, o.x_over_r_ratio,
      o.control, o.gain_ratio, s.loop_Hz, 1e3 * o.link_filter_s);
  if (s.modes.empty()) {
    out += fmt::format("no operating point: {}\n", s.refused);
  } else {
    const auto& m = s.modes.front();
    out += fmt::format("{}: {} by eigenvalues; {} by simulation\n", m.s.real() < 0.0 ? "stable" : "unstable",
                       mode_words(m.frequency_Hz, m.damping_frac),
                       mode_words(s.simulated.frequency_Hz, s.simulated.damping_frac));
    out += "  states that take part:";
    for (std::size_t i = 0; i < std::min<std::size_t>(3, m.parts.size()); ++i)
      out += fmt::format("{} {} {:.0f} %", i ? "," : "", m.parts[i].state, 100.0 * m.parts[i].share_frac);
    out += "\n";
  }
  out += fmt::format("onset by eigenvalues: {}\nonset by simulation:  {}\n", onset_words(s.onset),
                     onset_words(s.onset_in_time));
  if (!s.fits.empty()) out += fit_words(s);
  return out;
}

std::string stability_json(const Stability& s) {
  const auto& o = s.options;
  nlohmann::ordered_json j{{"control", o.control},
                           {"load_MW", o.load_W * 1e-6},
                           {"rating_MW", o.rating_W * 1e-6},
                           {"short_circuit_MVA", o.short_circuit_VA * 1e-6},
                           {"short_circuit_ratio", o.short_circuit_VA / o.rating_W},
                           {"x_over_r_ratio", o.x_over_r_ratio},
                           {"gain_ratio", o.gain_ratio},
                           {"loop_Hz", s.loop_Hz},
                           {"link_filter_s", o.link_filter_s}};
  j["stable"] = s.modes.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(s.modes.front().s.real() < 0.0);
  if (!s.refused.empty()) j["refused"] = s.refused;
  j["modes"] = nlohmann::ordered_json::array();
  for (const auto& m : s.modes) {
    nlohmann::ordered_json parts = nlohmann::ordered_json::object();
    for (const auto& p : m.parts) parts[p.state] = p.share_frac;
    j["modes"].push_back({{"real_per_s", m.s.real()},
                          {"frequency_Hz", m.frequency_Hz},
                          {"damping_percent", 100.0 * m.damping_frac},
                          {"parts", parts}});
  }
  if (!s.modes.empty())
    j["simulated"] = {{"frequency_Hz", s.simulated.frequency_Hz},
                      {"damping_percent", 100.0 * s.simulated.damping_frac}};
  j["onset"] = onset_json(s.onset);
  j["onset_simulated"] = onset_json(s.onset_in_time);
  for (const auto& c : s.cells)
    j["map"].push_back(
        {{"short_circuit_ratio", c.ratio}, {"gain_ratio", c.gain_ratio}, {"onset", onset_json(c.onset)}});
  if (!s.fits.empty()) {
    j["fit"] = {{"stable_MW", o.fit_stable_W * 1e-6},
                {"unstable_MW", o.fit_unstable_W * 1e-6},
                {"frequency_Hz", o.fit_Hz},
                {"within_Hz", o.fit_within_Hz},
                {"rows", nlohmann::ordered_json::array()}};
    for (const auto& f : s.fits)
      if (f.fits)
        j["fit"]["rows"].push_back({{"gain_ratio", f.gain_ratio},
                                    {"loop_Hz", f.loop_Hz},
                                    {"short_circuit_low_MVA", f.short_circuit_low_VA * 1e-6},
                                    {"short_circuit_high_MVA", f.short_circuit_high_VA * 1e-6},
                                    {"frequency_Hz", f.frequency_Hz}});
  }
  return j.dump();
}

std::string stability_csv(const Stability& s) {
  std::string out = "time_s,power_MW,voltage_pu,link_ratio\n";
  const auto& t = s.trace;
  for (std::size_t r = 0; r < t.time_s.size(); ++r)
    out += fmt::format("{:.3f},{:.9g},{:.9g},{:.9g}\n", t.time_s[r], t.power_W[r] * 1e-6, t.voltage_pu[r],
                       t.link_ratio[r]);
  return out;
}

std::string stability_map_csv(const Stability& s) {
  std::string out = "short_circuit_ratio,gain_ratio,ends_by,onset_MW,frequency_Hz\n";
  for (const auto& c : s.cells)
    out += fmt::format("{:.6g},{:.6g},{},{:.6g},{}\n", c.ratio, c.gain_ratio, grid::name(c.onset.end),
                       c.onset.load_W * 1e-6,
                       c.onset.end == grid::SupplyEnd::oscillates ? fmt::format("{:.6g}", c.onset.frequency_Hz) : "");
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
