#include "filing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "base/escape.hpp"
#include "base/sha256.hpp"
#include "filing_parts.hpp"
#include "io/result_file.hpp"
#include "rule_study.hpp"
#include "sim/load_groups.hpp"
#include "sim/scenario_inputs.hpp"
#include "sim/site_params.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

io::ExportFile text_file(std::string name, std::string text) {
  return {std::move(name), [text = std::move(text)](const io::Append& to) { to(text); }};
}

FiledResult read_result(const Filing& f, const std::string& path) {
  FiledResult r;
  r.path = path;
  r.origin = io::read_result_origin(path);
  r.name = r.origin.name;
  const io::ResultFile file(path);
  r.summary = nlohmann::ordered_json::parse(file.summary_json(), nullptr, false);
  const auto windows = io::waveform_windows(path);
  r.end_s = figure_of(r, "simulated_s");
  r.rated = rated_part(r.origin.scenario, r.end_s);
  if (!f.o.window.empty() || !windows.empty()) r.window = io::read_waveform(path, f.o.window);
  if (r.window && !r.window->pcc_W.empty() && f.judged()) {
    const auto left_out = grid_disturbances(*r.window, r.origin);
    const double peak_W = std::max(f.design_W, *std::max_element(r.window->pcc_W.begin(), r.window->pcc_W.end()));
    r.outcomes = grid::check_record(f.book, {r.window->first_s, r.window->step_s, r.window->pcc_W, peak_W, left_out});
  }
  return r;
}

/// The load at the means of the first result, else servers at design power.
SiteLoad load_of(const Filing& f) {
  if (f.results.empty()) return site_load(f.s.devices, f.design_W, f.design_W, f.o.source);
  const auto& r = f.results.front();
  const double servers = figure_of(r, "it_mean_MW"), site = figure_of(r, "pcc_mean_MW");
  if (std::isnan(servers) || std::isnan(site))
    throw InputError(r.path + ": the summary has no it_mean_MW or pcc_mean_MW");
  return site_load(f.s.devices, servers * 1e6, site * 1e6, f.o.source);
}

/// For ride-through: servers at design power, the plant as in the first result.
std::vector<grid::LoadGroup> units_of_site(const Filing& f) {
  if (f.o.source.settings.empty()) return sim::site_groups(f.s, f.o.source.current_limit_pu).groups;
  const double plant_W =
      f.results.empty() ? 0.0 : std::max(0.0, f.load.site_W - 1e6 * figure_of(f.results.front(), "it_mean_MW"));
  auto parts = grid::with_power(find_load_settings(f.o.source.settings, f.o.source.overlay), f.design_W, plant_W);
  for (auto& p : parts)
    if (p.kind == grid::LoadKind::supply)
      p.group.current_ratio = std::min(p.group.current_ratio, f.o.source.current_limit_pu);
  return grid::units_of(parts);
}

std::string sheet_csv(const std::vector<DataSheetRow>& rows) {
  std::string out = "field,value,unit,span,method,input\n";
  for (const auto& r : rows)
    out += fmt::format("{},{},{},{},{},{}\n", csv_cell(r.field), csv_cell(r.value), csv_cell(r.unit), csv_cell(r.span),
                       csv_cell(r.method), csv_cell(r.input));
  return out;
}

/// Results of another scenario are reported, not refused: a run may have its own overrides.
void compare_scenarios(Filing& f) {
  for (const auto& r : f.results) {
    const auto changes = sim::input_changes(r.origin.scenario, f.s.text);
    for (const auto& change : changes)
      f.open.push_back(
          fmt::format("result {} was made with another input: {}: {}", r.name, change.key, change.message));
    if (!changes.empty())
      f.warnings.push_back(fmt::format(
          "result {} is of another scenario than {}: {} input{} differ{} (SHA-256 {}… and {}…); listed as open items",
          r.path, f.o.file, changes.size(), changes.size() == 1 ? "" : "s", changes.size() == 1 ? "s" : "",
          r.origin.scenario_sha256.substr(0, 12), f.scenario_sha256.substr(0, 12)));
  }
}

/// Inputs of the connection without a stated value determine most figures of a filing.
void assumed_connection(Filing& f) {
  for (const auto& [key, what] :
       {std::pair{"grid.source.short_circuit_MVA", "short-circuit power at the connection, MVA"},
        {"grid.source.nominal_kV", "nominal voltage at the connection, kV"},
        {"grid.source.x_over_r_ratio", "X over R of the grid there"}})
    if (const auto* a = assumed(f, key))
      f.open.push_back(fmt::format("assumed, not stated: {}: {:g}, range {:g} to {:g} ({}); set {}", what, a->value,
                                   a->low, a->high, a->source, a->key));
}

}  // namespace

FilingPack make_filing(const sim::Scenario& s, const grid::RuleBook& book, const FilingOptions& o) {
  Filing f{s, book, o};
  f.design_W = sim::design_load_W(s);
  f.assumed = s.assumed;
  for (auto& a : assumed_settings(o.source.settings, o.source.overlay)) f.assumed.push_back(std::move(a));
  f.scenario_sha256 = sha256_hex(s.text);
  f.why_not = book.why_not(f.design_W, s.source.nominal_V, 1.0);
  for (const auto& path : o.results) f.results.push_back(read_result(f, path));
  f.load = load_of(f);
  for (auto& device : unheld_devices(s.devices)) f.load.open.push_back(std::move(device));
  if (s.battery) f.load.open.emplace_back("site battery: what it gives in a sag is not in the records");
  f.units = units_of_site(f);
  assumed_connection(f);
  compare_scenarios(f);

  // Sections in the order of the report; each adds its open items.
  FilingPack out;
  Page body;
  std::vector<io::ExportFile> files;
  site_section(f, body);
  ride_section(f, body);
  record_section(f, body);
  model_section(f, body, files);
  playback_section(f, body, files);
  out.sheet = data_sheet(f);
  body.heading("7 Data sheet");
  std::vector<std::vector<std::string>> rows;
  for (const auto& r : out.sheet) {
    rows.push_back({r.field, r.value, r.unit, r.span, r.method, r.input});
    if (r.value == "open") f.open.push_back("data sheet, " + r.field + ": " + r.input);
  }
  body.text(
      "Figures of a run name the part that they are taken from: the whole run with its start-up, the rated part on "
      "which "
      "the site's rules are measured (site.rules_from_s, site.rules_until_s), or the recorded window.");
  body.table({"field", "value", "unit", "span", "method", "input"}, rows);
  assumed_section(f, body);

  // Open items come first, so that a reader does not miss them.
  for (const auto& item : f.open)
    if (std::find(out.open.begin(), out.open.end(), item) == out.open.end()) out.open.push_back(item);
  out.warnings = f.warnings;
  out.ride = f.ride         ? f.ride->text()
             : !f.book.ride ? "the rule file has no ride-through part"
                            : "does not apply: " + f.why_not;
  Page head;
  const std::string title = fmt::format("{}: filing for {}", std::filesystem::path(o.file).stem().string(), book.title);
  head.heading(title, 1);
  head.text(fmt::format("Made by tidewatt {} from scenario SHA-256 {}. Figures are simulated, not measured.",
                        TIDEWATT_VERSION, f.scenario_sha256));
  head.text(f.ride && !f.why_not.empty()
                ? fmt::format("Ride-through, judged although the rules do not apply ({}): {}.", f.why_not, out.ride)
                : "Ride-through: " + out.ride + ".");
  if (f.why_not.empty() && book.ride)
    head.text(fmt::format("The rules apply: {}.", book.why(f.design_W, s.source.nominal_V, 1.0)));
  for (const auto& r : f.results) {
    const auto n = [&](grid::RecordVerdict v) {
      return std::count_if(r.outcomes.begin(), r.outcomes.end(), [v](const auto& x) { return x.verdict == v; });
    };
    if (!r.outcomes.empty())
      head.text(fmt::format("Ramps and swings of result {}: {} pass, {} fail, {} undecided, {} not measured.", r.name,
                            n(grid::RecordVerdict::pass), n(grid::RecordVerdict::fail),
                            n(grid::RecordVerdict::undecided), n(grid::RecordVerdict::not_measured)));
  }
  head.heading("Open items");
  head.list(out.open);
  out.files.push_back(text_file("report.html", document(title, head.html() + body.html())));
  out.files.push_back(text_file("datasheet.csv", sheet_csv(out.sheet)));
  for (auto& file : files) out.files.push_back(std::move(file));
  std::set<std::string> names;
  for (const auto& file : out.files)
    if (!names.insert(file.name).second)
      throw InputError(
          fmt::format("file: two results of the name '{}' would write the same file; rename one", file.name));
  return out;
}

std::string filing_manifest(const sim::Scenario& s, const std::vector<io::ExportFile>& files) {
  nlohmann::ordered_json o{{"program", fmt::format("tidewatt {}", TIDEWATT_VERSION)},
                           {"scenario_sha256", sha256_hex(s.text)},
                           {"files", nlohmann::ordered_json::array()}};
  for (const auto& file : files) {
    Sha256 hash;
    std::uint64_t bytes = 0;
    file.fill([&](std::span<const char> piece) {
      hash.bytes({piece.data(), piece.size()});
      bytes += piece.size();
    });
    o["files"].push_back({{"name", file.name}, {"bytes", bytes}, {"sha256", hash.hex()}});
  }
  return o.dump(2) + "\n";
}

}  // namespace TIDEWATT_NAMESPACE::study
