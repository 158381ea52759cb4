#include "scenario_reading.hpp"

#include "base/text.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

/// The item of a list that key paths call `name`; null: none.
const Node* item_at(const Node::Array& items, const std::string& name) {
  for (std::size_t i = 0; i < items.size(); ++i)
    if (name_of(items[i], i) == name) return &items[i];
  return nullptr;
}

/// The deepest node of `root` on the path `key`.
const Node& nearest_node(const Node& root, const std::string& key) {
  const Node* at = &root;
  for (const auto& part : split(key, '.')) {
    const auto* items = std::get_if<Node::Array>(&at->value);
    const Node* next = items != nullptr ? item_at(*items, part) : at->find(part);
    if (next == nullptr) break;
    at = next;
  }
  return *at;
}

}  // namespace

void place_findings(const Node& root, std::vector<Finding>& findings) {
  for (auto& f : findings) {
    const bool of_root =
        f.place.file == root.place.file && f.place.line == root.place.line && f.place.column == root.place.column;
    if (!f.key.empty() && (of_root || f.place.file.empty())) f.place = nearest_node(root, f.key).place;
  }
}

}  // namespace TIDEWATT_NAMESPACE::sim
