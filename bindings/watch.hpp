#pragma once
#include <chrono>
#include <exception>

#include "bind.hpp"

namespace tidewatt::bindings {

/// Looks after Ctrl-C and the user's progress callable while a simulation runs without the GIL. What either raises is
/// kept, the run is told to stop, and `rethrow` raises it once the GIL is back: no Python error passes through the engine.
class Watch {
 public:
  /// @param progress called with the share done, 0–1; may be None. Outlives the watch.
  explicit Watch(const py::object& progress) : progress_(progress) {}

  /// Call without the GIL, between steps. Takes it at most every 50 ms, and at the end. @returns false to stop.
  bool operator()(double done_frac);
  /// Call with the GIL.
  void rethrow() const {
    if (raised_) std::rethrow_exception(raised_);
  }

 private:
  const py::object& progress_;
  std::chrono::steady_clock::time_point last_{};
  std::exception_ptr raised_;
};

}  // namespace tidewatt::bindings
