// Sections of a filing on model records, their tests, and playback files.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "filing_parts.hpp"
#include "grid/model_test.hpp"
#include "io/export_window.hpp"
#include "line_plot.hpp"
#include "load_model.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

std::string test_plot(const grid::ModelTest& t) {
  LinePlot p{fmt::format("{}: {}", t.name, t.input), "time (s)", "power, voltage (pu)", {}, {}};
  p.lines = {{"power of the records over the one before", t.time_s, t.power_pu},
             {"voltage at the load", t.time_s, t.voltage_pu, "#009E73"},
             {"source", t.time_s, t.source_pu, "#8A8A8A", true}};
  p.y_high = 1.4;
  p.height = 150.0;
  return p.svg();
}

ModelTarget target(const Filing& f) {
  const auto stem = std::filesystem::path(f.o.file).stem().string();
  if (!f.results.empty()) return {f.o.bus, model_origin(f.results.front().origin), stem};
  return {f.o.bus,
          fmt::format("tidewatt {}; scenario {}; scenario sha256 {}; no run: servers at design power", TIDEWATT_VERSION,
                      stem, f.scenario_sha256),
          stem};
}

}  // namespace

void model_section(Filing& f, Page& page, std::vector<io::ExportFile>& files) {
  page.heading("5 Dynamic model");
  page.text(fmt::format("Settings: {}. Powers: {}.", f.load.from,
                        f.results.empty() ? "servers at design power, plant open" : "means of the run"));
  for (const auto& open : f.load.open) f.open.push_back("load settings: " + open);
  if (f.load.remainder_W > 0.0)
    f.open.push_back(
        fmt::format("load settings: {:.4g} MW of cooling plant and losses have none", f.load.remainder_W * 1e-6));
  std::vector<std::vector<std::string>> loads;
  double held_W = 0.0;
  const auto add = [&](const char* what, auto make, bool beside_perc1) {
    try {
      auto to = target(f);
      to.beside_perc1 = beside_perc1;
      auto made = make(f.load, to);
      for (const auto& l : made.loads) {
        held_W += l.power_W;
        loads.push_back({l.id, number(l.power_W * 1e-6, 6), l.part, made.files.front().name});
      }
      page.text(fmt::format("{}: {}. Check: {}.", what, made.files.front().name, made.checked));
      for (const auto& w : made.warnings) page.text("Warning: " + w + ".");
      page.preformatted(made.files.front().text());
      for (auto& file : made.files) files.push_back(std::move(file));
      return true;
    } catch (const UnfitError& e) {
      page.text(std::string(e.what()) + ".");
      f.open.emplace_back(e.what());
      return false;
    }
  };
  page.heading("Records", 3);
  page.text(
      "Read the files together: load ids differ between them, and each part of the load is in one of them. Supplies "
      "are "
      "PERC1 records and drives composite loads, which hold the supplies as well only where PERC1 was refused.");
  const bool perc1 = add("PERC1", perc1_model, false);
  if (std::any_of(f.load.parts.begin(), f.load.parts.end(),
                  [](const auto& p) { return p.kind == grid::LoadKind::drive && p.group.power_W > 0.0; }))
    add("Composite load", cmpldw_model, perc1);
  const double rest_W = std::max(0.0, f.load.site_W - held_W);
  loads.push_back(
      {"", number(rest_W * 1e-6, 6), "without a record (motors, parts without settings): loads of your own", ""});
  loads.push_back({"", number(f.load.site_W * 1e-6, 6), "site", ""});
  page.table({fmt::format("load id on bus {}", f.o.bus), "MW", "part", "file"}, loads);
  page.heading("Model tests", 3);
  page.text(
      "Played by tidewatt's own PERC1 behind the source of section 1, not by the utility's program. Numeric limits for "
      "loads were not found; the overlay with the utility's programs is open.");
  f.open.emplace_back("model tests: overlay with PSS/E, PSCAD and TSAT, which this program does not run");
  if (!perc1) return;
  try {
    for (const auto& t : grid::model_tests(grid::perc1_site(f.load.parts), f.s.source)) {
      page.figure(test_plot(t));
      page.text(fmt::format("{}, {}: {}.", t.name, t.input, t.answer));
    }
  } catch (const RefusedError& e) {
    page.text(std::string("The source cannot feed the load: ") + e.what());
    f.open.push_back(std::string("model tests: ") + e.what());
  }
}

void playback_section(Filing& f, Page& page, std::vector<io::ExportFile>& files) {
  page.heading("6 Playback files");
  std::vector<std::vector<std::string>> rows;
  for (const auto& r : f.results) {
    if (!r.window) continue;
    io::ExportOptions o;
    o.format = "comtrade2013";
    o.window = r.window->window;
    const auto made = io::export_window(r.path, o);
    for (const auto& file : made.files) {
      rows.push_back({file.name,
                      fmt::format("COMTRADE 2013, binary: P, Q, voltage, frequency of {} samples every {:g} s",
                                  made.n_sample, made.step_s),
                      fmt::format("{} bytes", file.bytes())});
      files.push_back(file);
    }
    try {
      auto t = target(f);
      t.stem = r.name;
      t.origin = model_origin(r.origin);
      auto line = linjbl_model(*r.window, t);
      rows.push_back({line.files.front().name,
                      "LINJBL: the largest line of section 4 as a load that repeats; " + line.checked,
                      fmt::format("{} bytes", line.files.front().bytes())});
      files.push_back(std::move(line.files.front()));
    } catch (const InputError& e) {
      f.open.push_back(fmt::format("result {}: {}", r.name, e.what()));
    }
  }
  if (rows.empty())
    page.text("Open: no result with a recorded window was given.");
  else
    page.table({"file", "what", "size"}, rows);
  page.text("Other programs (PSCAD, PowerFactory, OpenDSS, ANDES, CSV): tidewatt export RESULT --format NAME.");
}

}  // namespace TIDEWATT_NAMESPACE::study
