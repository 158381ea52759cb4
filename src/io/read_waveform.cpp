#include "read_waveform.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "result_file.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::io {
namespace {

constexpr std::string_view prefix = "/waveform_";

std::vector<double> numbers(ResultFile& file, const std::string& path) {
  const auto* array = file.read(path);
  const auto* values = array != nullptr ? std::get_if<std::vector<double>>(&array->values) : nullptr;
  if (values == nullptr) throw InputError(fmt::format("{}: no numbers {}", file.path(), path));
  return *values;
}

std::vector<std::string> windows_of(const ResultFile& file) {
  std::vector<std::string> out;
  for (const auto& array : file.arrays()) {
    if (!array.path.starts_with(prefix)) continue;
    std::string name = array.path.substr(prefix.size(), array.path.rfind('/') - prefix.size());
    if (std::ranges::find(out, name) == out.end()) out.push_back(std::move(name));
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace

std::vector<std::string> waveform_windows(const std::string& path) { return windows_of(ResultFile(path)); }

Waveform read_waveform(const std::string& path, const std::string& window) {
  ResultFile file(path);
  const auto known = windows_of(file);
  std::string name = window;
  if (name.empty() && !known.empty()) name = known.front();
  if (std::ranges::find(known, name) == known.end())
    throw InputError(fmt::format("{}: no recorded window '{}'; there are: {}", path, window, fmt::join(known, ", ")));
  const std::string group = std::string(prefix) + name;
  Waveform w{name,
             0.0,
             1e-3,
             numbers(file, group + "/pcc_W"),
             numbers(file, group + "/pcc_var"),
             numbers(file, group + "/bus_pu"),
             numbers(file, group + "/frequency_Hz")};
  const auto time = numbers(file, group + "/time");
  if (!time.empty()) w.first_s = time.front();
  return w;
}

}  // namespace TIDEWATT_NAMESPACE::io
