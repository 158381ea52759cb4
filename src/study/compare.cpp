#include "tidewatt/study/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>

#include "scenario_tree.hpp"
#include "tidewatt/sim/run.hpp"
#include "toml_value.hpp"

namespace tidewatt::study {
namespace {

using Leaves = std::vector<std::pair<std::string, std::string>>;
using Figures = std::vector<std::pair<std::string, double>>;

/// Every value of a tree with its key path; list items by their name, else by number.
void collect(const Node& node, const std::string& path, Leaves& out) {
  const auto below = [&](const std::string& key) { return path.empty() ? key : path + "." + key; };
  if (node.is_table()) {
    for (const auto& [key, child] : std::get<Node::Table>(node.value)) collect(child, below(key), out);
  } else if (node.is_array()) {
    const auto& items = std::get<Node::Array>(node.value);
    if (!items.empty() && items.front().is_table()) {
      for (std::size_t i = 0; i < items.size(); ++i) {
        const Node* name = items[i].find("name");
        collect(items[i], below(name && name->is_text() ? std::get<std::string>(name->value) : fmt::format("{}", i + 1)), out);
      }
      return;
    }
    std::string text;
    for (const auto& item : items) text += (text.empty() ? "" : ", ") + toml_value(item);
    out.emplace_back(path, "[" + text + "]");
  } else {
    out.emplace_back(path, toml_value(node));
  }
}

Leaves leaves_of(const Node& root) {
  Leaves out;
  collect(root, "", out);
  return out;
}

std::vector<KeyChange> differences(const Leaves& before, const Leaves& after) {
  const std::map<std::string, std::string> old(before.begin(), before.end()), now(after.begin(), after.end());
  std::vector<KeyChange> out;
  for (const auto& [key, value] : before) {
    const auto at = now.find(key);
    if (at == now.end() || at->second != value) out.push_back({key, value, at == now.end() ? "" : at->second, false});
  }
  for (const auto& [key, value] : after)
    if (!old.contains(key)) out.push_back({key, "", value, false});
  return out;
}

std::string bare(const std::string& toml) { return toml.size() > 2 && toml.front() == '"' ? toml.substr(1, toml.size() - 2) : ""; }

/// What differs between the catalog entries that a changed name chooses.
void add_behind(const catalog::Catalog& catalog, const KeyChange& change, std::vector<KeyChange>& out) {
  const std::string a = bare(change.before), b = bare(change.after);
  for (const auto& [kind, name] : catalog.list()) {
    if (name != a || !catalog.has(kind, b)) continue;
    for (auto& d : differences(leaves_of(catalog.values(kind, a)), leaves_of(catalog.values(kind, b)))) {
      d.key = change.key + ": " + d.key;
      d.behind_name = true;
      out.push_back(std::move(d));
    }
  }
}

Node tree_with(const std::string& path, const sim::LoadOptions& options) {
  Node root = whole_tree(path);
  for (const auto& set : options.set) apply_set(root, set);
  return root;
}

Figures figures_of(const sim::Scenario& scenario) {
  Figures out;
  for (const auto& [key, value] : sim::run(scenario).summary) {
    if (const auto* d = std::get_if<double>(&value)) out.emplace_back(key, *d);
    if (const auto* i = std::get_if<std::int64_t>(&value)) out.emplace_back(key, static_cast<double>(*i));
    if (const auto* pairs = std::get_if<std::vector<std::pair<std::string, double>>>(&value))
      for (const auto& [word, x] : *pairs) out.emplace_back(key + "." + word, x);
  }
  return out;
}

double relative(const FigureChange& f) {
  return std::abs(f.after - f.before) / std::max({std::abs(f.before), std::abs(f.after), 1e-300});
}

/// The first scenario with one change of the second; nothing if that is no scenario.
Figures figures_with(const std::string& path, const KeyChange& change, const sim::LoadOptions& options) {
  if (change.behind_name || change.after.empty()) return {};
  auto load = options;
  load.set.push_back(change.key + "=" + change.after);
  try {
    return figures_of(sim::load_scenario(path, load));
  } catch (const std::exception&) {  // legal only together with another change: its column stays empty
    return {};
  }
}

}  // namespace

std::vector<KeyChange> changed_keys(const std::string& before, const std::string& after, const sim::LoadOptions& options) {
  const auto written = differences(leaves_of(tree_with(before, options)), leaves_of(tree_with(after, options)));
  const catalog::Catalog catalog(options.catalog_overlay);
  std::vector<KeyChange> out;
  for (const auto& change : written) {
    out.push_back(change);
    add_behind(catalog, change, out);
  }
  return out;
}

Comparison compare(const std::string& before, const std::string& after, const sim::LoadOptions& options, bool alone) {
  Comparison c;
  c.keys = changed_keys(before, after, options);
  const auto a = figures_of(sim::load_scenario(before, options)), b = figures_of(sim::load_scenario(after, options));
  std::vector<std::map<std::string, double>> single;
  for (const auto& change : c.keys) {
    const auto f = alone ? figures_with(before, change, options) : Figures{};
    single.emplace_back(f.begin(), f.end());
  }
  const std::map<std::string, double> now(b.begin(), b.end());
  for (const auto& [name, x] : a) {
    if (!now.contains(name) || now.at(name) == x) continue;
    FigureChange f{name, x, now.at(name), {}};
    for (const auto& s : single) f.alone.push_back(s.contains(name) ? s.at(name) - x : std::numeric_limits<double>::quiet_NaN());
    c.figures.push_back(std::move(f));
  }
  std::stable_sort(c.figures.begin(), c.figures.end(), [](const auto& x, const auto& y) { return relative(x) > relative(y); });
  return c;
}

std::string Comparison::text() const {
  std::string out = fmt::format("{} keys differ\n", keys.size());
  std::size_t n = 0;
  for (const auto& k : keys)
    out += fmt::format("{:>4}  {}{}: {} -> {}\n", ++n, k.behind_name ? "    " : "", k.key, k.before.empty() ? "-" : k.before, k.after.empty() ? "-" : k.after);
  out += fmt::format("{} figures differ{}\n", figures.size(), figures.empty() ? "" : "; in brackets what a key does alone");
  for (const auto& f : figures) {
    out += fmt::format("  {:<32} {:.6g} -> {:.6g} ({:+.3g} %)", f.name, f.before, f.after,
                       100.0 * (f.after - f.before) / std::max(std::abs(f.before), 1e-300));
    for (std::size_t i = 0; i < f.alone.size(); ++i)
      if (std::isfinite(f.alone[i]) && f.alone[i] != 0.0) out += fmt::format(" [{}: {:+.4g}]", i + 1, f.alone[i]);
    out += "\n";
  }
  return out;
}

}  // namespace tidewatt::study
