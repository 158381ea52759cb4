#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <vector>

#include "commands.hpp"
#include "option_checks.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/io/export_window.hpp"

namespace {

using namespace tidewatt;

struct Arguments {
  std::string result;
  double begin_s = 0.0, length_s = 0.0;
  io::ExportOptions options;
};

void run_export(const Arguments& a) {
  const auto made = io::export_window(a.result, a.options);
  if (made.fit)
    fmt::print("fit: rms error {:.2f} % of the power before, largest {:.1f} %, R² {:.4f}\n", 100.0 * made.fit->rms_error_frac,
               100.0 * made.fit->max_error_frac, made.fit->r_squared);
  // Sizes first: a day at 1 ms can still be stopped.
  for (std::size_t i = 0; i < made.files.size(); ++i) fmt::print("{}: {} bytes\n", made.path(i), made.bytes[i]);
  fmt::print("{} samples every {:g} s, {:.3g} MB in all\n", made.n_sample, made.step_s, static_cast<double>(made.total_bytes()) * 1e-6);
  std::fflush(stdout);
  io::write_export(made.folder, made.files, made.total_bytes());
}

}  // namespace

void add_export_command(CLI::App& app, int&) {
  auto a = std::make_shared<Arguments>();
  auto* c = app.add_subcommand("export", "write a recorded window for other programs: COMTRADE, PSCAD, PowerFactory, OpenDSS, ANDES, CSV");
  c->add_option("result", a->result, "result file (HDF5)")->required();
  c->add_option("--format", a->options.format, "what to write")->required()->check(CLI::IsMember(io::export_formats()));
  c->add_option("--window", a->options.window, "name of the recorded window; default: the first");
  c->add_option("--out", a->options.folder, "folder; default: beside the result");
  auto* encoding = c->add_option("--encoding", a->options.encoding, "COMTRADE: ascii, binary, or float32 (comtrade2013)")->check(CLI::IsMember({"ascii", "binary", "float32"}))->default_str("binary");
  auto* station = c->add_option("--station", a->options.station, "COMTRADE: station name; default: the result's name");
  auto* begin = c->add_option("--begin", a->begin_s, "first sample, s since the start of the run; default: the window's first");
  auto* length = c->add_option("--length", a->length_s, "s; default: to the window's end");
  c->add_option("--step", a->options.cut.step_s, "s; means over this many seconds; default: every sample");
  c->add_flag("--peaks", a->options.cut.peaks, "smallest and largest sample of each step instead of its mean");
  auto* load = c->add_option("--load", a->options.andes.load, "ANDES: idx of the PQ load")->capture_default_str();
  auto* base = c->add_option("--base-MVA", a->options.andes.base_MVA, "ANDES: base of the system")->check(within(1e-3, 1e6))->capture_default_str();
  c->add_option("--v-trip-pu", a->options.v_trip_pu, "perc1: voltage below which the site disconnects")->check(within(0, 2))->capture_default_str();
  c->add_option("--v-return-pu", a->options.v_return_pu, "perc1: voltage above which it reconnects")->check(within(0, 2))->capture_default_str();
  c->callback([=] {
    if (begin->count() > 0) a->options.cut.begin_s = a->begin_s;
    if (length->count() > 0) a->options.cut.length_s = a->length_s;
    const bool comtrade = a->options.format.starts_with("comtrade");
    std::vector<Finding> findings;
    for (const auto* o : {encoding, station})
      if (o->count() > 0 && !comtrade) findings.push_back({{}, o->get_name(), "is for --format comtrade and comtrade2013"});
    for (const auto* o : {load, base})
      if (o->count() > 0 && a->options.format != "andes") findings.push_back({{}, o->get_name(), "is for --format andes"});
    if (!findings.empty()) throw InputError(std::move(findings));
    run_export(*a);
  });
}
