#include "export_window.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>

#include "base/text.hpp"
#include "export_comtrade.hpp"
#include "result_origin.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::io {
namespace {

ComtradeEncoding encoding_of(const std::string& name) {
  const std::map<std::string, ComtradeEncoding> known = {{"", ComtradeEncoding::binary},
                                                         {"ascii", ComtradeEncoding::ascii},
                                                         {"binary", ComtradeEncoding::binary},
                                                         {"float32", ComtradeEncoding::float32}};
  if (!known.contains(name))
    throw InputError(fmt::format("no COMTRADE encoding '{}'; there are ascii, binary, float32", name));
  return known.at(name);
}

std::vector<ExportFile> files_of(const ExportOptions& o, const ExportRecord& record) {
  if (o.format == "comtrade") return comtrade_files(record, ComtradeRevision::r1999, encoding_of(o.encoding));
  if (o.format == "comtrade2013") return comtrade_files(record, ComtradeRevision::r2013, encoding_of(o.encoding));
  if (o.format == "pscad") return pscad_files(record);
  if (o.format == "powerfactory") return powerfactory_files(record);
  if (o.format == "opendss") return opendss_files(record);
  if (o.format == "andes") return andes_files(record, o.andes);
  return csv_files(record);
}

void check_format(const std::string& format) {
  const auto formats = export_formats();
  if (std::find(formats.begin(), formats.end(), format) != formats.end()) return;
  const auto close = nearest(format, formats);
  throw InputError(fmt::format("no export format '{}'{}; there are {}", format,
                               close.empty() ? "" : fmt::format(" (did you mean '{}'?)", close),
                               fmt::join(formats, ", ")));
}

}  // namespace

std::vector<std::string> export_formats() {
  return {"comtrade", "comtrade2013", "pscad", "powerfactory", "opendss", "andes", "csv"};
}

std::uint64_t Exported::total_bytes() const { return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0}); }
std::string Exported::path(std::size_t i) const { return (std::filesystem::path(folder) / files.at(i).name).string(); }

Exported export_window(const std::string& result, const ExportOptions& options) {
  check_format(options.format);
  auto record = make_export_record(read_waveform(result, options.window), read_result_origin(result), options.cut);
  if (!options.station.empty()) record.station = options.station;
  Exported out;
  out.folder = options.folder.empty() ? std::filesystem::absolute(result).parent_path().string() : options.folder;
  out.n_sample = record.n_sample();
  out.step_s = record.step_s;
  out.files = files_of(options, record);
  for (const auto& f : out.files) out.bytes.push_back(f.bytes());
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::io
