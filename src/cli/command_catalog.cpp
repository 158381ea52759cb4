#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "commands.hpp"
#include "tidewatt/catalog/catalog.hpp"

namespace {

struct Arguments {
  std::string name, second, overlay;
};

void list(const Arguments& a) {
  std::string kind;
  for (const auto& key : tidewatt::catalog::Catalog(a.overlay).list()) {
    if (key.first != kind) fmt::print("{}\n", key.first);
    kind = key.first;
    fmt::print("  {}\n", key.second);
  }
}

/// NAME, KIND/NAME or KIND NAME.
void show(const Arguments& a) {
  const tidewatt::catalog::Catalog catalog(a.overlay);
  if (!a.second.empty()) {
    std::vector<std::string> kinds;
    for (const auto& key : catalog.list())
      if (kinds.empty() || kinds.back() != key.first) kinds.push_back(key.first);
    if (std::find(kinds.begin(), kinds.end(), a.name) == kinds.end()) {
      const auto close = tidewatt::nearest(a.name, kinds);
      throw tidewatt::InputError(fmt::format("no catalog kind '{}'{}; there are: {}", a.name,
                                             close.empty() ? "" : fmt::format(" (did you mean '{}'?)", close),
                                             fmt::join(kinds, ", ")));
    }
    fmt::print("{}", catalog.text(a.name, a.second));
    return;
  }
  bool found = false;
  std::vector<std::string> known;
  for (const auto& key : catalog.list()) {
    known.push_back(key.second);
    if (key.second != a.name && key.first + "/" + key.second != a.name) continue;
    fmt::print("{}", catalog.text(key.first, key.second));
    found = true;
  }
  if (found) return;
  const auto close = tidewatt::nearest(a.name, known);
  throw tidewatt::InputError(fmt::format("no catalog entry '{}'{}; 'tidewatt catalog list' names them all", a.name,
                                         close.empty() ? "" : fmt::format(" (did you mean '{}'?)", close)));
}

}  // namespace

void add_catalog_command(CLI::App& app, int&) {
  auto a = std::make_shared<Arguments>();
  auto* c = app.add_subcommand("catalog", "list, show and check hardware, plants, climates, models and grids");
  c->require_subcommand(1);
  auto* l = c->add_subcommand("list", "list names by kind");
  l->callback([a] { list(*a); });
  auto* s = c->add_subcommand("show", "print an entry's file, with its sources");
  for (auto* each : {c, l, s})
    each->add_option("--catalog", a->overlay, "folder of catalog files that add to or replace the built-in ones")
        ->type_name("FOLDER");
  s->alias("export");
  s->add_option("name", a->name, "NAME, KIND/NAME or KIND NAME")->required();
  s->add_option("entry", a->second, "name of the entry, where its kind is given first")->type_name("NAME");
  s->callback([a] { show(*a); });
  add_catalog_hardware(*c);
}
