#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "io/figure_table.hpp"

void add_figures_command(CLI::App& app, int&) {
  struct Arguments {
    bool json = false, markdown = false;
  };
  auto a = std::make_shared<Arguments>();
  auto* c = app.add_subcommand(
      "figures", "list the figures of a run: key, unit, words, whether of site or job, place among the headlines");
  auto* json = c->add_flag("--json", a->json, "print JSON, with meaning, digits and in which runs there is none");
  c->add_flag("--markdown", a->markdown, "print the tables of the documentation")->excludes(json);
  c->callback([a] {
    fmt::print("{}", a->json       ? tidewatt::io::figure_table_json() + "\n"
                     : a->markdown ? tidewatt::io::figure_table_markdown()
                                   : tidewatt::io::figure_table_text());
  });
}
