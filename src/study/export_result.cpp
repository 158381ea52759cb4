#include "export_result.hpp"

#include <algorithm>
#include <filesystem>

#include "io/read_waveform.hpp"
#include "load_model.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

/// The requested part of a window, power only.
io::Waveform cut_power(const io::Waveform& w, const io::ResultOrigin& origin, const io::ExportCut& cut) {
  const auto record = io::make_export_record(w, origin, {cut.begin_s, cut.length_s});
  io::Waveform out{w.window, record.first_s, w.step_s, record.channels.front().values, {}, {}, {}};
  for (double& P : out.pcc_W) P *= 1e6;
  return out;
}

ModelFiles model_files(const std::string& result, const ResultExport& x) {
  const auto& o = x.options;
  const auto origin = io::read_result_origin(result);
  const ModelTarget target{x.bus, model_origin(origin), origin.name, x.program, x.drives_only};
  if (o.format == "linjbl") return linjbl_model(cut_power(io::read_waveform(result, o.window), origin, o.cut), target);
  if (!o.window.empty()) io::read_waveform(result, o.window);  // it does not matter, but it must exist
  const auto load = result_load(result, x.source);
  return o.format == "perc1" ? perc1_model(load, target) : cmpldw_model(load, target);
}

}  // namespace

bool is_settings_format(const std::string& format) { return format == "perc1" || format == "cmpldw"; }

std::vector<std::string> result_formats() {
  auto out = io::export_formats();
  out.insert(out.end(), {"perc1", "cmpldw", "linjbl"});
  return out;
}

ResultFiles export_result(const std::string& result, const ResultExport& what) {
  ResultFiles out;
  const auto& o = what.options;
  if (!is_settings_format(o.format) && o.format != "linjbl") {
    out.made = io::export_window(result, o);
    return out;
  }
  auto model = model_files(result, what);
  out.made.folder = o.folder.empty() ? std::filesystem::absolute(result).parent_path().string() : o.folder;
  out.made.files = std::move(model.files);
  for (const auto& f : out.made.files) out.made.bytes.push_back(f.bytes());
  out.checked = std::move(model.checked);
  out.warnings = std::move(model.warnings);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
