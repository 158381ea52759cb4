#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

#include "commands.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/io/export_comtrade.hpp"
#include "tidewatt/io/export_playback.hpp"
#include "tidewatt/io/read_waveform.hpp"

namespace {

using namespace tidewatt;

struct Arguments {
  std::string result, format, window, out;
  double tolerance_kW = 1.0, v_trip_pu = 0.75, v_return_pu = 0.9;
};

void write(const std::filesystem::path& path, const char* bytes, std::size_t n) {
  std::ofstream to(path, std::ios::binary);
  to.write(bytes, static_cast<std::streamsize>(n));
  if (!to.flush()) throw OutputError(path.string() + ": could not be written");
  fmt::print("{}\n", path.string());
}
void write(const std::filesystem::path& path, const std::string& text) { write(path, text.data(), text.size()); }

void export_comtrade(const std::filesystem::path& stem, const io::Waveform& w, io::ComtradeFormat format) {
  io::ComtradeHeader header;
  header.line_Hz = w.frequency_Hz.empty() || w.frequency_Hz.front() > 55.0 ? 60.0 : 50.0;
  header.start_unix_us = static_cast<std::int64_t>(w.first_s * 1e6);
  const io::ComtradeChannel channels[] = {{"pcc_P", "W", w.pcc_W}, {"pcc_Q", "var", w.pcc_var}, {"bus_V", "pu", w.bus_pu}, {"frequency", "Hz", w.frequency_Hz}};
  const auto c = io::comtrade(header, channels, format);
  write(stem.string() + ".cfg", c.cfg);
  write(stem.string() + ".dat", c.dat.data(), c.dat.size());
}

void run_export(const Arguments& a) {
  const auto w = io::read_waveform(a.result, a.window);
  std::filesystem::path stem = a.out.empty() ? std::filesystem::path(a.result).replace_extension("").string() + "_" + w.window : a.out;
  const io::Column columns[] = {{"pcc_W", w.pcc_W}, {"pcc_var", w.pcc_var}, {"bus_pu", w.bus_pu}, {"frequency_Hz", w.frequency_Hz}};
  if (a.format == "comtrade") return export_comtrade(stem, w, io::ComtradeFormat::binary);
  if (a.format == "comtrade-ascii") return export_comtrade(stem, w, io::ComtradeFormat::ascii);
  if (a.format == "csv") return write(stem.string() + ".csv", io::csv(w.first_s, w.step_s, columns));
  if (a.format == "psse") return write(stem.string() + "_psse.csv", io::psse_playback(w.first_s, w.step_s, w.pcc_W, w.pcc_var, a.tolerance_kW * 1e3));
  if (a.format == "pscad") {
    const double scale[] = {1e-6, 1e-6, 1.0, 1.0};
    return write(stem.string() + "_pscad.txt", io::pscad_file_read(w.first_s, w.step_s, columns, scale));
  }
  const auto block = io::fit_ride_through(w.step_s, w.bus_pu, w.pcc_W, a.v_trip_pu, a.v_return_pu);
  write(stem.string() + "_perc1.txt", block.text());
  fmt::print("fit: rms error {:.2f} % of the power before, largest {:.1f} %, R² {:.4f}\n", 100.0 * block.rms_error_frac, 100.0 * block.max_error_frac, block.r_squared);
}

}  // namespace

void add_export_command(CLI::App& app, int&) {
  auto a = std::make_shared<Arguments>();
  auto* c = app.add_subcommand("export", "a recorded window for other tools: COMTRADE, CSV, PSS/E and PSCAD playback, a ride-through block");
  c->add_option("result", a->result, "result file (HDF5)")->required();
  c->add_option("--format", a->format, "what to write")->required()->check(CLI::IsMember({"comtrade", "comtrade-ascii", "csv", "psse", "pscad", "perc1"}));
  c->add_option("--window", a->window, "name of the recorded window; default: the first");
  c->add_option("--out", a->out, "path without its ending; default: beside the result");
  c->add_option("--tolerance-kW", a->tolerance_kW, "PSS/E: samples on a straight line within this are left out")->capture_default_str();
  c->add_option("--v-trip-pu", a->v_trip_pu, "perc1: voltage below which the site leaves")->capture_default_str();
  c->add_option("--v-return-pu", a->v_return_pu, "perc1: voltage above which it comes back")->capture_default_str();
  c->callback([a] { run_export(*a); });
}
