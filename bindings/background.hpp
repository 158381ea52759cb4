#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "bind.hpp"

namespace TIDEWATT_NAMESPACE::bindings {

/// Work on a thread of its own, so that Ctrl-C is answered at once however long one step takes. It holds no Python object
/// and looks at `stop` now and then: work that nobody waits for any more ends there; Python's exit waits for that.
class Background {
 public:
  using Work = std::function<void(const std::atomic<bool>& stop)>;
  static std::shared_ptr<Background> start(Work work);

  /// @returns true once the work has ended, false after the time given.
  bool wait(std::chrono::milliseconds longest);
  void stop() { stop_ = true; }
  /// After `wait` said true. @throws what the work threw.
  void rethrow() const;

 private:
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;  // guards what follows until ended_
  std::condition_variable changed_;
  bool ended_ = false;
  std::exception_ptr error_;
};

/// Does the work and waits for it, without the GIL; signals are looked at every 50 ms. Call with the GIL.
/// @param meanwhile called every 50 ms and once at the end, with the GIL
/// @throws what the work threw; what Ctrl-C or `meanwhile` raised, at once: then the work is told to stop and left
void in_background(Background::Work work, const std::function<void()>& meanwhile = {});

/// The outcome of work that answers Ctrl-C at once.
template <class Out>
std::shared_ptr<Out> computed(std::function<void(Out&)> work) {
  const auto out = std::make_shared<Out>();
  in_background([out, work = std::move(work)](const std::atomic<bool>&) { work(*out); });
  return out;
}

/// At Python's exit: tells all work to stop and waits for its end. Call without the GIL.
void join_background();

}  // namespace TIDEWATT_NAMESPACE::bindings
