#pragma once
#include <hdf5.h>

#include <string>
#include <utility>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::io::hdf5 {

/// Throws OutputError with the failed action and HDF5's innermost reason.
[[noreturn]] void fail(const std::string& what);

/// Passes through what HDF5 returned, if it is no error.
template <class Returned>
Returned check(Returned returned, const std::string& what) {
  if (returned < 0) fail(what);
  return returned;
}

/// Owns one HDF5 identifier; closed by its own kind's function.
template <herr_t (*Close)(hid_t)>
class Handle {
 public:
  Handle(hid_t id, const std::string& what) : id_(check(id, what)) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Handle& operator=(Handle&&) = delete;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (id_ >= 0) Close(id_);  // nothing is lost here: the file exists in memory only, and its image was already taken
  }
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
};

using File = Handle<H5Fclose>;
using Group = Handle<H5Gclose>;
using Dataset = Handle<H5Dclose>;
using Space = Handle<H5Sclose>;
using Type = Handle<H5Tclose>;
using Properties = Handle<H5Pclose>;
using Attribute = Handle<H5Aclose>;

/// Keeps HDF5 from printing its error stack while it lives: the library prints nothing.
class Quiet {
 public:
  Quiet() {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Quiet() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

}  // namespace TIDEWATT_NAMESPACE::io::hdf5
