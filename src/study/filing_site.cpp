// Sections of a filing on the site: its equipment, one-line diagram, methods, assumed inputs.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "base/escape.hpp"
#include "filing_parts.hpp"
#include "sim/site_params.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

/// One box of the diagram, from the grid down.
struct Box {
  std::string title, detail, beside;  ///< beside: what hangs on the same bus
};

std::string diagram(const std::vector<Box>& boxes) {
  constexpr double height = 46, gap = 26, width = 330, left = 40, side = 450, side_width = 330;
  const double total = static_cast<double>(boxes.size()) * (height + gap) + 20.0;
  std::string out = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 830 {0}' width='830' height='{0}' font-family='DejaVu "
      "Sans, sans-serif' "
      "font-size='12'><rect width='830' height='{0}' fill='white'/>",
      total);
  double y = 10.0;
  for (std::size_t i = 0; i < boxes.size(); ++i, y += height + gap) {
    const auto& b = boxes[i];
    if (i + 1 < boxes.size())
      out += fmt::format("<line x1='{0}' x2='{0}' y1='{1}' y2='{2}' stroke='#333' stroke-width='2'/>", left + width / 2,
                         y + height, y + height + gap);
    out += fmt::format(
        "<rect x='{}' y='{}' width='{}' height='{}' fill='#eef3f9' stroke='#0072B2'/><text x='{}' y='{}' "
        "font-weight='bold'>{}</text><text x='{}' y='{}'>{}</text>",
        left, y, width, height, left + 10, y + 19, html_text(b.title), left + 10, y + 36, html_text(b.detail));
    if (b.beside.empty()) continue;
    out += fmt::format(
        "<line x1='{0}' x2='{1}' y1='{2}' y2='{2}' stroke='#333' stroke-width='2'/><rect x='{1}' y='{3}' width='{4}' "
        "height='{5}' fill='#f6f6f6' stroke='#8A8A8A'/><text x='{6}' y='{7}'>{8}</text>",
        left + width, side, y + height / 2, y + 6, side_width, height - 12, side + 10, y + height / 2 + 4,
        html_text(b.beside));
  }
  return out + "</svg>\n";
}

std::string level(const power::FeederLevel& l) {
  return fmt::format("{} of {:.3g} MVA, {:.3g} % reactance", l.n_branch, l.rating_VA * 1e-6, 100.0 * l.reactance_pu);
}

/// The supplies of settings that replace the scenario's; empty: no part of the load is a supply.
std::vector<Box> supplies_given(const Filing& f) {
  std::vector<Box> out;
  const auto& d = f.s.devices;
  for (const auto& p : f.load.parts) {
    if (p.kind != grid::LoadKind::supply) continue;
    std::string low = "never leave by low voltage";
    for (const auto& t : p.group.voltage)
      if (t.below && t.limit > 0.0) low = fmt::format("leave below {:g} pu", t.limit);
    out.push_back(
        {fmt::format("{}, supplies of {}", p.group.name, std::filesystem::path(f.o.source.settings).stem().string()),
         fmt::format("{}, return {:g} s, walk-in {:g} s", low, p.group.return_s, p.group.ramp_s),
         !out.empty()     ? ""
         : d.ups          ? "as filed; they replace site.ups of the scenario"
         : d.ride_through ? "as filed; they replace site.load_settings"
                          : "as filed; the scenario names none"});
  }
  return out;
}

std::string or_assumed(const Filing& f, const std::string& key, std::string value) {
  if (const auto* a = assumed(f, key)) value += fmt::format(" (assumed, {:g} to {:g})", a->low, a->high);
  return value;
}

std::vector<Box> boxes(const Filing& f) {
  const auto& d = f.s.devices;
  const auto feeder = sim::sized_feeder(f.s);
  std::vector<Box> out;
  out.push_back({"Grid",
                 fmt::format("{:.4g} kV, {:.4g} MVA short circuit, X over R {:.3g}", f.s.source.nominal_V * 1e-3,
                             f.s.source.short_circuit_VA * 1e-6, f.s.source.x_over_r_ratio),
                 ""});
  std::string beside = f.s.battery ? fmt::format("site battery, {:.3g} MW, {:.3g} MWh", f.s.battery->power_W * 1e-6,
                                                 f.s.battery->energy_J / 3.6e9)
                                   : "";
  if (d.turbines)
    beside +=
        fmt::format("{}turbines, {:.3g} MW dispatched", beside.empty() ? "" : "; ", d.turbines->dispatch_W * 1e-6);
  out.push_back({"Point of common coupling",
                 d.ride_through ? "leaves the grid by site.load_settings" : "meter of this filing", beside});
  out.push_back({"Site transformers", level(feeder.level[3]), ""});
  const bool given = !f.o.source.settings.empty();
  out.push_back({"Hall transformers", level(feeder.level[2]), d.ups && !given ? "" : "cooling plant and auxiliaries"});
  for (auto& box : given ? supplies_given(f) : std::vector<Box>{}) out.push_back(std::move(box));
  if (d.ups && !given) {
    std::string generators = d.generators ? "; standby generators" : "";
    out.push_back({"Uninterruptible supplies",
                   fmt::format("{}, window {:g} to {:g} pu, return {:g} s, walk-in {:g} s",
                               d.ups->eco ? "eco" : "double conversion", d.ups->low_pu, d.ups->high_pu, d.ups->return_s,
                               d.ups->walk_in_s),
                   "cooling plant and auxiliaries" + generators});
  }
  out.push_back({"Rows and racks",
                 fmt::format("{} row and {} rack branches", feeder.level[1].n_branch, feeder.level[0].n_branch),
                 d.rack_storage ? "storage in the racks" : ""});
  std::int64_t n = 0;
  for (const auto& h : f.s.halls) n += h.hall.n_gpu;
  out.push_back({"Servers",
                 fmt::format("{} GPUs in {} hall{}, {:.4g} MW at design power", n, f.s.halls.size(),
                             f.s.halls.size() == 1 ? "" : "s", f.design_W * 1e-6),
                 ""});
  return out;
}

}  // namespace

void site_section(Filing& f, Page& page) {
  page.heading("1 Site");
  std::vector<std::vector<std::string>> rows = {
      {"scenario", std::filesystem::path(f.o.file).filename().string()},
      {"scenario SHA-256", f.scenario_sha256},
      {"nominal voltage at the connection",
       or_assumed(f, "grid.source.nominal_kV", fmt::format("{:.4g} kV", f.s.source.nominal_V * 1e-3))},
      {"short-circuit power there",
       or_assumed(f, "grid.source.short_circuit_MVA", fmt::format("{:.4g} MVA", f.s.source.short_circuit_VA * 1e-6))},
      {"nominal frequency", fmt::format("{:g} Hz", f.s.frequency.nominal_Hz)},
      {"servers at design power", fmt::format("{:.4g} MW", f.design_W * 1e-6)}};
  for (const auto& h : f.s.halls)
    rows.push_back({"hall " + h.hall.name, fmt::format("{} GPUs, {:g} W each at their limit; plant: {}", h.hall.n_gpu,
                                                       h.gpu.tdp_W, word_of(h.plant_kind))});
  for (const auto& j : f.s.jobs)
    rows.push_back({"job " + j.name, j.model_name.empty() ? "training" : "trains " + j.model_name});
  for (const auto& r : f.results)
    rows.push_back({"result " + r.name, fmt::format("run of {}, program version {}, payload SHA-256 {}",
                                                    r.origin.start_time, r.origin.version, r.origin.payload_sha256)});
  page.table({"item", "value"}, rows);
  page.heading("One-line diagram", 3);
  page.figure(diagram(boxes(f)));
  page.text(
      "Branch counts follow from the design load where the scenario does not state them. Relays, breakers and the "
      "route to the substation are not part of the scenario.");
  page.heading("2 Methods");
  page.list(
      {("Power of the site: simulation of GPUs, servers, cooling and power delivery in 1 ms means (tidewatt run). "
        "Harmonics above the fundamental are out of scope."),
       ("Ride-through: settings of the load played against sags of each band of the rule (tidewatt ride). "
        "Units of a part with spread settings are played one by one."),
       ("Ramps and swings: each rule of the rule file on every sample of a recorded window; disturbances that the grid "
        "caused, and the minute after each, are left out."),
       "Flicker: IEC 61000-4-15 on the computed voltage. Spectrum: Welch, Hann window, mean removed.",
       ("Model records: PERC1 from the settings, checked by playing sags into records and site. Model tests: our own "
        "PERC1 behind the source of the one-line diagram, not the utility's program.")});
}

void assumed_section(const Filing& f, Page& page) {
  page.heading("8 Assumed inputs and their ranges");
  page.text(
      "Values that nobody has stated for this site. A range says how far the true value may lie, a list of words what "
      "else it may be; `tidewatt sweep` "
      "shows "
      "what it moves. Sources: [R] read in the primary text, [S] in a secondary one, [D] taken from data, [C] "
      "calculated, "
      "[K] recalled.");
  std::vector<std::vector<std::string>> rows;
  rows.reserve(f.assumed.size());
  for (const auto& a : f.assumed) {
    const bool is_word = !a.words.empty();
    rows.push_back({a.key, is_word ? a.text(a.value) : number(a.value, 7),
                    is_word ? a.choices() : fmt::format("{:.7g} to {:.7g}", a.low, a.high), a.source});
  }
  if (rows.empty())
    page.text("None.");
  else
    page.table({"input", "value", "range", "source"}, rows);
  if (f.s.defaults.empty()) return;
  page.heading("Defaults that the scenario does not name", 3);
  rows.clear();
  for (const auto& d : f.s.defaults) rows.push_back({d.key, d.value, d.source});
  page.table({"input", "value", "source"}, rows);
}

}  // namespace TIDEWATT_NAMESPACE::study
