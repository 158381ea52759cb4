#include "tidewatt/io/read_waveform.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hdf5_hl.h>

#include <algorithm>
#include <string_view>

#include "hdf5_handle.hpp"
#include "tidewatt/base/error.hpp"

namespace tidewatt::io {
namespace {

constexpr std::string_view prefix = "waveform_";

hdf5::File open(const std::string& path) {
  const hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (id < 0) throw InputError(path + ": cannot be opened as a result file (HDF5)");
  return {id, path};
}

std::vector<double> read(hid_t file, const std::string& name) {
  hsize_t n = 0;
  H5T_class_t kind{};
  std::size_t size = 0;
  if (H5LTget_dataset_info(file, name.c_str(), &n, &kind, &size) < 0) throw InputError("result file: no array " + name);
  std::vector<double> out(n);
  if (n > 0 && H5LTread_dataset_double(file, name.c_str(), out.data()) < 0) throw InputError("result file: cannot read " + name);
  return out;
}

}  // namespace

std::vector<std::string> waveform_windows(const std::string& path) {
  const hdf5::Quiet quiet;
  const auto file = open(path);
  std::vector<std::string> out;
  const auto visit = [](hid_t, const char* name, const H5L_info_t*, void* to) -> herr_t {
    if (const std::string_view n = name; n.starts_with(prefix)) static_cast<std::vector<std::string>*>(to)->emplace_back(n.substr(prefix.size()));
    return 0;
  };
  H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, nullptr, visit, &out);
  return out;
}

Waveform read_waveform(const std::string& path, const std::string& window) {
  const auto known = waveform_windows(path);
  std::string name = window;
  if (name.empty() && !known.empty()) name = known.front();
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw InputError(fmt::format("{}: no recorded window '{}'; there are: {}", path, window, fmt::join(known, ", ")));
  const hdf5::Quiet quiet;
  const auto file = open(path);
  const std::string group = "/" + std::string(prefix) + name;
  Waveform w{name, 0.0, 1e-3, read(file, group + "/pcc_W"), read(file, group + "/pcc_var"), read(file, group + "/bus_pu"), read(file, group + "/frequency_Hz")};
  const auto time = read(file, group + "/time");
  if (!time.empty()) w.first_s = time.front();
  return w;
}

}  // namespace tidewatt::io
