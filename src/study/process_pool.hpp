#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::study {

struct PoolOptions {
  std::size_t n_worker = 0;  ///< 0: one per core
  /// Asked every 20 ms or so; true ends the pool at once: its workers are killed.
  std::function<bool()> stop;
};

/// Calls `work(task)` for every task in separate processes (fork), so that a crash costs that task only. `work` may not
/// throw anything but OutputError. A worker lives for many tasks; one that dies is replaced and its task tried once more.
/// Workers ignore the terminal's interrupt and die with their parent. Call from a process with one thread.
/// @param tasks in the order in which they are handed out
/// @param done called here, in the order in which tasks end
/// @param died called in this process for a task that killed its worker twice, with the cause in one line
/// @returns false if stopped
/// @throws OutputError that `work` or `done` threw, once all workers are gone
bool run_pool(const std::vector<std::size_t>& tasks, const std::function<void(std::size_t task)>& work,
              const std::function<void(std::size_t task)>& done,
              const std::function<void(std::size_t task, const std::string& why)>& died,
              const PoolOptions& options = {});

}  // namespace TIDEWATT_NAMESPACE::study
