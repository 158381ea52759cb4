#include "tidewatt/io/result_origin.hpp"

#include <hdf5_hl.h>

#include <algorithm>
#include <filesystem>

#include "hdf5_handle.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/io/payload_hash.hpp"

namespace tidewatt::io {
namespace {

hdf5::Type text_type() {
  hdf5::Type type(H5Tcopy(H5T_C_S1), "copy a type");
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

std::string take(char* text) {
  std::string out = text ? text : "";
  if (text) H5free_memory(text);
  return out;
}

std::string attribute(hid_t file, const char* group, const char* name) {
  if (H5Lexists(file, group, H5P_DEFAULT) <= 0 && std::string(group) != "/") return {};
  if (H5Aexists_by_name(file, group, name, H5P_DEFAULT) <= 0) return {};
  const hdf5::Attribute a(H5Aopen_by_name(file, group, name, H5P_DEFAULT, H5P_DEFAULT), "open an attribute");
  const hdf5::Type stored(H5Aget_type(a), "read a type");
  if (H5Tis_variable_str(stored) <= 0) return {};
  char* text = nullptr;
  return H5Aread(a, text_type(), static_cast<void*>(&text)) < 0 ? std::string() : take(text);
}

std::vector<std::string> texts(hid_t file, const std::string& name, std::size_t n) {
  std::vector<char*> raw(n, nullptr);
  const hdf5::Dataset d(H5Dopen2(file, name.c_str(), H5P_DEFAULT), "open " + name);
  const hdf5::Type stored(H5Dget_type(d), "read a type");
  if (H5Tis_variable_str(stored) <= 0 || H5Dread(d, text_type(), H5S_ALL, H5S_ALL, H5P_DEFAULT, static_cast<void*>(raw.data())) < 0)
    throw InputError("result file: cannot read " + name);
  std::vector<std::string> out;
  std::transform(raw.begin(), raw.end(), std::back_inserter(out), take);
  return out;
}

bool has(hid_t file, const char* group, const std::string& name) {
  return H5Lexists(file, group, H5P_DEFAULT) > 0 && H5Lexists(file, name.c_str(), H5P_DEFAULT) > 0;
}

std::vector<std::pair<double, std::string>> events(hid_t file) {
  if (!has(file, "/events", "/events/time") || !has(file, "/events", "/events/kind")) return {};
  hsize_t n = 0;
  H5T_class_t kind{};
  std::size_t size = 0;
  if (H5LTget_dataset_info(file, "/events/time", &n, &kind, &size) < 0 || n == 0) return {};
  std::vector<double> time(n);
  if (H5LTread_dataset_double(file, "/events/time", time.data()) < 0) throw InputError("result file: cannot read /events/time");
  const auto what = texts(file, "/events/kind", n);
  std::vector<std::pair<double, std::string>> out;
  for (std::size_t i = 0; i < n; ++i) out.emplace_back(time[i], what[i]);
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return out;
}

}  // namespace

ResultOrigin read_result_origin(const std::string& path) {
  const hdf5::Quiet quiet;
  const hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (id < 0) throw InputError(path + ": cannot be opened as a result file (HDF5)");
  const hdf5::File file(id, path);
  ResultOrigin out;
  out.name = std::filesystem::path(path).stem().string();
  out.version = attribute(file, "/provenance", "version");
  out.start_time = attribute(file, "/provenance", "start_time");
  out.payload_sha256 = attribute(file, "/", "payload_sha256");
  out.scenario = attribute(file, "/provenance", "scenario");  // a text of one line
  if (out.scenario.empty() && has(file, "/provenance", "/provenance/scenario"))
    out.scenario = texts(file, "/provenance/scenario", 1).front();
  if (out.start_time.empty()) throw InputError(path + ": a result file has the attribute start_time in /provenance");
  out.scenario_sha256 = sha256_hex(out.scenario);
  out.events = events(file);
  return out;
}

}  // namespace tidewatt::io
