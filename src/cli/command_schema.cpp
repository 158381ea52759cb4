#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "commands.hpp"
#include "io/durable_file.hpp"
#include "study/scenario_schema.hpp"
#include "tidewatt/base/error.hpp"

namespace {

using namespace tidewatt;

struct Arguments {
  std::string word, folder;
  bool keys = false;
};

void write_pages(const study::ScenarioReference& reference, const std::string& folder) {
  std::error_code ec;
  std::filesystem::create_directories(folder, ec);
  if (ec) throw OutputError(fmt::format("{}: cannot be created: {}", folder, ec.message()));
  for (const auto& [name, text] : study::scenario_pages(reference)) {
    const auto path = (std::filesystem::path(folder) / name).string();
    io::write_durably(path, {text.data(), text.size()});
    fmt::print("{}\n", path);
  }
}

void schema(const Arguments& a) {
  const auto reference = study::scenario_reference();
  if (!a.folder.empty()) return write_pages(reference, a.folder);
  if (!a.keys) return fmt::print("{}", study::scenario_schema(reference));
  const std::string text = study::reference_text(reference, a.word);
  if (text.empty())
    throw InputError(
        fmt::format("no scenario key and no kind contains '{}'; tidewatt schema --keys lists all", a.word));
  fmt::print("{}", text);
}

}  // namespace

void add_schema_command(CLI::App& app, int&) {
  auto a = std::make_shared<Arguments>();
  auto* c = app.add_subcommand("schema",
                               "print the scenario format: a JSON Schema for editors, all keys with unit, range and "
                               "default, or reference pages");
  auto* keys = c->add_flag("--keys", a->keys, "list the keys that --set can change, as text");
  c->add_option("word", a->word,
                "with --keys: only keys whose path or kind (of an event, a mitigation, ...) contains this, in any "
                "case, e.g. plan or cdu")
      ->needs(keys);
  c->add_option("--markdown", a->folder, "write the reference as Markdown pages into this folder instead")
      ->type_name("FOLDER")
      ->excludes(keys);
  c->callback([a] { schema(*a); });
}
