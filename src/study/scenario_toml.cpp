#include "scenario_toml.hpp"

#include <algorithm>

#include "base/name.hpp"
#include "sim/inherit.hpp"
#include "toml_value.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

/// Bare where TOML allows it.
std::string key_text(const std::string& key) { return is_name(key) ? key : toml_value(std::string_view(key)); }

bool is_list_of_tables(const Node& node) {
  const auto* items = std::get_if<Node::Array>(&node.value);
  return items != nullptr && !items->empty() &&
         std::all_of(items->begin(), items->end(), [](const Node& n) { return n.is_table(); });
}

/// A value within a line.
std::string inline_text(const Node& node) {
  std::string out;
  if (const auto* items = std::get_if<Node::Array>(&node.value)) {
    for (const auto& item : *items) out += (out.empty() ? "" : ", ") + inline_text(item);
    return "[" + out + "]";
  }
  if (const auto* table = std::get_if<Node::Table>(&node.value)) {
    for (const auto& [key, v] : *table) out += (out.empty() ? "" : ", ") + key_text(key) + " = " + inline_text(v);
    return "{" + out + "}";
  }
  return toml_value(node);
}

void write(std::string& out, const Node& node, const std::string& path) {
  const auto& table = std::get<Node::Table>(node.value);
  for (const auto& [key, v] : table)
    if (!v.is_table() && !is_list_of_tables(v)) out += key_text(key) + " = " + inline_text(v) + "\n";
  for (const auto& [key, v] : table) {
    const std::string here = (path.empty() ? "" : path + ".") + key_text(key);
    if (v.is_table()) {
      out += "\n[" + here + "]\n";
      write(out, v, here);
    }
  }
  for (const auto& [key, v] : table) {
    if (!is_list_of_tables(v)) continue;
    const std::string here = (path.empty() ? "" : path + ".") + key_text(key);
    for (const auto& item : std::get<Node::Array>(v.value)) {
      out += "\n[[" + here + "]]\n";
      write(out, item, here);
    }
  }
}

/// The name that a single item of a list has where the scenario gives none.
void name_only_item(Node& root, const char* list, const char* name) {
  Node* items = root.find(list);
  if (items == nullptr || !items->is_array()) return;
  auto& all = std::get<Node::Array>(items->value);
  if (all.size() == 1 && all.front().is_table() && all.front().find("name") == nullptr)
    all.front().set("name", Node(std::string(name), all.front().place));
}

}  // namespace

std::string toml_text(const Node& root) {
  std::string out;
  if (root.is_table()) write(out, root, "");
  return out;
}

std::string scenario_toml(const std::string& text, const std::string& file, const std::string& folder,
                          const std::vector<std::string>& set) {
  Node root = sim::inherit(parse_toml(text, file), folder.empty() ? "." : folder).root;
  name_only_item(root, "hall", "a");
  name_only_item(root, "job", "main");
  for (const auto& assignment : set) apply_set(root, assignment);
  return toml_text(root);
}

}  // namespace TIDEWATT_NAMESPACE::study
