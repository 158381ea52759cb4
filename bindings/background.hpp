#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>

#include "bind.hpp"

namespace tidewatt::bindings {

/// A run on a thread of its own, so that Ctrl-C is answered at once however long one step takes. The thread holds no
/// Python object. A run that nobody waits for any more ends at its next step; Python's exit waits for that.
class BackgroundRun {
 public:
  static std::shared_ptr<BackgroundRun> start(std::shared_ptr<const sim::Scenario> scenario, std::size_t n_thread);

  /// @returns true once the run has ended, false after the time given.
  bool wait(std::chrono::milliseconds longest);
  double done_frac() const { return done_frac_; }
  void stop() { stop_ = true; }
  /// After `wait` said true. @throws what the run threw.
  std::shared_ptr<RunResult> result() const;

 private:
  void work(const sim::Scenario& scenario, std::size_t n_thread);

  std::atomic<bool> stop_ = false;
  std::atomic<double> done_frac_ = 0.0;
  std::mutex mutex_;  // guards what follows until ended_
  std::condition_variable changed_;
  bool ended_ = false;
  std::shared_ptr<RunResult> result_;
  std::exception_ptr error_;
};

/// Waits for every thread that `start` made. Call without the GIL.
void join_background_runs();

}  // namespace tidewatt::bindings
