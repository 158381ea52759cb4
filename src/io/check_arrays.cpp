#include "check_arrays.hpp"

#include <fmt/format.h>

#include <set>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::io {
namespace {

[[noreturn]] void fail(const NamedArray& array, std::string_view why) {
  throw OutputError(fmt::format("array {} cannot be written: {}", array.path, why));
}

void check_path(const NamedArray& array, std::set<std::string_view>& seen) {
  const std::string& path = array.path;
  if (!path.starts_with('/') || path.ends_with('/') || path.find("//") != std::string::npos) {
    fail(array, "its path is not absolute");
  }
  if (!seen.insert(path).second) fail(array, "another array has the same path");
}

void check_shape(const NamedArray& array) {
  if (array.dims.size() != array.shape.size()) fail(array, "dimensions and shape differ in number");
  const std::uint64_t n = std::visit([](const auto& values) -> std::uint64_t { return values.size(); }, array.values);
  std::uint64_t places = 1;
  for (const std::uint64_t extent : array.shape) {
    if (__builtin_mul_overflow(places, extent, &places)) fail(array, "its shape overflows");
  }
  if (places != n) fail(array, fmt::format("{} values for {} places", n, places));
}

void check_text(const NamedArray& array) {
  const auto* texts = std::get_if<std::vector<std::string>>(&array.values);
  if (texts == nullptr) return;
  for (const std::string& text : *texts) {
    if (text.find('\0') != std::string::npos) fail(array, "a text holds a NUL");
  }
}

void collect_extents(const NamedArray& array, Extents& extents) {
  const PathParts at = split_path(array.path);
  for (std::size_t i = 0; i < array.dims.size(); ++i) {
    const std::string& dim = array.dims[i];
    if (dim.empty() || dim.find('/') != std::string::npos) fail(array, "a dimension has no plain name");
    const auto [known, fresh] = extents.emplace(at.group + "/" + dim, array.shape[i]);
    if (!fresh && known->second != array.shape[i]) {
      fail(array, fmt::format("dimension {} is {} long here and {} elsewhere", dim, array.shape[i], known->second));
    }
  }
}

}  // namespace

PathParts split_path(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return {path.substr(0, slash), path.substr(slash + 1)};
}

Extents check_arrays(const sim::Result& result) {
  std::set<std::string_view> seen;
  Extents extents;
  for (const NamedArray& array : result.arrays) {
    check_path(array, seen);
    check_shape(array);
    check_text(array);
    collect_extents(array, extents);
  }
  for (const NamedArray& array : result.arrays) {
    const bool named_as_dim = extents.contains(array.path);
    const bool is_scale = array.dims.size() == 1 && array.dims[0] == split_path(array.path).name;
    if (named_as_dim && !is_scale) fail(array, "it has the name of a dimension that it does not run along");
  }
  return extents;
}

}  // namespace TIDEWATT_NAMESPACE::io
