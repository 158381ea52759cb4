// The scenario reference as Markdown pages.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "scenario_schema.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

/// A cell of a table: no line breaks, no bars.
std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find_first_of("|\n", at)) != std::string::npos; at += 2)
    text.replace(at, 1, text[at] == '|' ? "\\|" : "  ");
  return text;
}

std::string code(const std::string& text) { return text.empty() ? "" : "`" + cell(text) + "`"; }

std::string table_text(const ScenarioReference& reference, const ReferenceTable& t) {
  std::string out = fmt::format("\n## `{}`\n\n{}{}.\n", t.header(),
                                std::string(1, static_cast<char>(std::toupper(static_cast<unsigned char>(t.doc[0])))),
                                t.doc.substr(1));
  if (!t.catalog_kind.empty())
    out += fmt::format(
        "\nA name of `tidewatt catalog list` (kind `{0}`), or a table with `catalog = \"NAME\"` and keys that override "
        "the entry.\n",
        t.catalog_kind);
  out += "\n| Key | Meaning | Unit | Range | Default | Example | Source |\n|---|---|---|---|---|---|---|\n";
  for (const auto& k : t.keys) {
    std::string meaning = k.field.info.doc;
    if (!k.kinds.empty()) meaning += fmt::format(" (of {})", fmt::join(k.kinds, ", "));
    out += fmt::format("| `{}` | {} | {} | {} | {} | {} | {} |\n", k.field.info.key, cell(meaning), cell(k.unit()),
                       cell(k.range()), k.standard.empty() ? (k.required ? "required" : "") : code(k.standard),
                       code(k.example), cell(k.source));
  }
  for (const auto& e : reference.examples)
    if (e.path == t.path) out += fmt::format("\n### `{}`\n\n```toml\n{}```\n", e.kind, e.text);
  return out;
}

std::string section_of(const std::string& path) { return path.substr(0, path.find('.')); }

}  // namespace

std::vector<std::pair<std::string, std::string>> scenario_pages(const ScenarioReference& reference) {
  std::vector<std::pair<std::string, std::string>> out;
  std::string index =
      "# Scenario reference\n\nEvery key of the scenario format. Keys end with their unit; `--set TABLE.KEY=VALUE` "
      "overrides one for a run, items of lists\n"
      "by their name: `--set job.main.plan.tp=4`. A scenario needs a hall with its GPU and a job with its model and "
      "plan; what else\n"
      "it leaves out has the default of these pages, and the result lists each one used.\n\n"
      "`base = \"FILE\"` inherits from a scenario below the same folder, or from a shipped one by its name: tables are "
      "merged,\n"
      "list items by their `name`, and what is given here wins.\n\n";
  for (const auto& t : reference.tables) {
    if (t.path.empty()) continue;
    const std::string file = section_of(t.path) + ".md";
    auto at = std::find_if(out.begin(), out.end(), [&](const auto& page) { return page.first == file; });
    if (at == out.end()) {
      index += fmt::format("* [`{}`]({}): {}\n", section_of(t.path), file, t.doc);
      at = out.insert(out.end(), {file, fmt::format("# `{}`\n", section_of(t.path))});
    }
    at->second += table_text(reference, t);
  }
  if (const auto* top = reference.find("")) index += table_text(reference, *top);
  out.insert(out.begin(), {"index.md", index});
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
