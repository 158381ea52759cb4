#include "hdf5_handle.hpp"

#include <fmt/format.h>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::io::hdf5 {
namespace {

herr_t keep_first(unsigned depth, const H5E_error2_t* error, void* text) {
  if (depth == 0 && error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
  return 0;
}

}  // namespace

void fail(const std::string& what) {
  std::string reason = "no reason given";
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &reason);
  throw OutputError(fmt::format("HDF5 could not {}: {}", what, reason));
}

}  // namespace TIDEWATT_NAMESPACE::io::hdf5
