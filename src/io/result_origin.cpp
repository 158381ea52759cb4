#include "result_origin.hpp"

#include <algorithm>
#include <filesystem>

#include "base/sha256.hpp"
#include "result_file.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::io {
namespace {

std::string provenance(const ResultFile& file, const char* key) {
  for (const auto& [name, text] : file.provenance())
    if (name == key) return text;
  return {};
}

std::vector<std::pair<double, std::string>> events(ResultFile& file) {
  const auto* times = file.read("/events/time");
  const auto* kinds = file.read("/events/kind");
  if (times == nullptr || kinds == nullptr) return {};
  const auto* time = std::get_if<std::vector<double>>(&times->values);
  const auto* what = std::get_if<std::vector<std::string>>(&kinds->values);
  if (time == nullptr || what == nullptr || time->size() != what->size())
    throw InputError(Finding{{file.path(), 0, 0}, "/events", "time and kind do not fit together"});
  std::vector<std::pair<double, std::string>> out;
  for (std::size_t i = 0; i < time->size(); ++i) out.emplace_back((*time)[i], (*what)[i]);
  std::ranges::stable_sort(out, {}, &std::pair<double, std::string>::first);
  return out;
}

}  // namespace

ResultOrigin read_result_origin(const std::string& path) {
  ResultFile file(path);
  ResultOrigin out;
  out.name = std::filesystem::path(path).stem().string();
  out.version = provenance(file, "version");
  out.start_time = provenance(file, "start_time");
  out.payload_sha256 = file.payload_sha256();
  out.scenario = provenance(file, "scenario");
  if (out.start_time.empty()) throw InputError(path + ": a result file has the attribute start_time in /provenance");
  out.scenario_sha256 = sha256_hex(out.scenario);
  out.events = events(file);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::io
