#include "tidewatt/catalog/catalog.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <mutex>
#include <utility>

#include "base/embedded.hpp"
#include "base/name.hpp"
#include "base/node_number.hpp"
#include "base/text.hpp"

namespace TIDEWATT_NAMESPACE::catalog {
namespace {

constexpr std::array meta_keys = {"schema", "kind", "name", "sources", "assumed"};

std::string text_at(const Node& n, std::string_view key) {
  const Node* v = n.find(key);
  return v && v->is_text() ? std::get<std::string>(v->value) : std::string();
}

double number_of(const Node& n) { return number_in(n).value_or(0.0); }

std::vector<std::string> texts_in(const Node::Array& items) {
  std::vector<std::string> out;
  out.reserve(items.size());
  for (const Node& item : items) out.push_back(std::get<std::string>(item.value));
  return out;
}

const Node* at_path(const Node& root, std::string_view path) {
  const Node* at = &root;
  for (const auto& part : split(path, '.')) {
    at = at->find(part);
    if (!at) return nullptr;
  }
  return at;
}

/// An entry, what a scenario sets in its place, and the scenario's key of it.
struct Used {
  const Node &entry, &over;
  const std::string& path;
};

/// Values with a range that the scenario does not set, in tables as in the entry; of a list each number within the range, as key[0].
void list_assumed(const Used& used, const Node& ranges, const std::string& below, std::vector<AssumedInput>& assumed) {
  const Node* sources = used.entry.find("sources");
  for (const auto& [key, range] : std::get<Node::Table>(ranges.value)) {
    const std::string at = below + key;
    if (range.is_table()) {
      list_assumed(used, range, at + ".", assumed);
      continue;
    }
    const Node* value = at_path(used.entry, at);
    if (!value || at_path(used.over, at) || !range.is_array()) continue;
    const auto& ends = std::get<Node::Array>(range.value);
    const Node* source = sources ? sources->find(at) : nullptr;
    if (sources && !source) source = at_path(*sources, at);
    const std::string said = source && source->is_text() ? std::get<std::string>(source->value) : "";
    if (ends.front().is_text()) {
      assumed.push_back({used.path + "." + at, 0.0, 0.0, 0.0, said, {}, texts_in(ends)});
      continue;
    }
    const double low = number_of(ends.front()), high = number_of(ends.back());
    if (!value->is_array()) {
      assumed.push_back({used.path + "." + at, number_of(*value), low, high, said});
      continue;
    }
    const auto& list = std::get<Node::Array>(value->value);
    for (std::size_t i = 0; i < list.size(); ++i)
      if (const double x = number_of(list[i]); x >= low && x <= high)
        assumed.push_back({fmt::format("{}.{}[{}]", used.path, at, i), x, low, high, said});
  }
}

/// `[assumed]` has the ends of a range or the possible words for each assumed value, by key or in tables as in the entry.
void check_assumed(const Node& assumed, const std::string& path, std::vector<Finding>& findings) {
  const auto* ranges = std::get_if<Node::Table>(&assumed.value);
  if (ranges == nullptr)
    return findings.push_back({assumed.place, path, "expected a table of ranges, key = [low, high]"});
  const auto is_number = [](const Node& n) {
    return std::holds_alternative<double>(n.value) || std::holds_alternative<std::int64_t>(n.value);
  };
  for (const auto& [key, range] : *ranges) {
    const std::string at = path + "." + key;
    if (range.is_table()) {
      check_assumed(range, at, findings);
      continue;
    }
    const auto* ends = std::get_if<Node::Array>(&range.value);
    const auto all = [&](auto&& is) { return std::all_of(ends->begin(), ends->end(), is); };
    if (ends == nullptr || ends->empty() || !(all(is_number) || all([](const Node& n) { return n.is_text(); })))
      findings.push_back({range.place, at, "expected a range of numbers, [low, high], or a list of words"});
  }
}

}  // namespace

std::string AssumedInput::text(double x) const {
  const auto at = std::find(values.begin(), values.end(), x);
  if (words.empty() || at == values.end()) return fmt::format("{:g}", x);
  return words[static_cast<std::size_t>(at - values.begin())];
}

std::string AssumedInput::choices() const {
  if (values.empty() && words.empty()) return fmt::format("{} to {}", text(low), text(high));
  std::vector<std::string> said = words;
  if (said.empty())
    for (const double x : values) said.push_back(text(x));
  const std::string last = std::move(said.back());
  said.pop_back();
  return said.empty() ? last : fmt::format("{} or {}", fmt::join(said, ", "), last);
}

/// A file of the catalog, parsed when its values are first read: a run needs a few of more than a hundred.
class Catalog::Entry {
 public:
  Entry(std::string text, std::string file) : text_(std::move(text)), file_(std::move(file)) {}
  const std::string& text() const { return text_; }
  const std::string& file() const { return file_; }
  /// @throws InputError with all that is wrong with the file
  const Node& node() const {
    std::call_once(parsed_, [&] { node_ = parsed(text_, file_); });
    return node_;
  }
  Key key() const { return {text_at(node(), "kind"), text_at(node(), "name")}; }

 private:
  static Node parsed(const std::string& text, const std::string& file) {
    Node node = parse_toml(text, file);
    std::vector<Finding> findings;
    for (const char* key : {"kind", "name"}) {
      if (text_at(node, key).empty())
        findings.push_back({{file, 1, 1}, key, "missing: a catalog file needs `kind` and `name`"});
      else
        check_name(*node.find(key), key, findings);
    }
    if (const Node* assumed = node.find("assumed")) check_assumed(*assumed, "assumed", findings);
    if (!findings.empty()) throw InputError(std::move(findings));
    return node;
  }
  std::string text_, file_;
  mutable std::once_flag parsed_;
  mutable Node node_;
};

/// Once per process: a sweep reads the catalog with every case. Built-in entries are in KIND/NAME.toml.
const Catalog::Entries& Catalog::built_in() {
  static const Entries entries = [] {
    Entries out;
    for (const auto& [path, text] : embedded::catalog_files()) {
      const auto slash = path.find('/');
      Key key{path.substr(0, slash),
              path.substr(slash + 1, path.size() - slash - 1 - std::string_view(".toml").size())};
      out.emplace(std::move(key), std::make_shared<const Entry>(std::string(text), "catalog/" + std::string(path)));
    }
    return out;
  }();
  return entries;
}

Catalog::Catalog(const std::string& overlay) : entries_(built_in()) {
  if (overlay.empty()) return;
  std::error_code ec;
  std::vector<std::string> paths;
  for (const auto& item : std::filesystem::recursive_directory_iterator(overlay, ec))
    if (item.is_regular_file() && item.path().extension() == ".toml") paths.push_back(item.path().string());
  if (ec) throw InputError(Finding{{overlay, 0, 0}, "", "catalog folder cannot be read: " + ec.message()});
  if (paths.empty())
    throw InputError(
        Finding{{overlay, 0, 0}, "", "the catalog folder holds no entry: a file NAME.toml with kind and name"});
  std::sort(paths.begin(), paths.end());
  std::vector<Finding> findings;
  Entries own;
  for (const auto& path : paths) {
    try {
      add(own, read_file(path, 1u << 20), path);
    } catch (const InputError& e) {
      findings.insert(findings.end(), e.findings().begin(), e.findings().end());
    }
  }
  if (!findings.empty()) throw InputError(std::move(findings));
  for (auto& [key, entry] : own) entries_[key] = std::move(entry);
}

void Catalog::add(Entries& entries, std::string text, std::string file) {
  const auto entry = std::make_shared<const Entry>(std::move(text), std::move(file));
  const auto [at, fresh] = entries.emplace(entry->key(), entry);
  if (!fresh)
    throw InputError(Finding{entry->node().find("name")->place, "name",
                             fmt::format("{} has a {} of this name already", at->second->file(), at->first.first)});
}

std::vector<Catalog::Key> Catalog::list() const {
  std::vector<Key> out;
  for (const auto& [key, entry] : entries_) out.push_back(key);
  return out;
}

bool Catalog::has(const std::string& kind, const std::string& name) const { return entries_.contains({kind, name}); }

const Catalog::Entry& Catalog::find(const std::string& kind, const std::string& name) const {
  const auto it = entries_.find({kind, name});
  if (it != entries_.end()) return *it->second;
  std::vector<std::string> known;
  for (const auto& [key, entry] : entries_)
    if (key.first == kind) known.push_back(key.second);
  const std::string close = nearest(name, known);
  throw InputError(
      Finding{{},
              "",
              fmt::format("no {} named '{}' in the catalog{}; there are: {}", kind, name,
                          close.empty() ? "" : fmt::format(" (did you mean '{}'?)", close), fmt::join(known, ", "))});
}

const std::string& Catalog::text(const std::string& kind, const std::string& name) const {
  return find(kind, name).text();
}

Node Catalog::values(const std::string& kind, const std::string& name) const {
  Node out = find(kind, name).node();
  auto& table = std::get<Node::Table>(out.value);
  std::erase_if(table, [](const auto& item) {
    return std::find(meta_keys.begin(), meta_keys.end(), item.first) != meta_keys.end();
  });
  return out;
}

Node Catalog::resolve(const Node& spec, const std::string& kind, const std::string& path,
                      std::vector<Finding>& findings, std::vector<AssumedInput>& assumed) const {
  const std::string name = spec.is_text() ? std::get<std::string>(spec.value) : text_at(spec, "catalog");
  if (name.empty()) return spec;
  try {
    const Node& entry = find(kind, name).node();
    Node over = spec.is_text() ? Node{Node::Table{}, spec.place} : spec;
    std::erase_if(std::get<Node::Table>(over.value), [](const auto& item) { return item.first == "catalog"; });
    if (const Node* ranges = entry.find("assumed")) list_assumed({entry, over, path}, *ranges, "", assumed);
    return merge(values(kind, name), over);
  } catch (const InputError& e) {
    for (auto f : e.findings()) {
      f.place = spec.place;
      f.key = path;
      findings.push_back(std::move(f));
    }
    return Node{Node::Table{}, spec.place};
  }
}

}  // namespace TIDEWATT_NAMESPACE::catalog
