#include "watch.hpp"

namespace tidewatt::bindings {

bool Watch::operator()(double done_frac) {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < std::chrono::milliseconds(50) && done_frac < 1.0) return true;
  last_ = now;
  const py::gil_scoped_acquire gil;
  try {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (!progress_.is_none()) progress_(done_frac);
  } catch (...) {
    raised_ = std::current_exception();
  }
  return !raised_;
}

}  // namespace tidewatt::bindings
