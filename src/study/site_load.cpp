#include "site_load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/node_number.hpp"
#include "base/text.hpp"
#include "io/result_file.hpp"
#include "io/result_origin.hpp"
#include "sim/load_groups.hpp"
#include "tidewatt/base/reader.hpp"
#include "tidewatt/catalog/catalog.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

constexpr double supply_share = 1.15;  ///< rating of a site's supplies over their load, as a run sizes them

/// The scenario's tree: its text over its base, with the overrides under [site].
Node tree_of(const std::string& text) {
  constexpr std::string_view base_mark = "# ---- base = ", set_mark = "# --set ";
  std::vector<std::string> parts = {""}, sets;
  for (const auto& line : split(text, '\n')) {
    if (line.starts_with(base_mark))
      parts.emplace_back();
    else if (line.starts_with(set_mark))
      sets.push_back(line.substr(set_mark.size()));
    else
      parts.back() += line + "\n";
  }
  Node root = parse_toml(parts.back(), "scenario of the result");
  for (auto part = parts.rbegin() + 1; part != parts.rend(); ++part)
    root = merge(std::move(root), parse_toml(*part, "scenario of the result"));
  for (const auto& set : sets)
    if (set.starts_with("site.") || set.starts_with("site=")) apply_set(root, set);
  return root;
}

/// [site] with the layout of its delivery below it.
Node site_of(const std::string& text, const catalog::Catalog& files, std::vector<Finding>& findings) {
  const Node root = tree_of(text);
  const Node* site = root.find("site");
  if (site == nullptr) return {};
  const Node* layout = site->find("delivery");
  if (layout == nullptr) return *site;
  std::vector<catalog::AssumedInput> assumed;
  return merge(files.resolve(*layout, "delivery", "site.delivery", findings, assumed), *site);
}

constexpr const char* words_turbines = "turbines in parallel: the connection's power is less their output";
constexpr const char* words_generators = "standby generators: a transfer to them is not in the records";
constexpr const char* words_storage = "storage in the racks: what it gives in a sag is not in the records";

/// The same as unheld_devices, of a scenario's text.
std::vector<std::string> other_devices(const std::string& text, const std::string& overlay) {
  std::vector<Finding> findings;
  const Node site = site_of(text, catalog::Catalog(overlay), findings);
  std::vector<std::string> out;
  for (const auto& [key, what] :
       {std::pair{"turbines", words_turbines}, {"generators", words_generators}, {"rack_storage", words_storage}})
    if (site.find(key) != nullptr) out.emplace_back(what);
  return out;
}

grid::LoadSettings part(grid::LoadGroup group, double power_W) {
  grid::LoadSettings s;
  s.group = std::move(group);
  s.group.power_W = power_W;
  return s;
}

/// A number of [site]; `otherwise` where there is none.
double site_number(const Node& root, const char* key, double otherwise) {
  const Node* site = root.find("site");
  const Node* n = site ? site->find(key) : nullptr;
  return n == nullptr ? otherwise : number_in(*n).value_or(otherwise);
}

/// Settings of the user for a scenario that has some: the replaced ones.
std::string replaced(const sim::SiteDevices& d) {
  if (d.ups) return ", which replace site.ups of the scenario";
  if (d.ride_through) return ", which replace site.load_settings of the scenario";
  return "; the scenario names no supplies";
}

}  // namespace

RatedPart rated_part(const std::string& text, double end_s) {
  const Node root = tree_of(text);
  const double until_s = site_number(root, "rules_until_s", 0.0);
  RatedPart out{site_number(root, "rules_from_s", 0.0), until_s > 0.0 ? std::min(until_s, end_s) : end_s};
  out.from_s = std::min(out.from_s, out.until_s);
  return out;
}

std::vector<std::string> unheld_devices(const sim::SiteDevices& d) {
  std::vector<std::string> out;
  if (d.turbines) out.emplace_back(words_turbines);
  if (d.generators) out.emplace_back(words_generators);
  if (d.rack_storage) out.emplace_back(words_storage);
  return out;
}

sim::SiteDevices devices_of(const std::string& text, const std::string& overlay) {
  const catalog::Catalog files(overlay);
  std::vector<Finding> findings;
  std::vector<catalog::AssumedInput> assumed;
  const Node site = site_of(text, files, findings);
  sim::SiteDevices out;
  const auto device = [&](const char* key, const char* kind, auto&& read) {
    const Node* spec = site.find(key);
    if (spec == nullptr) return;
    const Node values = files.resolve(*spec, kind, std::string("site.") + key, findings, assumed);
    TableReader t(values, std::string("site.") + key, findings);
    if (values.is_table() && !std::get<Node::Table>(values.value).empty()) read(t, values);
  };
  device("ups", "ups", [&](TableReader& t, const Node&) { out.ups.emplace().fields(t); });
  if (const Node* spec = site.find("load_settings")) {
    const char* path = "site.load_settings";
    const Node values = files.resolve(*spec, "load_settings", path, findings, assumed);
    if (findings.empty()) {
      auto played = grid::played_settings(grid::read_load_settings(values, path, findings), path, findings);
      out.ride_through = std::move(played.curve), out.back = played.back;
    }
  }
  if (!findings.empty()) throw InputError(std::move(findings));
  return out;
}

std::vector<grid::LoadSettings> find_load_settings(const std::string& name, const std::string& overlay) {
  const bool file = name.ends_with(".toml") || name.find('/') != std::string::npos;
  Node values = file ? parse_toml_file(name) : catalog::Catalog(overlay).values("load_settings", name);
  // What a catalog file has beside its values.
  if (file && values.is_table())
    std::erase_if(std::get<Node::Table>(values.value), [](const auto& item) {
      return item.first == "schema" || item.first == "kind" || item.first == "name" || item.first == "sources" ||
             item.first == "assumed";
    });
  std::vector<Finding> findings;
  auto out = grid::read_load_settings(values, file ? name : "load_settings." + name, findings);
  if (!findings.empty()) throw InputError(std::move(findings));
  return out;
}

std::vector<catalog::AssumedInput> assumed_settings(const std::string& name, const std::string& overlay) {
  std::vector<catalog::AssumedInput> out;
  const catalog::Catalog files(overlay);
  std::vector<Finding> findings;
  if (files.has("load_settings", name))
    files.resolve(Node{name, {}}, "load_settings", "load_settings." + name, findings, out);
  return out;
}

SiteLoad site_load(const sim::SiteDevices& devices, double servers_W, double site_W, const LoadSource& source) {
  SiteLoad out;
  out.site_W = std::max(site_W, servers_W);
  const double plant_W = out.site_W - servers_W;
  if (!source.settings.empty()) {
    out.from = "load_settings " + std::filesystem::path(source.settings).stem().string() + replaced(devices);
    out.open.emplace_back("transformer connection: balanced voltages only");
    out.parts = grid::with_power(find_load_settings(source.settings, source.overlay), servers_W, plant_W);
  } else {
    out.from = devices.ups            ? "site.ups of the scenario"
               : devices.ride_through ? "site.load_settings of the scenario"
                                      : "none named: servers built to the ITIC curve";
    sim::Scenario s;
    s.devices = devices;
    auto groups = sim::site_groups(s, source.current_limit_pu);
    // Behind supplies or a curve of the site the plant is part of the load; its motors are counted with it.
    const bool whole = devices.ups || devices.ride_through;
    for (auto& g : groups.groups) {
      if (devices.ups) g.name = "site behind the supplies (servers, plant, losses)";
      out.parts.push_back(part(std::move(g), whole ? out.site_W : servers_W));
    }
    for (auto& open : groups.open)
      if (open.starts_with("motors and drives of the cooling plant"))
        open = whole
                   ? "motors and drives of the cooling plant: no trip settings of their own are stated, so their load "
                     "is counted with the site's"
                   : "motors and drives of the cooling plant: no trip settings are stated, so their load is in the "
                     "remainder";
    if (devices.ups && devices.ups->rating_W > 0.0)
      out.parts.front().recharge_frac = supply_share * devices.ups->recharge_W / devices.ups->rating_W;
    out.open = std::move(groups.open);
  }
  if (std::isfinite(source.current_limit_pu)) {
    out.from += fmt::format("; input current limit {:g} pu as given", source.current_limit_pu);
    for (auto& p : out.parts)
      if (p.kind == grid::LoadKind::supply)
        p.group.current_ratio = std::min(p.group.current_ratio, source.current_limit_pu);
  }
  double held_W = 0.0;
  for (const auto& p : out.parts) held_W += p.group.power_W;
  out.remainder_W = std::max(0.0, out.site_W - held_W);
  return out;
}

SiteLoad result_load(const std::string& path, const LoadSource& source) {
  const io::ResultFile file(path);
  const auto summary = nlohmann::json::parse(file.summary_json(), nullptr, false);
  const auto number = [&](const char* key) {
    if (!summary.is_object() || !summary.contains(key) || !summary[key].is_number())
      throw InputError(fmt::format("{}: the summary has no {}", path, key));
    return summary[key].get<double>();
  };
  const std::string text = io::read_result_origin(path).scenario;
  auto out =
      site_load(devices_of(text, source.overlay), number("it_mean_MW") * 1e6, number("pcc_mean_MW") * 1e6, source);
  for (auto& device : other_devices(text, source.overlay)) out.open.push_back(std::move(device));
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
