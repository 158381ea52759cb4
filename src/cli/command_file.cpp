#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "base/text.hpp"
#include "commands.hpp"
#include "print_page.hpp"
#include "study/filing.hpp"
#include "study/filing_folder.hpp"
#include "study/rule_study.hpp"

namespace {

using namespace tidewatt;
namespace fs = std::filesystem;

struct Arguments {
  std::string rule, out;
  sim::LoadOptions load;
  study::FilingOptions options;
  bool no_pdf = false;
};

void file(const Arguments& a) {
  const auto book = study::find_rule_book(a.rule, a.load.catalog_overlay);
  const auto scenario = sim::load_scenario(a.options.file, a.load);
  auto pack = study::make_filing(scenario, book, a.options);
  for (const auto& w : pack.warnings) fmt::print(stderr, "warning: {}\n", w);
  const fs::path list = fs::path(a.out) / "manifest.json";
  const std::string old = fs::is_regular_file(list) ? read_file(list.string(), 1u << 24) : std::string();
  std::uint64_t bytes = 0;
  for (const auto& f : pack.files) bytes += f.bytes();
  fmt::print("{} files, {:.3g} MB\n", pack.files.size(), static_cast<double>(bytes) * 1e-6);
  io::write_export(a.out, pack.files, bytes);

  // The printed page and the manifest need the files in place.
  const auto pdf = (fs::path(a.out) / "report.pdf").string();
  const std::string printer = a.no_pdf ? "" : print_page((fs::path(a.out) / "report.html").string(), pdf);
  if (!printer.empty())
    pack.files.push_back({"report.pdf", [text = read_file(pdf, 1u << 30)](const io::Append& to) { to(text); }});
  const std::string manifest = study::filing_manifest(scenario, pack.files);
  io::write_durably(list.string(), manifest);
  std::vector<std::string> names;
  for (const auto& f : pack.files) names.push_back(f.name);
  const auto before = study::clear_old_pack(a.out, old, names);
  for (const auto& f : pack.files) fmt::print("{}\n", (fs::path(a.out) / f.name).string());
  fmt::print("{}\n", list.string());
  for (const auto& name : before.removed) fmt::print("removed, of the older pack: {}\n", name);
  for (const auto& kept : before.kept) fmt::print("left in the folder: {}\n", kept);
  if (printer.empty() && !a.no_pdf)
    fmt::print("no PDF: neither WeasyPrint nor Chromium could print report.html; print it from a browser\n");
  fmt::print("ride-through: {}\n{} open items, listed in report.html\n", pack.ride, pack.open.size());
}

}  // namespace

void add_file_command(CLI::App& app, int&) {
  auto a = std::make_shared<Arguments>();
  auto* c = app.add_subcommand("file",
                               "write a folder to file with a utility: report, data sheet, verdicts, model records "
                               "with tests, playback files, manifest");
  c->add_option("scenario", a->options.file, "scenario file (TOML)")->required();
  c->add_option("results", a->options.results,
                "result files of the scenario; without one, figures of a run are listed as open");
  c->add_option("--for", a->rule,
                "rule set to file for: its name in the catalog (tidewatt rules list), or your own file")
      ->required();
  c->add_option("--out", a->out, "folder")->required();
  c->add_option("--window", a->options.window, "recorded window of the results; default: the first");
  c->add_option("--settings", a->options.source.settings,
                "settings of the load: an entry of kind load_settings or a file; default: those of the scenario");
  c->add_option("--current-limit-pu", a->options.source.current_limit_pu,
                "largest input current of the supplies over that at nominal voltage; default: as in the settings, else "
                "constant power")
      ->check(CLI::Range(1.0, 10.0));
  c->add_option("--transformer", a->options.transformer,
                "transformer between connection and load; with it, bands are also judged in sags of 1 and 2 phases")
      ->check(CLI::IsMember({"wye_wye", "delta_wye"}));
  c->add_option("--bus", a->options.bus, "number of the load's bus in the model records")
      ->check(CLI::Range(1, 999997))
      ->capture_default_str();
  c->add_flag("--as-if", a->options.as_if, "judge even if the rules do not apply to the site");
  c->add_flag("--no-pdf", a->no_pdf, "do not make a PDF of the report");
  c->add_option("--set", a->load.set, "override a key, key=value (repeatable)")->allow_extra_args(false);
  c->add_option("--catalog", a->load.catalog_overlay,
                "folder of catalog files that add to or replace the built-in ones");
  c->callback([a] {
    a->options.source.overlay = a->load.catalog_overlay;
    file(*a);
  });
}
