#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <vector>

#include "commands.hpp"
#include "option_checks.hpp"
#include "study/export_result.hpp"
#include "tidewatt/base/error.hpp"

namespace {

using namespace tidewatt;

struct Arguments {
  std::string result;
  double begin_s = 0.0, length_s = 0.0;
  study::ResultExport what;
};

void run_export(const Arguments& a) {
  const auto out = study::export_result(a.result, a.what);
  const auto& made = out.made;
  if (!out.checked.empty()) fmt::print("check: {}\n", out.checked);
  for (const auto& w : out.warnings) fmt::print(stderr, "warning: {}\n", w);
  // Sizes first: a day at 1 ms can still be stopped.
  for (std::size_t i = 0; i < made.files.size(); ++i) fmt::print("{}: {} bytes\n", made.path(i), made.bytes[i]);
  if (made.n_sample > 0)
    fmt::print("{} samples every {:g} s, {:.3g} MB in all\n", made.n_sample, made.step_s,
               static_cast<double>(made.total_bytes()) * 1e-6);
  std::fflush(stdout);
  io::write_export(made.folder, made.files, made.total_bytes());
}

}  // namespace

void add_export_command(CLI::App& app, int&) {
  auto a = std::make_shared<Arguments>();
  auto* c = app.add_subcommand("export",
                               "write a recorded window for other programs (COMTRADE, PSCAD, PowerFactory, OpenDSS, "
                               "ANDES, CSV), or the load as model records (PERC1, CMPLDW, LINJBL)");
  c->add_option("result", a->result, "result file (HDF5)")->required();
  c->add_option("--format", a->what.options.format, "format to write")
      ->type_name("FORMAT")
      ->required()
      ->check(CLI::IsMember(study::result_formats()));
  c->add_option("--window", a->what.options.window, "name of the recorded window; default: the first")
      ->type_name("NAME");
  c->add_option("--out", a->what.options.folder, "folder; default: beside the result")->type_name("FOLDER");
  auto* encoding =
      c->add_option("--encoding", a->what.options.encoding, "COMTRADE: ascii, binary, or float32 (comtrade2013)")
          ->type_name("WORD")
          ->check(CLI::IsMember({"ascii", "binary", "float32"}))
          ->default_str("binary");
  auto* station =
      c->add_option("--station", a->what.options.station, "COMTRADE: station name; default: the result's name")
          ->type_name("NAME");
  auto* begin = c->add_option("--begin", a->begin_s,
                              "time of the first sample, s since the start of the run; default: begin of the window");
  auto* length = c->add_option("--length", a->length_s, "length, s; default: to the end of the window");
  c->add_option("--step", a->what.options.cut.step_s, "write means over this many seconds; default: every sample");
  c->add_flag("--peaks", a->what.options.cut.peaks,
              "write the smallest and largest sample of each step instead of its mean");
  auto* load = c->add_option("--load", a->what.options.andes.load, "ANDES: idx of the PQ load")
                   ->type_name("NAME")
                   ->capture_default_str();
  auto* base = c->add_option("--base-MVA", a->what.options.andes.base_MVA, "ANDES: base of the system")
                   ->check(within(1e-3, 1e6))
                   ->capture_default_str();
  auto* settings = c->add_option("--settings", a->what.source.settings,
                                 "perc1, cmpldw: settings of the load: an entry of kind load_settings or a file; "
                                 "default: those of the scenario")
                       ->type_name("NAME");
  auto* overlay =
      c->add_option("--catalog", a->what.source.overlay, "perc1, cmpldw: folder of catalog files, as for the run")
          ->type_name("FOLDER");
  auto* bus = c->add_option("--bus", a->what.bus, "perc1, cmpldw, linjbl: number of the load's bus")
                  ->check(CLI::Range(1, 999997))
                  ->capture_default_str();
  auto* program = c->add_option("--program", a->what.program,
                                "perc1, cmpldw, linjbl: program that reads the records (psse36, psse35, psse34, "
                                "psse33, powerworld24); default: psse36")
                      ->type_name("NAME");
  auto* drives = c->add_flag("--drives-only", a->what.drives_only,
                             "cmpldw: write only drives, to be used together with the perc1 records; default: drives "
                             "and supplies, to be used instead of them");
  c->callback([=] {
    if (begin->count() > 0) a->what.options.cut.begin_s = a->begin_s;
    if (length->count() > 0) a->what.options.cut.length_s = a->length_s;
    const bool comtrade = a->what.options.format.starts_with("comtrade");
    std::vector<Finding> findings;
    for (const auto* o : {encoding, station})
      if (o->count() > 0 && !comtrade)
        findings.push_back({{}, o->get_name(), "is for --format comtrade and comtrade2013"});
    for (const auto* o : {load, base})
      if (o->count() > 0 && a->what.options.format != "andes")
        findings.push_back({{}, o->get_name(), "is for --format andes"});
    for (const auto* o : {settings, overlay})
      if (o->count() > 0 && !study::is_settings_format(a->what.options.format))
        findings.push_back({{}, o->get_name(), "is for --format perc1 and cmpldw"});
    if (drives->count() > 0 && a->what.options.format != "cmpldw")
      findings.push_back({{}, drives->get_name(), "is for --format cmpldw"});
    for (const auto* o : {bus, program})
      if (o->count() > 0 && !study::is_settings_format(a->what.options.format) && a->what.options.format != "linjbl")
        findings.push_back({{}, o->get_name(), "is for --format perc1, cmpldw and linjbl"});
    if (!findings.empty()) throw InputError(std::move(findings));
    run_export(*a);
  });
}
