#include "tidewatt/base/node.hpp"

#include <fmt/format.h>
// The parser asserts what bad text can break (a list that ends with a brace) before it refuses that text. An assertion
// would end a debug build, an assumption mislead an optimiser: without either it goes on to the refusal.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(expr) static_cast<void>(0)
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tidewatt/base/text.hpp"

namespace tidewatt {
namespace {

Place place_of(const toml::node& n, const std::string& file) {
  return {file, n.source().begin.line, n.source().begin.column};
}

constexpr int depth_limit = 64;
constexpr std::size_t line_limit_B = 64u << 10;

/// The parser takes time and stack for lines that no person writes: they are refused before it sees them.
void check_lines(std::string_view text, const std::string& file) {
  std::uint32_t line = 1;
  for (std::size_t begin = 0; begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (end - begin > line_limit_B)
      throw InputError(Finding{{file, line, 1}, "", fmt::format("the line has {} bytes, {} at most", end - begin, line_limit_B)});
    begin = end + 1;
  }
}

/// TOML has letters beyond ASCII in texts and comments only. The parser does not end well at others (its search for blanks
/// runs off its table), so they are refused before it sees them.
void check_letters(std::string_view text, const std::string& file) {
  std::uint32_t line = 1;
  std::size_t begin = 0, at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  std::string_view until;  // what ends the text or comment that we stand in
  const auto here = [&](std::string_view word) { return text.substr(at).starts_with(word); };
  for (; at < text.size(); ++at) {
    if (text[at] == '\n') {
      ++line, begin = at + 1;
      if (until.size() == 1) until = {};
    } else if (!until.empty()) {
      if (text[at] == '\\' && until.front() == '"' && at + 1 < text.size() && text[at + 1] != '\n') ++at;
      else if (here(until)) at += until.size() - 1, until = {};
    } else if (text[at] == '#') {
      until = "\n";
    } else if (here("\"\"\"") || here("'''")) {
      until = text.substr(at, 3), at += 2;
    } else if (text[at] == '"' || text[at] == '\'') {
      until = text.substr(at, 1);
    } else if (static_cast<unsigned char>(text[at]) >= 0x80) {
      throw InputError(Finding{{file, line, static_cast<std::uint32_t>(at - begin + 1)}, "", "a letter beyond ASCII outside of quotes and comments"});
    }
  }
}

Node convert(const toml::node& n, const std::string& file, int depth = 0) {
  Node out;
  out.place = place_of(n, file);
  if (depth > depth_limit) throw InputError(Finding{out.place, "", fmt::format("tables are nested more than {} deep", depth_limit)});
  if (const auto* t = n.as_table()) {
    Node::Table table;
    for (auto&& [k, v] : *t) {
      Node child = convert(v, file, depth + 1);
      if (!v.is_table() && !v.is_array()) {
        child.place.line = k.source().begin.line;
        child.place.column = k.source().begin.column;
      }
      table.emplace_back(std::string(k.str()), std::move(child));
    }
    out.value = std::move(table);
  } else if (const auto* a = n.as_array()) {
    Node::Array array;
    for (auto&& v : *a) array.push_back(convert(v, file, depth + 1));
    out.value = std::move(array);
  } else if (const auto* b = n.as_boolean()) {
    out.value = b->get();
  } else if (const auto* i = n.as_integer()) {
    out.value = static_cast<std::int64_t>(i->get());
  } else if (const auto* d = n.as_floating_point()) {
    out.value = d->get();
  } else if (const auto* s = n.as_string()) {
    out.value = s->get();
  } else {
    std::ostringstream os;
    n.visit([&](auto&& v) {
      if constexpr (toml::is_date<decltype(v)> || toml::is_time<decltype(v)> || toml::is_date_time<decltype(v)>)
        os << v.get();
    });
    out.value = os.str();
  }
  return out;
}

std::string name_of(const Node& item) {
  const Node* name = item.find("name");
  return name && name->is_text() ? std::get<std::string>(name->value) : std::string();
}

Node* item_named(Node& list, std::string_view name) {
  for (auto& item : std::get<Node::Array>(list.value))
    if (name_of(item) == name) return &item;
  return nullptr;
}

bool is_named_list(const Node& n) {
  if (!n.is_array()) return false;
  const auto& a = std::get<Node::Array>(n.value);
  return !a.empty() && a.front().is_table() && !name_of(a.front()).empty();
}

Node parse_value(std::string_view text) {
  try {
    const Node table = parse_toml(fmt::format("v = {}", text), "--set");
    Node value = *table.find("v");
    value.place = {"--set", 0, 0};
    return value;
  } catch (const InputError&) {
    return Node{std::string(text), {"--set", 0, 0}};
  }
}

Node* descend(Node& at, const std::string& part, std::string_view whole) {
  if (at.is_array()) {
    Node* item = item_named(at, part);
    if (item) return item;
    std::vector<std::string> names;
    for (const auto& i : std::get<Node::Array>(at.value)) names.push_back(name_of(i));
    throw InputError(Finding{{"--set", 0, 0}, std::string(whole),
                             fmt::format("no item named '{}' (there are: {})", part, fmt::join(names, ", "))});
  }
  if (at.is_text()) {
    Node table;
    table.place = at.place;
    table.set("catalog", at);
    at = std::move(table);
  }
  if (!at.is_table()) at.value = Node::Table{};
  if (Node* child = at.find(part)) return child;
  return &at.set(part, Node{Node::Table{}, {"--set", 0, 0}});
}

}  // namespace

const Node* Node::find(std::string_view key) const {
  if (const auto* t = std::get_if<Table>(&value))
    for (const auto& [k, v] : *t)
      if (k == key) return &v;
  return nullptr;
}

Node* Node::find(std::string_view key) { return const_cast<Node*>(std::as_const(*this).find(key)); }

Node& Node::set(std::string_view key, Node node) {
  if (!is_table()) value = Table{};
  if (Node* old = find(key)) return *old = std::move(node);
  auto& t = std::get<Table>(value);
  t.emplace_back(std::string(key), std::move(node));
  return t.back().second;
}

std::string Node::text() const {
  struct Show {
    std::string operator()(std::monostate) const { return "nothing"; }
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(std::int64_t i) const { return fmt::format("{}", i); }
    std::string operator()(double d) const { return fmt::format("{}", d); }
    std::string operator()(const std::string& s) const { return fmt::format("\"{}\"", shorten(s, 60)); }
    std::string operator()(const Array& a) const { return fmt::format("a list of {}", a.size()); }
    std::string operator()(const Table& t) const { return fmt::format("a table of {} keys", t.size()); }
  };
  return std::visit(Show{}, value);
}

Node parse_toml(std::string_view text, const std::string& file) {
  check_lines(text, file);
  check_letters(text, file);
  try {
    return convert(toml::parse(text, file), file);
  } catch (const toml::parse_error& e) {
    throw InputError(Finding{{file, e.source().begin.line, e.source().begin.column}, "", std::string(e.description())});
  }
}

Node parse_toml_file(const std::string& path, std::uint64_t max_bytes) {
  return parse_toml(read_file(path, max_bytes), path);
}

Node merge(Node under, const Node& over) {
  if (under.is_text() && over.is_table()) {
    Node table;
    table.place = under.place;
    table.set("catalog", under);
    under = std::move(table);
  }
  if (under.is_table() && over.is_table()) {
    for (const auto& [k, v] : std::get<Node::Table>(over.value)) {
      const Node* old = under.find(k);
      Node merged = old ? merge(*old, v) : v;
      under.set(k, std::move(merged));
    }
    return under;
  }
  if (is_named_list(under) && is_named_list(over)) {
    for (const auto& item : std::get<Node::Array>(over.value)) {
      if (Node* old = item_named(under, name_of(item)))
        *old = merge(*old, item);
      else
        std::get<Node::Array>(under.value).push_back(item);
    }
    return under;
  }
  return over;
}

void apply_set(Node& root, std::string_view assignment) {
  const auto eq = assignment.find('=');
  if (eq == std::string_view::npos || eq == 0)
    throw InputError(Finding{{"--set", 0, 0}, std::string(assignment), "expected key=value"});
  const std::string_view path = assignment.substr(0, eq);
  Node* at = &root;
  std::vector<std::string> parts = split(path, '.');
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) at = descend(*at, parts[i], path);
  Node* leaf = descend(*at, parts.back(), path);
  *leaf = parse_value(assignment.substr(eq + 1));
}

}  // namespace tidewatt
