// Rules of utilities, ride-through, files that can be verified, and scenarios as files: each is one call of the library, and results come as its
// own JSON and text.
#include <pybind11/stl.h>

#include <filesystem>

#include "background.hpp"
#include "base/text.hpp"
#include "bind.hpp"
#include "sim/shipped_scenarios.hpp"
#include "study/filing.hpp"
#include "study/filing_folder.hpp"
#include "study/ride_study.hpp"
#include "study/scenario_toml.hpp"
#include "study/verify_any.hpp"

namespace TIDEWATT_NAMESPACE::bindings {
namespace {

using namespace py::literals;

py::tuple both(const study::RuleAnswer& a) { return py::make_tuple(a.json, a.text); }

py::tuple check_rules(const std::string& rule, const std::string& result, const std::string& window, double site_W,
                      double connection_V, bool as_if, const std::string& overlay) {
  study::RuleAnswer answer;
  {
    const py::gil_scoped_release no_gil;
    answer = study::check_rules(result, {rule, window, overlay, site_W, connection_V, as_if});
  }
  return both(answer);
}

py::tuple ride(const std::shared_ptr<sim::Scenario>& scenario, const std::string& file, const py::dict& given) {
  study::RideOptions o;
  const auto take = [&](const char* key, auto& value) {
    if (given.contains(key)) value = given[key].cast<std::decay_t<decltype(value)>>();
  };
  take("rule", o.rule), take("catalog", o.overlay), take("sag", o.sag), take("channel", o.channel),
      take("current_limit_pu", o.current_limit_pu), take("settings", o.settings);
  take("phases", o.n_phase), take("transformer", o.transformer);
  take("connection_V", o.connection_V), take("voltage_pu", o.voltage_pu), take("duration_s", o.duration_s),
      take("as_if", o.as_if);
  take("repeat", o.n_sag), take("every_s", o.every_s), take("instant_s", o.instant_s);
  const auto answer = std::make_shared<study::RideStudy>();
  in_background([answer, scenario, file, o](const std::atomic<bool>&) { *answer = study::ride(*scenario, file, o); });
  return py::make_tuple(answer->json, answer->text, answer->svg);
}

py::tuple filing(const std::shared_ptr<sim::Scenario>& scenario, const std::string& rule, const std::string& folder,
                 const py::dict& given) {
  study::FilingOptions o;
  const auto take = [&](const char* key, auto& value) {
    if (given.contains(key)) value = given[key].cast<std::decay_t<decltype(value)>>();
  };
  take("file", o.file), take("results", o.results), take("window", o.window), take("settings", o.source.settings);
  take("catalog", o.source.overlay), take("bus", o.bus), take("as_if", o.as_if);
  take("current_limit_pu", o.source.current_limit_pu), take("transformer", o.transformer);
  const auto pack = std::make_shared<study::FilingPack>();
  in_background([=](const std::atomic<bool>&) {
    *pack = study::make_filing(*scenario, study::find_rule_book(rule, o.source.overlay), o);
    const std::string manifest = study::filing_manifest(*scenario, pack->files);
    pack->files.push_back({"manifest.json", [manifest](const io::Append& to) { to(manifest); }});
    std::uint64_t bytes = 0;
    for (const auto& f : pack->files) bytes += f.bytes();
    const auto list = std::filesystem::path(folder) / "manifest.json";
    const std::string old = std::filesystem::is_regular_file(list) ? read_file(list.string(), 1u << 24) : std::string();
    io::write_export(folder, pack->files, bytes);
    std::vector<std::string> names;
    for (const auto& f : pack->files) names.push_back(f.name);
    study::clear_old_pack(folder, old, names);
  });
  py::list names, sheet;
  for (const auto& f : pack->files) names.append(f.name);
  for (const auto& r : pack->sheet)
    sheet.append(py::dict("field"_a = r.field, "value"_a = r.value, "unit"_a = r.unit, "span"_a = r.span,
                          "method"_a = r.method, "input"_a = r.input));
  return py::make_tuple(pack->ride, pack->open, sheet, names, pack->warnings);
}

}  // namespace

void bind_rules(py::module_& m) {
  m.def("list_rules", [](const std::string& overlay) { return both(study::list_rules(overlay)); }, "catalog_overlay"_a);
  m.def(
      "show_rules",
      [](const std::string& name, const std::string& overlay) { return both(study::show_rules(name, overlay)); },
      "name"_a, "catalog_overlay"_a);
  m.def("check_rules", &check_rules, "rule"_a, "result"_a, "window"_a, "site_W"_a, "connection_V"_a, "as_if"_a,
        "catalog_overlay"_a);
  m.def("ride", &ride, "scenario"_a, "file"_a, "options"_a);
  m.def("filing", &filing, "scenario"_a, "rule"_a, "folder"_a, "options"_a);
  m.def("scenario_toml", &study::scenario_toml, "text"_a, "file"_a, "folder"_a, "set"_a);
  m.def("shipped_scenario", &sim::shipped_scenario, "name"_a);
  m.def("verify", &study::verify_any, "file"_a, py::call_guard<py::gil_scoped_release>());
}

}  // namespace TIDEWATT_NAMESPACE::bindings
