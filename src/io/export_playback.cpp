#include "export_playback.hpp"

#include <fmt/format.h>

#include <iterator>
#include <memory>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::io {
namespace {

using Shared = std::shared_ptr<const ExportRecord>;

double time_s(const ExportRecord& r, std::size_t i) { return r.step_s * static_cast<double>(i); }

void check_channels(const ExportRecord& r, std::size_t most, const char* program) {
  if (r.n_sample() == 0) throw InputError("export: a record needs at least one sample");
  if (r.channels.size() > most) throw InputError(fmt::format("{}: at most {} channels beside the time", program, most));
}

void check_power(const ExportRecord& r) {
  if (r.channels.size() < 2 || r.channels[0].unit != "MW" || r.channels[1].unit != "Mvar" || r.n_sample() == 0)
    throw InputError("export: the first two channels must be P in MW and Q in Mvar");
}

/// Rows of time and channels between blanks.
void blank_rows(const ExportRecord& r, TextPieces& pieces) {
  for (std::size_t i = 0; i < r.n_sample(); ++i) {
    auto row = std::back_inserter(pieces.text());
    fmt::format_to(row, "{:.6f}", time_s(r, i));
    for (const auto& c : r.channels) fmt::format_to(row, " {:.10g}", c.values[i]);
    pieces.text() += '\n';
    pieces.row();
  }
}

/// One value per row.
std::function<void(const Append&)> column(Shared r, std::size_t channel, double scale) {
  return [r, channel, scale](const Append& to) {
    TextPieces pieces(to);
    for (const double v : r->channels[channel].values) {
      fmt::format_to(std::back_inserter(pieces.text()), "{:.10g}\n", v * scale);
      pieces.row();
    }
    pieces.flush();
  };
}

std::string names(const ExportRecord& r, char between) {
  std::string out = "time_s";
  for (const auto& c : r.channels) out += fmt::format("{}{}_{}", between, c.name, c.unit);
  return out;
}

std::string notes(const ExportRecord& r, const char* before) {
  std::string out;
  for (const auto& line : r.provenance) out += before + line + "\n";
  return out;
}

ExportFile text_file(std::string name, std::string text) {
  return {std::move(name), [text = std::move(text)](const Append& to) { to(text); }};
}

/// A name that OpenDSS takes: letters, digits and underscores.
std::string dss_name(std::string stem) {
  for (char& c : stem)
    if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))) c = '_';
  return stem;
}

}  // namespace

std::vector<ExportFile> csv_files(const ExportRecord& record) {
  check_channels(record, 1000, "CSV");
  const auto r = std::make_shared<const ExportRecord>(record);
  return {{record.stem + ".csv", [r](const Append& to) {
             TextPieces pieces(to);
             pieces.text() = notes(*r, "# ") + names(*r, ',') + "\n";
             for (std::size_t i = 0; i < r->n_sample(); ++i) {
               auto row = std::back_inserter(pieces.text());
               fmt::format_to(row, "{:.6f}", r->first_s + time_s(*r, i));
               for (const auto& c : r->channels) fmt::format_to(row, ",{}", c.values[i]);
               pieces.text() += '\n';
               pieces.row();
             }
             pieces.flush();
           }}};
}

std::vector<ExportFile> pscad_files(const ExportRecord& record) {
  check_channels(record, 10, "PSCAD File Read");
  const auto r = std::make_shared<const ExportRecord>(record);
  return {{record.stem + "_pscad.txt", [r](const Append& to) {
             TextPieces pieces(to);
             pieces.text() = "! " + names(*r, ' ') + ";";
             for (const auto& line : r->provenance) pieces.text() += " " + line + ";";
             pieces.text() += '\n';
             blank_rows(*r, pieces);
             pieces.flush();
           }}};
}

std::vector<ExportFile> powerfactory_files(const ExportRecord& record) {
  check_channels(record, 24, "PowerFactory ElmFile");
  const auto r = std::make_shared<const ExportRecord>(record);
  return {{record.stem + "_elmfile.txt",
           [r](const Append& to) {
             TextPieces pieces(to);
             pieces.text() = fmt::format("{}\n", r->channels.size());
             blank_rows(*r, pieces);
             pieces.flush();
           }},
          text_file(record.stem + "_elmfile_columns.txt", names(record, ' ') + "\n" + notes(record, ""))};
}

std::vector<ExportFile> opendss_files(const ExportRecord& record) {
  check_power(record);
  const auto r = std::make_shared<const ExportRecord>(record);
  const std::string stem = dss_name(record.stem);
  const std::string p = stem + "_kW.csv", q = stem + "_kvar.csv";
  std::string shape = notes(record, "! ");
  fmt::format_to(std::back_inserter(shape),
                 "New LoadShape.{} npts={} sinterval={} mult=(file={}) Qmult=(file={}) UseActual=yes\n", stem,
                 record.n_sample(), record.step_s, p, q);
  return {{p, column(r, 0, 1e3)}, {q, column(r, 1, 1e3)}, text_file(stem + ".dss", shape)};
}

std::vector<ExportFile> andes_files(const ExportRecord& record, const AndesTarget& target) {
  check_power(record);
  if (!(target.base_MVA > 0.0)) throw InputError("ANDES: the system's base must be positive");
  const auto r = std::make_shared<const ExportRecord>(record);
  const std::string series = record.stem + "_andes.csv";
  const double scale = 1.0 / target.base_MVA;
  std::string device = "idx,u,name,mode,path,sheet,fields,tkey,model,dev,dests\n";
  fmt::format_to(std::back_inserter(device), "TimeSeries_1,1,{},1,{},-,\"p_pu,q_pu\",t,PQ,{},\"Ppf,Qpf\"\n",
                 record.stem, series, target.load);
  return {
      {series,
       [r, scale](const Append& to) {
         TextPieces pieces(to);
         pieces.text() = "t,p_pu,q_pu\n";
         for (std::size_t i = 0; i < r->n_sample(); ++i) {
           fmt::format_to(std::back_inserter(pieces.text()), "{:.6f},{:.10g},{:.10g}\n", time_s(*r, i),
                          r->channels[0].values[i] * scale, r->channels[1].values[i] * scale);
           pieces.row();
         }
         pieces.flush();
       }},
      text_file(record.stem + "_andes_timeseries.csv", device),
      text_file(
          record.stem + "_andes_readme.txt",
          notes(record, "") +
              fmt::format(
                  "P and Q in pu of {:g} MVA. Add the line of {}_andes_timeseries.csv to the sheet TimeSeries of the "
                  "case, and set\n"
                  "PQ.p2p = PQ.q2q = 1 and the other shares to 0, so that the load is constant power in dynamics.\n",
                  target.base_MVA, record.stem))};
}

}  // namespace TIDEWATT_NAMESPACE::io
