#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <vector>

#include "commands.hpp"
#include "option_checks.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/io/export_comtrade.hpp"
#include "tidewatt/io/export_playback.hpp"

namespace {

using namespace tidewatt;

struct Arguments {
  std::string result, format, window, out, encoding = "binary", station;
  io::ExportCut cut;
  double begin_s = 0.0, length_s = 0.0;
  io::AndesTarget andes;
  double v_trip_pu = 0.75, v_return_pu = 0.9;
};

const std::map<std::string, io::ComtradeEncoding> encodings = {
    {"ascii", io::ComtradeEncoding::ascii}, {"binary", io::ComtradeEncoding::binary}, {"float32", io::ComtradeEncoding::float32}};

std::vector<io::ExportFile> files_of(const Arguments& a, const io::ExportRecord& record) {
  if (a.format == "comtrade") return io::comtrade_files(record, io::ComtradeRevision::r1999, encodings.at(a.encoding));
  if (a.format == "comtrade2013") return io::comtrade_files(record, io::ComtradeRevision::r2013, encodings.at(a.encoding));
  if (a.format == "pscad") return io::pscad_files(record);
  if (a.format == "powerfactory") return io::powerfactory_files(record);
  if (a.format == "opendss") return io::opendss_files(record);
  if (a.format == "andes") return io::andes_files(record, a.andes);
  return io::csv_files(record);
}

io::ExportFile ride_through_block(const Arguments& a, const io::Waveform& w, const std::string& stem) {
  const auto block = io::fit_ride_through(w.step_s, w.bus_pu, w.pcc_W, a.v_trip_pu, a.v_return_pu);
  fmt::print("fit: rms error {:.2f} % of the power before, largest {:.1f} %, R² {:.4f}\n", 100.0 * block.rms_error_frac, 100.0 * block.max_error_frac, block.r_squared);
  return {stem + "_perc1.txt", [text = block.text()](const io::Append& to) { to(text); }};
}

void run_export(const Arguments& a) {
  const auto window = io::read_waveform(a.result, a.window);
  auto record = io::make_export_record(window, io::read_result_origin(a.result), a.cut);
  if (!a.station.empty()) record.station = a.station;
  const auto files = a.format == "perc1" ? std::vector{ride_through_block(a, window, record.stem)} : files_of(a, record);
  const std::string folder = a.out.empty() ? std::filesystem::absolute(a.result).parent_path().string() : a.out;
  // Sizes first: whoever asked for a day at 1 ms can still stop.
  std::uint64_t all = 0;
  for (const auto& f : files) {
    const auto n = f.bytes();
    fmt::print("{}: {} bytes\n", (std::filesystem::path(folder) / f.name).string(), n);
    all += n;
  }
  fmt::print("{} samples every {:g} s, {:.3g} MB in all\n", record.n_sample(), record.step_s, static_cast<double>(all) * 1e-6);
  std::fflush(stdout);
  io::write_export(folder, files, all);
}

}  // namespace

void add_export_command(CLI::App& app, int&) {
  auto a = std::make_shared<Arguments>();
  auto* c = app.add_subcommand("export", "write a recorded window for other programs: COMTRADE, PSCAD, PowerFactory, OpenDSS, ANDES, CSV");
  c->add_option("result", a->result, "result file (HDF5)")->required();
  c->add_option("--format", a->format, "what to write")->required()->check(CLI::IsMember({"comtrade", "comtrade2013", "pscad", "powerfactory", "opendss", "andes", "csv", "perc1"}));
  c->add_option("--window", a->window, "name of the recorded window; default: the first");
  c->add_option("--out", a->out, "folder; default: beside the result");
  auto* encoding = c->add_option("--encoding", a->encoding, "COMTRADE: ascii, binary, or float32 (comtrade2013)")->check(CLI::IsMember({"ascii", "binary", "float32"}))->capture_default_str();
  auto* station = c->add_option("--station", a->station, "COMTRADE: station name; default: the result's name");
  auto* begin = c->add_option("--begin", a->begin_s, "first sample, s since the start of the run; default: the window's first");
  auto* length = c->add_option("--length", a->length_s, "s; default: to the window's end");
  c->add_option("--step", a->cut.step_s, "s; means over this many seconds; default: every sample");
  c->add_flag("--peaks", a->cut.peaks, "smallest and largest sample of each step instead of its mean");
  auto* load = c->add_option("--load", a->andes.load, "ANDES: idx of the PQ load")->capture_default_str();
  auto* base = c->add_option("--base-MVA", a->andes.base_MVA, "ANDES: base of the system")->check(within(1e-3, 1e6))->capture_default_str();
  c->add_option("--v-trip-pu", a->v_trip_pu, "perc1: voltage below which the site leaves")->check(within(0, 2))->capture_default_str();
  c->add_option("--v-return-pu", a->v_return_pu, "perc1: voltage above which it comes back")->check(within(0, 2))->capture_default_str();
  c->callback([=] {
    if (begin->count() > 0) a->cut.begin_s = a->begin_s;
    if (length->count() > 0) a->cut.length_s = a->length_s;
    const bool comtrade = a->format.starts_with("comtrade");
    std::vector<Finding> findings;
    for (const auto* o : {encoding, station})
      if (o->count() > 0 && !comtrade) findings.push_back({{}, o->get_name(), "is for --format comtrade and comtrade2013"});
    for (const auto* o : {load, base})
      if (o->count() > 0 && a->format != "andes") findings.push_back({{}, o->get_name(), "is for --format andes"});
    if (!findings.empty()) throw InputError(std::move(findings));
    run_export(*a);
  });
}
