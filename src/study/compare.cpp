#include "compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <stdexcept>

#include "hardware_figures.hpp"
#include "scenario_tree.hpp"
#include "tidewatt/sim/run.hpp"
#include "toml_value.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

using Figures = std::vector<std::pair<std::string, double>>;
using Children = std::vector<std::pair<std::string, const Node*>>;

bool is_list(const Node& node) {
  const auto* items = std::get_if<Node::Array>(&node.value);
  return items && !items->empty() && items->front().is_table();
}

/// What is below a table or a list of tables; list items by their name, else by number.
Children children_of(const Node& node) {
  Children out;
  if (const auto* table = std::get_if<Node::Table>(&node.value))
    for (const auto& [key, child] : *table) out.emplace_back(key, &child);
  if (!is_list(node)) return out;
  for (const Node& item : std::get<Node::Array>(node.value)) {
    const Node* name = item.find("name");
    out.emplace_back(name && name->is_text() ? std::get<std::string>(name->value) : fmt::format("{}", out.size() + 1),
                     &item);
  }
  return out;
}

const Node* child_of(const Children& all, const std::string& name) {
  const auto at = std::find_if(all.begin(), all.end(), [&](const auto& c) { return c.first == name; });
  return at == all.end() ? nullptr : at->second;
}

std::string text_of(const Node* node) {
  if (!node) return "";
  std::string text;
  const auto join = [&](const std::string& item) { text += (text.empty() ? "" : ", ") + item; };
  if (const auto* items = std::get_if<Node::Array>(&node->value)) {
    for (const auto& item : *items) join(text_of(&item));
    return "[" + text + "]";
  }
  if (!node->is_table()) return toml_value(*node);
  for (const auto& [key, child] : std::get<Node::Table>(node->value)) join(key + " = " + text_of(&child));
  return "{" + text + "}";
}

/// One change by itself: a value, or a table or list item that only one of two trees has.
struct Change {
  std::vector<std::string> path;
  const Node *before, *after;  ///< null where a tree does not have it
  KeyChange key() const { return {fmt::format("{}", fmt::join(path, ".")), text_of(before), text_of(after), false}; }
};

void differ(const Node* before, const Node* after, const std::vector<std::string>& path, std::vector<Change>& out) {
  const auto branches = [](const Node* n) { return n && (n->is_table() || is_list(*n)); };
  const bool list_of_one = (!before && after && is_list(*after)) || (!after && before && is_list(*before));
  if (!(branches(before) && branches(after)) && !list_of_one) {
    if (text_of(before) != text_of(after)) out.push_back({path, before, after});
    return;
  }
  const Children old = before ? children_of(*before) : Children{}, now = after ? children_of(*after) : Children{};
  const auto go = [&](const std::string& name) {
    auto below = path;
    below.push_back(name);
    differ(child_of(old, name), child_of(now, name), below, out);
  };
  for (const auto& [name, _] : old) go(name);
  for (const auto& [name, _] : now)
    if (!child_of(old, name)) go(name);
}

std::vector<Change> differences(const Node& before, const Node& after) {
  std::vector<Change> out;
  differ(&before, &after, {}, out);
  return out;
}

/// `root`, in which the change's place is as in the second tree.
void graft(Node& root, const Change& change) {
  Node* at = &root;
  for (std::size_t i = 0; i < change.path.size(); ++i) {
    const std::string& name = change.path[i];
    const bool last = i + 1 == change.path.size();
    auto* items = std::get_if<Node::Array>(&at->value);
    if (!items) {
      if (last && change.after) at->set(name, *change.after);
      if (last && !change.after)
        std::erase_if(std::get<Node::Table>(at->value), [&](const auto& c) { return c.first == name; });
      if (!last && !at->find(name)) at->set(name, Node(Node::Array{}, {}));
      at = at->find(name);
      continue;
    }
    const auto all = children_of(*at);
    const auto n = static_cast<std::size_t>(
        std::find_if(all.begin(), all.end(), [&](const auto& c) { return c.first == name; }) - all.begin());
    if (last && change.after) n < items->size() ? (*items)[n] = *change.after : items->emplace_back(*change.after);
    if (last && !change.after && n < items->size()) items->erase(items->begin() + static_cast<std::ptrdiff_t>(n));
    if (!last) at = &(*items)[n];
  }
}

std::string bare(const std::string& toml) {
  return toml.size() > 2 && toml.front() == '"' ? toml.substr(1, toml.size() - 2) : "";
}

/// What differs between the catalog entries that a changed name chooses.
void add_behind(const catalog::Catalog& catalog, const KeyChange& change, std::vector<KeyChange>& out) {
  const std::string a = bare(change.before), b = bare(change.after);
  for (const auto& [kind, name] : catalog.list()) {
    if (name != a || !catalog.has(kind, b)) continue;
    const Node old = catalog.values(kind, a), now = catalog.values(kind, b);
    for (const auto& difference : differences(old, now)) {
      KeyChange d = difference.key();
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

using Stop = std::function<bool()>;

void heed(const Stop& stop) {
  if (stop && stop()) throw std::runtime_error("stopped");
}

Figures figures_of(const sim::Scenario& scenario, const Stop& stop) {
  Figures out;
  auto result = sim::run(scenario, {0, [&](double) { return !(stop && stop()); }});
  heed(stop);
  add_hardware_figures(hardware_figures(scenario), result);
  for (const auto& [key, value] : result.summary) {
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
Figures figures_with(Node tree, const Change& change, const std::string& folder, const sim::LoadOptions& options,
                     const Stop& stop) {
  graft(tree, change);
  auto load = options;
  load.set.clear();  // the tree has them
  try {
    return figures_of(sim::read_scenario(tree, folder, load), stop);
  } catch (const std::exception&) {  // legal only together with another change: its column stays empty
    heed(stop);
    return {};
  }
}

/// Of the books, not of the site.
bool says_nothing(const std::string& figure) { return figure == "energy_closure" || figure == "input_energy_error"; }

}  // namespace

std::vector<KeyChange> changed_keys(const std::string& before, const std::string& after,
                                    const sim::LoadOptions& options) {
  const Node old = tree_with(before, options), now = tree_with(after, options);
  const catalog::Catalog catalog(options.catalog_overlay);
  std::vector<KeyChange> out;
  for (const auto& change : differences(old, now)) {
    const KeyChange key = change.key();
    out.push_back(key);
    add_behind(catalog, key, out);
  }
  return out;
}

Comparison compare(const std::string& before, const std::string& after, const sim::LoadOptions& options, bool alone,
                   const Stop& stop) {
  Comparison c;
  c.keys = changed_keys(before, after, options);
  const auto a = figures_of(sim::load_scenario(before, options), stop),
             b = figures_of(sim::load_scenario(after, options), stop);
  const Node old = tree_with(before, options), now = tree_with(after, options);
  const auto changes = differences(old, now);
  std::vector<std::map<std::string, double>> single;
  std::size_t next = 0;
  for (const auto& key : c.keys) {
    single.emplace_back();
    if (key.behind_name) continue;
    const Change& change = changes[next++];
    if (!alone) continue;
    const auto f = figures_with(old, change, folder_of(before), options, stop);
    single.back() = {f.begin(), f.end()};
  }
  const std::map<std::string, double> figure(b.begin(), b.end());
  for (const auto& [name, x] : a) {
    if (says_nothing(name) || !figure.contains(name) || figure.at(name) == x) continue;
    FigureChange f{name, x, figure.at(name), {}};
    for (const auto& s : single)
      f.alone.push_back(s.contains(name) ? s.at(name) - x : std::numeric_limits<double>::quiet_NaN());
    c.figures.push_back(std::move(f));
  }
  std::stable_sort(c.figures.begin(), c.figures.end(),
                   [](const auto& x, const auto& y) { return relative(x) > relative(y); });
  return c;
}

std::string Comparison::text() const {
  std::string out;
  std::vector<std::size_t> number;  // of each written change; values inside a catalog entry have none
  std::size_t n = 0, of_one = 0;
  const auto tell_of_one = [&] {
    if (of_one > 0) out += fmt::format("      {} values that only one of the two entries has\n", of_one);
    of_one = 0;
  };
  for (const auto& k : keys) {
    if (!k.behind_name) tell_of_one(), ++n;
    number.push_back(n);
    if (k.behind_name && (k.before.empty() || k.after.empty()))
      ++of_one;
    else
      out += fmt::format("{} {}: {} -> {}\n", k.behind_name ? "     " : fmt::format("{:>4} ", n), k.key,
                         k.before.empty() ? "-" : k.before, k.after.empty() ? "-" : k.after);
  }
  tell_of_one();
  out = fmt::format("{} key{} differ{}\n", n, n == 1 ? "" : "s", n == 1 ? "s" : "") + out;
  const bool alone = std::any_of(figures.begin(), figures.end(), [](const FigureChange& f) {
    return std::any_of(f.alone.begin(), f.alone.end(), [](double x) { return std::isfinite(x) && x != 0.0; });
  });
  out += fmt::format("{} figures differ{}\n", figures.size(), alone ? "; in brackets what a key does alone" : "");
  for (const auto& f : figures) {
    out += fmt::format("  {:<32} {:.6g} -> {:.6g}", f.name, f.before, f.after);
    if (f.before != 0.0) out += fmt::format(" ({:+.3g} %)", 100.0 * (f.after - f.before) / std::abs(f.before));
    for (std::size_t i = 0; i < f.alone.size(); ++i)
      if (std::isfinite(f.alone[i]) && f.alone[i] != 0.0) out += fmt::format(" [{}: {:+.4g}]", number[i], f.alone[i]);
    out += "\n";
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
